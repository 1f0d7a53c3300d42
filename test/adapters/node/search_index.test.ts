/**
 * The full-text index in files: who can read them, what remains in them, damage, limits, several processes.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { parseRid, type RepoId } from "../../../mod.ts";
import type { SearchIndex, SearchPart, SearchText } from "../../../extensions/search/search_index.ts";
import {
  MAX_TEXTS,
  MEMORY_LIMITS,
  SEARCH_MEMORY_BYTES,
  type SearchLimits,
} from "../../../adapters/node/search_database.ts";
import { type Query, type QueryResult, runQuery } from "../../../extensions/search/query.ts";
import { Task } from "../../../src/scheduling/task.ts";
import { createSearchIndex, createSearchIndexOf } from "../../../adapters/node/search_index.ts";

const ONE: RepoId = parseRid("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
const OTHER: RepoId = parseRid("rad:zLuTzcmoWMcdK37xqArS8eckp9vK");
/** Bits of a file that is its owner's alone. */
const PRIVATE_MODE = 0o600;

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "xylem-search-"));
});
after(() => rmSync(folder, { recursive: true }));

let made = 0;
const log: string[] = [];

/** An index in files of its own, in this thread. */
function makeIndex(path: string = join(folder, `${made++}`, "search"), limits?: SearchLimits) {
  log.length = 0;
  const index = createSearchIndexOf({
    path,
    limits,
    program: undefined,
    log: (_level, message) => log.push(message),
  });
  const fileOf = (part: SearchPart) => `${path}.${part}.db`;
  const bytesOf = (part: SearchPart) => readFileSync(fileOf(part)).toString("latin1").toLowerCase();
  return { index, path, fileOf, bytesOf };
}

function text(key: string, body: string, title = key): SearchText {
  return { key, title, body, status: "" };
}

/** Runs a query of a client who may read everything. */
function ask(index: SearchIndex, expression: string, query: Partial<Query> = {}): Promise<QueryResult> {
  return runQuery(index, {
    expression,
    parts: ["public"],
    offset: 0,
    limit: 1000,
    task: new Task(),
    isVisible: () => Promise.resolve(true),
    inTurn: (work) => work(),
    ...query,
  });
}

async function find(
  index: SearchIndex,
  word: string,
  part: SearchPart = "public",
): Promise<readonly string[]> {
  const { total, hits } = await ask(index, `"${word}"`, { parts: [part] });
  assert.equal(total, hits.length);
  return hits.map(({ rid, key }) => `${rid === ONE ? 1 : 2} ${key}`);
}

async function removeAll(index: SearchIndex, part: SearchPart, rid: RepoId): Promise<void> {
  while (await index.remove(part, rid)) { /* The next portion. */ }
  while (await index.tidy(part)) { /* The next step. */ }
}

describe("the files of an index", () => {
  it("are for their owner alone, private texts in one of their own", async () => {
    const { index, fileOf, bytesOf } = makeIndex();
    await index.put("public", ONE, [text("repository", "marmalade")]);
    assert.ok(!existsSync(fileOf("private")));
    await index.put("private", OTHER, [text("repository", "pomegranate")]);
    for (const part of ["public", "private"] as const) {
      assert.equal(statSync(fileOf(part)).mode & 0o777, PRIVATE_MODE);
    }
    assert.deepEqual([bytesOf("public").includes("marmalade"), bytesOf("public").includes("pomegra")], [
      true,
      false,
    ]);
    assert.deepEqual(await find(index, "pomegranate"), []);
    assert.deepEqual(await find(index, "pomegranate", "private"), ["2 repository"]);
    await index.close();
  });

  it("have no trace of a repository that was removed", async () => {
    const { index, fileOf, bytesOf } = makeIndex();
    const texts = (word: string) =>
      Array.from({ length: 300 }, (_, i) => text(`issue ${i}`, `${word}${i} ${word} padding`));
    for (const part of ["public", "private"] as const) {
      await index.put(part, ONE, texts("tangerine"));
      await index.put(part, OTHER, texts("clementine"));
      // An earlier text of the same issue leaves words behind, too.
      await index.put(part, ONE, [text("issue 1", "grapefruit"), text("issue 2", "x")]);
      await index.put(part, ONE, [text("issue 1", "y")]);
      await removeAll(index, part, ONE);
      const bytes = bytesOf(part);
      for (const word of ["tangerine", "angerin", "grapefruit", ONE.toLowerCase()]) {
        assert.ok(!bytes.includes(word), `${part}: ${word}`);
      }
      assert.equal((await find(index, "clementine", part)).length, 300);
      assert.deepEqual([...await index.states(part)].map(([rid]) => rid), [OTHER]);
      assert.deepEqual(readdirSync(join(fileOf(part), "..")).filter((name) => !name.endsWith(".db")), []);
    }
    await removeAll(index, "private", OTHER);
    assert.ok(!existsSync(fileOf("private")));
    assert.deepEqual([...await index.states("private")], []);
    await index.close();
  });

  it("have the texts of a repository that were put last, and no others", async () => {
    const { index } = makeIndex();
    const texts = Array.from({ length: 150 }, (_, i) => text(`issue ${i}`, "plum"));
    await index.put("public", ONE, texts);
    await index.put("public", OTHER, texts);
    assert.equal(await index.put("public", ONE, [texts[0]!, text("issue 1", "pear")]), 0);
    const keys = ["issue 0", "issue 1", "issue 2"];
    let calls = 1;
    while (await index.finish("public", ONE, keys, "state")) calls++;
    assert.ok(calls > 1, "removes all in one call");
    assert.deepEqual([...await index.states("public")], [[ONE, "state"], [OTHER, ""]]);
    const found = await find(index, "plum");
    assert.deepEqual(found.filter((hit) => hit.startsWith("1")).toSorted(), ["1 issue 0", "1 issue 2"]);
    assert.equal(found.length, 2 + texts.length);
    assert.deepEqual(await find(index, "pear"), ["1 issue 1"]);
    await index.close();
  });

  it("are used by the next process", async () => {
    const { index, path } = makeIndex();
    await index.put("public", ONE, [text("issue 1", "marmalade")]);
    await index.finish("public", ONE, ["issue 1"], "state");
    await index.close();
    const next = makeIndex(path).index;
    assert.deepEqual([...await next.states("public")], [[ONE, "state"]]);
    assert.deepEqual(await find(next, "marmalade"), ["1 issue 1"]);
    await next.close();
  });

  it("are shared by processes that work at the same time", async () => {
    const { index: one, path, fileOf } = makeIndex();
    const { index: other } = makeIndex(path);
    for (let i = 0; i < 20; i++) {
      await Promise.all([
        one.put("public", ONE, [text(`issue ${i}`, "marmalade")]),
        other.put("public", ONE, [text(`issue ${i}`, "marmalade")]),
        other.put("private", OTHER, [text("repository", "pomegranate")]),
      ]);
    }
    assert.equal((await find(one, "marmalade")).length, 20);
    assert.deepEqual(await find(one, "marmalade"), await find(other, "marmalade"));
    await removeAll(one, "private", OTHER);
    assert.ok(!existsSync(fileOf("private")));
    assert.deepEqual(await find(other, "pomegranate", "private"), []);
    await other.put("private", OTHER, [text("repository", "pomegranate")]);
    assert.deepEqual(await find(one, "pomegranate", "private"), ["2 repository"]);
    // Removed and made again between two calls of the other one.
    await removeAll(one, "private", OTHER);
    await one.put("private", ONE, [text("repository", "clementine")]);
    assert.deepEqual(await find(other, "clementine", "private"), ["1 repository"]);
    assert.deepEqual(await find(other, "pomegranate", "private"), []);
    await one.close();
    await other.close();
  });
});

describe("a file that is not as expected", () => {
  const DAMAGES: Readonly<Record<string, (file: string) => void>> = {
    "is no database": (file) => writeFileSync(file, "x".repeat(10_000)),
    "is another program's": (file) => {
      rmSync(file);
      const database = new DatabaseSync(file);
      database.prepare("create table repository (x)").all();
      database.close();
    },
    "has another format": (file) => {
      const database = new DatabaseSync(file);
      database.prepare("pragma user_version = 99").all();
      database.close();
    },
    "ends too early": (file) => {
      const handle = openSync(file, "r+");
      ftruncateSync(handle, 20_000);
      closeSync(handle);
    },
    "is longer than any of ours": (file) => truncateSync(file, 2 ** 35),
    "has another letter in a text": (file) => replaceIn(file, "marmalade marmalade", "marmalade Marmalade"),
    "has another word in its index": (file) => replaceIn(file, "\x09marmalade", "\x09marmelade"),
    "has another version of FTS5": (file) => replaceIn(file, "version\x04", "version\x00"),
    "has another state of a text": (file) => change(file, "update entry set status = 'x'"),
    "has another sum of bytes": (file) => change(file, "update repository set bytes = 1"),
    "has a text of no repository": (file) => change(file, "update entry set repository = 9"),
    "has another number of texts": (file) => change(file, "update repository set texts = 0"),
    "is overwritten in the middle": (file) => {
      const bytes = readFileSync(file);
      bytes.fill(0xab, 4096);
      writeFileSync(file, bytes);
    },
  };

  /** Replaces a part of a file by another one of the same length. */
  function replaceIn(file: string, old: string, now: string): void {
    const text = readFileSync(file, "latin1");
    assert.ok(text.includes(old), old);
    writeFileSync(file, text.replace(old, now), "latin1");
  }

  function change(file: string, sql: string): void {
    const database = new DatabaseSync(file);
    database.prepare(sql).all();
    database.close();
  }

  for (const kind of ["a link", "a pipe"]) {
    it(`is made again when ${kind} has taken its place, and the target of a link stays as it is`, async () => {
      const { index, path, fileOf } = makeIndex();
      await index.put("public", ONE, [text("issue 1", "marmalade")]);
      await index.close();
      const elsewhere = join(folder, `elsewhere-${made}`);
      writeFileSync(elsewhere, "others'");
      chmodSync(elsewhere, 0o644);
      rmSync(fileOf("public"));
      if (kind === "a link") symlinkSync(elsewhere, fileOf("public"));
      else execFileSync("mkfifo", [fileOf("public")]);
      const { index: next } = makeIndex(path);
      assert.deepEqual([...await next.states("public")], []);
      await next.put("public", ONE, [text("issue 1", "marmalade")]);
      assert.deepEqual(await find(next, "marmalade"), ["1 issue 1"]);
      assert.deepEqual([readFileSync(elsewhere, "utf8"), statSync(elsewhere).mode & 0o777], [
        "others'",
        0o644,
      ]);
      await next.close();
    });
  }

  it("is made again when a text is damaged while it is open", async () => {
    const { index, fileOf } = makeIndex();
    await index.put("public", ONE, [text("issue 1", "marmalade ".repeat(1000))]);
    await index.finish("public", ONE, ["issue 1"], "state");
    const database = new DatabaseSync(fileOf("public"));
    database.prepare("update entry set status = 'x'").all();
    database.close();
    await assert.rejects(find(index, "marmalade"), { name: "SearchIndexError", obstacle: "lost" });
    assert.deepEqual([...await index.states("public")], []);
    await index.put("public", ONE, [text("issue 1", "marmalade")]);
    assert.deepEqual(await find(index, "marmalade"), ["1 issue 1"]);
    assert.equal(log.length, 1);
    await index.close();
  });

  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(`is made again when it ${name}, with one line in the log`, async () => {
      const { index, path, fileOf } = makeIndex();
      await index.put("public", ONE, [text("issue 1", "marmalade ".repeat(1000))]);
      await index.close();
      damage(fileOf("public"));
      const { index: next } = makeIndex(path);
      assert.deepEqual([...await next.states("public")], []);
      await next.put("public", ONE, [text("issue 1", "marmalade")]);
      assert.deepEqual(await find(next, "marmalade"), ["1 issue 1"]);
      assert.equal(log.length, 1);
      assert.equal(statSync(fileOf("public")).mode & 0o777, PRIVATE_MODE);
      await next.close();
      const { index: last } = makeIndex(path);
      assert.deepEqual(await find(last, "marmalade"), ["1 issue 1"]);
      assert.deepEqual(log, []);
      await last.close();
    });
  }

  it("is left alone when it cannot be used: the index is in memory then", async () => {
    const { index, fileOf } = makeIndex();
    mkdirSync(fileOf("public"), { recursive: true });
    await index.put("public", ONE, [text("issue 1", "marmalade")]);
    await index.put("private", OTHER, [text("issue 1", "pomegranate")]);
    assert.deepEqual(await find(index, "marmalade"), ["1 issue 1"]);
    assert.ok(statSync(fileOf("public")).isDirectory());
    assert.ok(!existsSync(fileOf("private")));
    assert.equal(log.length, 1);
    await index.close();
  });
});

describe("the limits of an index", () => {
  const limits: SearchLimits = { fileBytes: 600_000, repositoryBytes: 120_000, repositoryTexts: 100 };
  const many = (count: number, bytes: number, word = "plum") =>
    Array.from({ length: count }, (_, i) => text(`issue ${i}`, `${word} `.repeat(bytes / (word.length + 1))));

  it("bound the bytes and the texts of a repository", async () => {
    const { index } = makeIndex(undefined, limits);
    assert.equal(await index.put("public", ONE, many(101, 10)), 1);
    assert.equal(await index.put("public", OTHER, many(20, 10_000)), 20 - 11);
    // Smaller texts in place of larger ones.
    assert.equal(await index.put("public", OTHER, many(20, 100)), 0);
    await index.close();
  });

  it("bound all of it, and have the largest repository make room", async () => {
    const { index, fileOf } = makeIndex(undefined, limits);
    assert.ok(await index.put("public", ONE, many(11, 10_000, "large")) === 0);
    const rids = ["z3gqcJUoA1n9HaHKufZs5FCSGazv5", "z42hL2jL4XNk6K8oHQaSWfMgCL7ji"].map((id) =>
      parseRid(`rad:${id}`)
    );
    for (const rid of rids) assert.equal(await index.put("public", rid, many(5, 10_000, "middle")), 0);
    assert.ok((await find(index, "large")).length < 11);
    assert.equal(await index.put("public", OTHER, [text("repository", "small")]), 0);
    assert.deepEqual(await find(index, "small"), ["2 repository"]);
    assert.ok(statSync(fileOf("public")).size <= limits.fileBytes);
    // The largest repository does not push out others.
    assert.ok(await index.put("public", ONE, many(11, 10_000, "large")) > 0);
    const { hits } = await ask(index, '"middle"');
    assert.equal(hits.filter(({ rid }) => rid === rids[0]).length, 5);
    await index.close();
  });

  it("hold for the memory of an index without files", async () => {
    const parts = Object.values(MEMORY_LIMITS);
    assert.equal(parts.reduce((sum, { fileBytes }) => sum + fileBytes, 0), SEARCH_MEMORY_BYTES);
    assert.ok(parts.every(({ repositoryTexts }) => repositoryTexts <= MAX_TEXTS));
    const index = createSearchIndexOf({ program: undefined, limits });
    const words = (seed: number) =>
      Array.from({ length: 1000 }, (_, i) => `w${seed}x${i.toString(36)}`).join(" ");
    let left = 0;
    for (let i = 0; i < 100; i++) left += await index.put("public", ONE, [text(`issue ${i}`, words(i))]);
    assert.ok(left > 0);
    await index.close();
  });
});

describe("the thread of an index", () => {
  it("gets one call at a time, and 64 wait for it at most", async () => {
    const index = createSearchIndex({ path: join(folder, "waiting", "search") });
    const calls = Array.from({ length: 66 }, () => index.states("public"));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    assert.deepEqual(refused.map((outcome) => (outcome as PromiseRejectedResult).reason.obstacle), ["busy"]);
    await index.close();
  });

  it("answers as the calling thread would", async () => {
    const here = makeIndex().index;
    const there = createSearchIndex({ path: join(folder, "threaded", "search") });
    for (const index of [here, there]) {
      await index.put("public", ONE, [
        text("issue 1", "marmalade jam"),
        text("issue 2", "marmalade", "jam jam"),
      ]);
      await index.put("public", OTHER, [text("repository", "marmalade marmalade")]);
    }
    const expected = ["1 issue 2", "1 issue 1"];
    assert.deepEqual(await find(here, "jam"), expected);
    assert.deepEqual(await find(there, "jam"), expected);
    assert.deepEqual(await find(there, "marmalade"), await find(here, "marmalade"));
    await here.close();
    await there.close();
    await assert.rejects(there.states("public"), { name: "SearchIndexError" });
  });

  it("is not needed on a host that cannot start one", async () => {
    const lines: string[] = [];
    const index = createSearchIndexOf({
      program: () => {
        throw new Error("no permission");
      },
      log: (_level, message) => lines.push(message),
    });
    await index.put("public", ONE, [text("issue 1", "marmalade")]);
    assert.deepEqual(await find(index, "marmalade"), ["1 issue 1"]);
    assert.equal(lines.length, 1);
    await index.close();
  });

  it("that is closed before its thread is ready says nothing, and its calls reject", async () => {
    const lines: string[] = [];
    const index = createSearchIndex({ log: (_level, message) => lines.push(message) });
    const put = index.put("public", ONE, [text("issue 1", "marmalade")]);
    await Promise.all([assert.rejects(put, { name: "SearchIndexError" }), index.close()]);
    assert.deepEqual(lines, []);
  });
});

describe("pages of found texts", () => {
  it("follow each other without a gap, whatever is wanted", async () => {
    const { index } = makeIndex();
    for (const rid of [ONE, OTHER]) {
      // Some are equally good.
      const texts = Array.from({ length: 40 }, (_, i) => text(`issue ${i}`, `plum ${"x ".repeat(i >> 2)}`));
      await index.put("public", rid, texts);
    }
    const pages = async (rids: readonly RepoId[], limit: number) => {
      const found: string[] = [];
      const isVisible = (rid: RepoId) => Promise.resolve(rids.includes(rid));
      for (let offset = 0;; offset += limit) {
        const { total, hits } = await ask(index, '"plum"', { offset, limit, isVisible });
        assert.equal(total, 40 * rids.length);
        if (hits.length === 0) return found;
        found.push(...hits.map(({ rid, key }) => `${rid} ${key}`));
      }
    };
    const all = await pages([ONE, OTHER], 1000);
    assert.equal(new Set(all).size, 80);
    for (const limit of [1, 7, 50]) assert.deepEqual(await pages([ONE, OTHER], limit), all);
    assert.deepEqual(await pages([OTHER], 7), all.filter((hit) => hit.startsWith(OTHER)));
    await index.close();
  });
});

describe("a query", () => {
  it("never fails over its text", async () => {
    const { index } = makeIndex();
    await index.put("public", ONE, [text("issue 1", "a b")]);
    const { toExpression, wordsOf } = await import("../../../extensions/search/words.ts");
    const texts = [
      '"',
      "a*",
      "NEAR(a b)",
      "title:a",
      "\u{1e900}",
      "a\u0000b",
      "AND",
      "^a",
      "-a",
      "a".repeat(256),
      "\ud800",
    ];
    for (const query of texts) {
      const expression = toExpression(wordsOf(query));
      if (expression !== undefined) await ask(index, expression);
    }
    await index.close();
  });
});

// deno-lint-ignore-file no-console -- a command: its output is its answer
/**
 * Measures how long it takes to index issues, to search them and to find a new one, and the longest time for
 * which nothing else gets a turn. Works on each runtime:
 * `node bench/search.ts [issues] [bytes of hostile texts]`. With `--index` it measures only the index: the
 * processor time of the calling thread, with and without a thread for the index.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import {
  createSearchIndex,
  createSearchIndexOf,
  type SearchIndexOptions,
} from "../adapters/node/search_index.ts";
import { adapter } from "../test/adapters/this_runtime.ts";
import { makeHome } from "../test/adapters/cli/command.ts";
import { putEntry } from "../test/cob/entries.ts";
import { DiskRepository } from "../test/hostile/disk.ts";
import { documentOf, found } from "../test/hostile/target.ts";

const TYPE = "xyz.radicle.issue";
const SECONDS = 1_780_000_000;
const WORDS = 20_000;
const ROUNDS = 15;
/** Issues whose references are added while the service runs. */
const NEW_ISSUES = 10;
const LIMIT_MS = 600_000;
const OWNER = { transport: "unix" } as const;

const [issues = 10_000, hostileBytes = 0] = process.argv.slice(2).filter((text) => text !== "--index").map(
  Number,
);
const folder = mkdtempSync(join(tmpdir(), "xylem-bench-"));
try {
  if (process.argv.includes("--index")) await measureIndexes();
  else await measureHome();
} finally {
  rmSync(folder, { recursive: true });
}

async function measureHome(): Promise<void> {
  const home = makeHome(join(folder, "home"));
  const newIssues = build(home);
  await measure(home, "nothing indexed", newIssues.slice(NEW_ISSUES / 2));
  await measure(home, "the index of the process before", newIssues.slice(0, NEW_ISSUES / 2));
}

/** Measures the index with and without its own thread, with texts added in batches or one by one. */
async function measureIndexes(): Promise<void> {
  const text = randomTexts();
  const texts = Array.from({ length: issues }, (_, i) => ({
    key: `issue ${String(i).padStart(40, "0")}`,
    title: `numbered${i}`,
    body: `every ${text(100)}`,
    status: "open",
  }));
  const { rid } = documentOf("honest");
  const kinds = {
    "own thread": createSearchIndex,
    "no thread": (options: SearchIndexOptions) => createSearchIndexOf({ ...options, program: undefined }),
  };
  for (const [kind, create] of Object.entries(kinds)) {
    for (const atOnce of [100, 1]) {
      const path = join(folder, `${kind}-${atOnce}`);
      const time = async (work: () => Promise<unknown>) => {
        const startMs = threadMs();
        await work();
        return threadMs() - startMs;
      };
      let index = create({ path });
      for (const what of ["all texts", "all texts again"]) {
        let [sumMs, longestMs] = [0, 0];
        for (let at = 0; at < texts.length; at += atOnce) {
          const ms = await time(() => index.put("public", rid, texts.slice(at, at + atOnce)));
          sumMs += ms;
          longestMs = Math.max(longestMs, ms);
        }
        console.log(
          `${kind}, ${what}, ${atOnce} at a time: ${sumMs.toFixed(0)} ms, longest call ${
            longestMs.toFixed(1)
          } ms`,
        );
      }
      await index.close();
      index = create({ path });
      const openMs = await time(() => index.states("public"));
      const scan = { part: "public", expression: '"every"', from: 0, most: 10 } as const;
      const lookMs = await time(() => index.scan(scan));
      console.log(`${kind}: check of the file ${openMs.toFixed(0)} ms, a scan ${lookMs.toFixed(1)} ms`);
      await index.close();
    }
  }
}

/**
 * Processor time of this thread in milliseconds, or the time of the clock where the runtime does not provide
 * it.
 */
function threadMs(): number {
  const used = process.threadCpuUsage?.();
  return used === undefined ? performance.now() : (used.user + used.system) / 1000;
}

/** An issue that is in the pack but has no reference yet. */
interface NewIssue {
  readonly word: string;
  /** Path of its reference. Its content is the `oid`. */
  readonly path: string;
  readonly oid: string;
}

async function measure(home: string, title: string, newIssues: readonly NewIssue[]): Promise<void> {
  const { api, close } = await adapter.createHomeApi({ home, cachePath: join(folder, "cache") });
  const ask = async (query: string) => {
    const response = await api.fetch(
      new Request(`http://localhost/api/v1/search?q=${encodeURIComponent(query)}`),
      OWNER,
    );
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    return await response.json() as readonly unknown[];
  };
  let turns = watchTurns();
  const startedMs = performance.now();
  // The service indexes the largest issue last.
  const last = issues === 0 ? "hostile" : `numbered${issues - 1}`;
  while ((await ask(last)).length === 0) {
    if (performance.now() - startedMs > LIMIT_MS) throw new Error("never indexed");
  }
  console.log(
    `${title}: found after ${(performance.now() - startedMs).toFixed(0)} ms, longest turn ${
      turns().toFixed(0)
    } ms`,
  );
  for (
    const query of ["vpatyq", "vpatyq vyzfwx", "every", "every vpa", "m", "の の の", "aaa", "nothingatall"]
  ) {
    turns = watchTurns();
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const askedMs = performance.now();
      await ask(query);
      rounds.push(performance.now() - askedMs);
    }
    rounds.sort((a, b) => a - b);
    const [fastest, median, slowest] = [rounds[0]!, rounds[ROUNDS >> 1]!, rounds.at(-1)!].map((ms) =>
      ms.toFixed(1)
    );
    console.log(
      `"${query}": ${fastest}, ${median}, ${slowest} ms (fastest, median, slowest), longest turn ${
        turns().toFixed(0)
      } ms`,
    );
  }
  turns = watchTurns();
  const rounds: number[] = [];
  for (const { word, path, oid } of newIssues) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${oid}\n`);
    const addedMs = performance.now();
    while ((await ask(word)).length === 0) {
      if (performance.now() - addedMs > LIMIT_MS) throw new Error("never found");
      await new Promise((resume) => setTimeout(resume, 1));
    }
    rounds.push(performance.now() - addedMs);
  }
  console.log(
    `a new issue: found after ${rounds.map((ms) => ms.toFixed(0)).join(", ")} ms, longest turn ${
      turns().toFixed(0)
    } ms`,
  );
  await close();
}

/** Makes a repository with issues, and one with issues of up to 64 KiB that are hard to search. */
function build(home: string): readonly NewIssue[] {
  const honest = create(home, "honest");
  let number = 1;
  const text = randomTexts();
  for (let i = 0; i < issues; i++) {
    honest.open(`${text(1)} numbered${i}`, `every ${text(50 + i % 100)}`, i);
  }
  const newIssues = Array.from({ length: NEW_ISSUES }, (_, i) => {
    const issue = honest.put(`fresh${i}`, `every ${text(100)}`, issues + i);
    return { ...issue, word: `fresh${i}` };
  });
  honest.finish();
  if (hostileBytes === 0) return newIssues;
  const hostile = create(home, "hostile");
  const kinds = [
    () => Array.from({ length: 7000 }, () => `aaa${(number++).toString(36)}`).join(" "),
    () => "の".repeat(10_000),
    () => "aaa ".repeat(16_000),
  ];
  for (let i = 0, bytes = 0; bytes < hostileBytes; i++, bytes += 64_000) {
    hostile.open(`${i}`, kinds[i % 3]!(), i);
  }
  hostile.finish();
  return newIssues;
}

/** Makes texts with a given number of words, the same in each run. */
function randomTexts(): (length: number) => string {
  let number = 1;
  const random = () => (number = number * 1103515245 + 12345 & 0x7fffffff) / 0x7fffffff;
  const words = Array.from(
    { length: WORDS },
    () => Array.from({ length: 3 + random() * 7 }, () => String.fromCharCode(97 + random() * 26)).join(""),
  );
  const word = () => words[Math.floor(random() ** 3 * WORDS)]!;
  return (length) => Array.from({ length }, word).join(" ");
}

function create(home: string, name: string) {
  const repository = new DiskRepository(join(home, "storage"), documentOf(name).rid);
  const { alice, identity: resource } = found(repository, name);
  const put = (title: string, body: string, i: number) => {
    const actions = [{ type: "comment", body }, { type: "edit", title }];
    const oid = putEntry(repository, { writer: alice, actions, resource, timeSeconds: SECONDS + i });
    const name = `refs/namespaces/${alice.nid}/refs/cobs/${TYPE}/${oid}`;
    return { name, oid, path: join(repository.path, name) };
  };
  return {
    put,
    open(title: string, body: string, i: number) {
      const { name, oid } = put(title, body, i);
      repository.setRef(name, oid);
    },
    finish: () => repository.finish(),
  };
}

/**
 * Starts to measure the longest time for which nothing else gets a turn, in processor time of this thread if
 * the runtime provides it. Call the returned function to stop.
 */
function watchTurns(): () => number {
  let [longestMs, lastMs, isOver] = [0, threadMs(), false];
  const watch = () => {
    longestMs = Math.max(longestMs, threadMs() - lastMs);
    lastMs = threadMs();
    if (!isOver) setTimeout(watch, 0);
  };
  setTimeout(watch, 0);
  return () => {
    isOver = true;
    return Math.max(longestMs, threadMs() - lastMs);
  };
}

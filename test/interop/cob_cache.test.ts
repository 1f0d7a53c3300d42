/** Rows of `cobs/cache.db` that we wrote, read by the real programs of both generations. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { createCobCache } from "../../adapters/node/cob_cache.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { CacheRows } from "../../src/cob/cache_rows.ts";
import { createCobs } from "../../src/cob/store.ts";
import { CommitIndex } from "../../src/git/commit_index.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import {
  createRadHome,
  type Generation,
  openRadHome,
  type RadHome,
  removeFolder,
  RUNTIMES,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";

const TABLES = { "xyz.radicle.issue": "issues", "xyz.radicle.patch": "patches" } as const;
/** How long a service may take to check a small home. */
const CHECK_LIMIT_MS = 10_000;
const POLL_MS = 20;

const folder = temporaryFolder("cob-cache");
after(() => removeFolder(folder));

/** A row as it is stored. */
interface Row {
  readonly type: CachedType;
  readonly id: Oid;
  readonly repo: RepoId;
  readonly text: string;
}

function withDatabase<T>(home: string, step: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(home, "cobs", "cache.db"), { timeout: 5000 });
  try {
    return step(database);
  } finally {
    database.close();
  }
}

function readRows(home: string): Row[] {
  return withDatabase(
    home,
    (database) =>
      Object.entries(TABLES).flatMap(([type, table]) =>
        database.prepare(`select * from ${table} order by id`).all().map((row) => ({
          type: type as CachedType,
          id: row["id"] as Oid,
          repo: row["repo"] as RepoId,
          text: String(row["issue"] ?? row["patch"]),
        }))
      ),
  );
}

function deleteRows(home: string): void {
  withDatabase(home, (database) => database.exec("delete from issues; delete from patches"));
}

/** Has the rows of some objects written, as after a change. */
async function writeRows(home: string, objects: readonly Pick<Row, "type" | "id" | "repo">[]): Promise<void> {
  const log = (level: string, message: string) => assert.fail(`${level} ${message}`);
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  const indexes = new Map<RepoId, CommitIndex>();
  const rows = new CacheRows({
    cache: createCobCache(join(home, "cobs", "cache.db")),
    newest: createCobs("newest", log),
    log,
    commitIndex: (rid) => indexes.get(rid) ?? indexes.set(rid, new CommitIndex()).get(rid)!,
  });
  try {
    for (const { type, id, repo } of objects) {
      const repository = storage.repository(repo);
      assert.ok(repository);
      await rows.update(repository, type, id);
    }
  } finally {
    storage.close();
  }
}

/** What `rad` shows of all objects: lists, and each with everything that the row says of it. */
function show({ rad }: RadHome, generation: Generation, rows: readonly Row[]): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const repo of new Set(rows.map((row) => row.repo))) {
    for (const kind of ["issue", "patch"]) {
      shown[`${kind} list of ${repo}`] = rad(folder, kind, "list", "--all", "--repo", repo);
    }
  }
  for (const { type, id, repo } of rows) {
    const kind = type === "xyz.radicle.issue" ? "issue" : "patch";
    shown[`${kind} ${id}`] = rad(folder, kind, "show", id, "--repo", repo);
    shown[`all of ${kind} ${id}`] = generation === "0.10"
      ? rad(folder, kind, "show", id, "--debug", "--repo", repo)
      : rad(folder, "cob", "show", "--repo", repo, "--type", type, "--object", id);
  }
  return shown;
}

/** A row without the ids that `rad` 0.10 does not write into it, but reads over. */
function withoutIds(text: string): unknown {
  interface Part {
    id?: Oid;
    readonly reviews?: Record<string, Part | null>;
  }
  const row: { readonly revisions?: Record<string, Part | null> } = JSON.parse(text);
  for (const revision of Object.values(row.revisions ?? {})) {
    delete revision?.id;
    for (const review of Object.values(revision?.reviews ?? {})) delete review?.id;
  }
  return row;
}

describe("rows that we wrote", () => {
  const homes = { "0.10": "ten-collab", newest: "today-collab" } as const;
  for (const [generation, name] of Object.entries(homes) as [Generation, string][]) {
    it(`are shown by rad ${generation} as its own`, async () => {
      const home = unpackHome(`today/${name}.tar.gz`, folder);
      const program = openRadHome(generation, home, "tester");
      const rows = readRows(home);
      assert.ok(rows.length > 5);
      const shown = show(program, generation, rows);
      deleteRows(home);
      assert.match(program.rad(folder, "issue", "list", "--repo", rows[0]!.repo), /Nothing to show/);
      await writeRows(home, rows);
      assert.deepEqual(show(program, generation, rows), shown);
      const ours = readRows(home);
      if (generation === "newest") assert.deepEqual(ours, rows);
      else {
        assert.deepEqual(
          ours.map((row) => ({ ...row, text: withoutIds(row.text) })),
          rows.map((row) => ({ ...row, text: withoutIds(row.text) })),
        );
      }
    });
  }
});

describe("rows that were left behind", () => {
  const unpack = (name: string) => {
    mkdirSync(join(folder, name));
    return unpackHome("today/edge-sigrefs.tar.gz", join(folder, name));
  };
  let expected: readonly Row[];
  before(() => {
    const home = unpack("expected");
    const { rad } = openRadHome("newest", home, "tester");
    for (const repo of readdirSync(join(home, "storage"))) {
      rad(folder, "issue", "cache", "--repo", `rad:${repo}`);
    }
    expected = readRows(home);
  });

  for (const runtime of RUNTIMES) {
    it(`are written when the service starts on ${runtime}, as rad does when it is told to`, async () => {
      const home = unpack(runtime);
      const missing = () => {
        const present = new Set(readRows(home).map(({ id, text }) => `${id} ${text}`));
        return expected.filter(({ id, text }) => !present.has(`${id} ${text}`));
      };
      assert.ok(missing().length >= 5);
      const service = await startService(runtime, home);
      const deadline = Date.now() + CHECK_LIMIT_MS;
      while (missing().length > 0 && Date.now() < deadline) {
        await new Promise((resume) => setTimeout(resume, POLL_MS));
      }
      await service.stop();
      assert.deepEqual(missing(), []);
    });
  }
});

describe("programs of the days of 0.10", () => {
  let alice: RadHome;
  let work: string;
  before(() => {
    const place = join(folder, "push");
    mkdirSync(place);
    alice = createRadHome("0.10", place, { alias: "alice", seed: "a1".repeat(32) });
    work = join(place, "work");
    alice.git(place, "init", "--quiet", work);
    alice.git(work, "commit", "--quiet", "--allow-empty", "--message", "First");
    alice.rad(
      work,
      "init",
      "--name",
      "x",
      "--description",
      "",
      "--default-branch",
      "main",
      "--public",
      "--no-confirm",
    );
  });

  it("merge a patch by push when its row is ours", async () => {
    alice.git(work, "checkout", "--quiet", "-b", "feature");
    alice.git(work, "commit", "--quiet", "--allow-empty", "--message", "Feature");
    alice.git(work, "push", "--quiet", "rad", "HEAD:refs/patches");
    const [patch] = readRows(alice.home);
    assert.ok(patch);
    alice.rad(work, "patch", "label", patch.id, "--add", "x", "--no-announce");
    assert.doesNotMatch(readRows(alice.home)[0]!.text, /"revisions":\{"[0-9a-f]+":\{"id"/);
    await writeRows(alice.home, [patch]);
    assert.match(alice.rad(work, "patch", "show", patch.id), /Labels\s+x/);
    alice.git(work, "checkout", "--quiet", "main");
    alice.git(work, "merge", "--quiet", "feature");
    alice.git(work, "push", "--quiet", "rad", "main");
    assert.match(alice.rad(work, "patch", "show", patch.id), /Status\s+merged/);
  });
});

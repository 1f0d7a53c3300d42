/** The objects database of a home, `cobs/cache.db`: its rows, and how we write them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createCobCache } from "../../adapters/node/cob_cache.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { CacheRows } from "../../src/cob/rad_cache/cache_rows.ts";
import { RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { CommitGraphs } from "../../src/git/commit_graphs.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { CachedType } from "../../src/ports/cob_cache.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";

const TABLES = { "xyz.radicle.issue": "issues", "xyz.radicle.patch": "patches" } as const;

/** A row as it is stored. */
export interface Row {
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

/** All rows of the objects database of a home, issues before patches, by id. */
export function readRows(home: string): Row[] {
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

/** Deletes all rows. */
export function deleteRows(home: string): void {
  withDatabase(home, (database) => database.exec("delete from issues; delete from patches"));
}

/** Has the rows of some objects written, as after a change. */
export async function writeRows(
  home: string,
  objects: readonly Pick<Row, "type" | "id" | "repo">[],
): Promise<void> {
  const log = (level: string, message: string) => assert.fail(`${level} ${message}`);
  const storage = createHomeStorage({ root: join(home, "storage"), fileSystem });
  const rows = new CacheRows({
    cache: createCobCache(join(home, "cobs", "cache.db")),
    cobs: createCobs(RULES.newest, log),
    log,
    graphs: new CommitGraphs({ log }),
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

/** A row without the ids that `rad` 0.10 does not write into it, but reads over. */
export function withoutIds(text: string): unknown {
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

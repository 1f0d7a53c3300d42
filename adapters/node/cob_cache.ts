/**
 * Accesses `cobs/cache.db`, the database of issues and patches that `rad` reads, through `node:sqlite`. Each
 * call opens and closes the file within a few milliseconds, so that other programs can replace or migrate the
 * file. Calls never wait for locks.
 */
import { existsSync } from "node:fs";
import type { Oid } from "../../src/ids/oid.ts";
import { messageOf } from "../../src/errors.ts";
import {
  type CachedObject,
  type CachedRow,
  type CachedType,
  type CobCache,
  CobCacheError,
  type RowForm,
} from "../../src/ports/cob_cache.ts";
import { type Database, isBusy, loadSqlite, usedOnce } from "./sqlite.ts";

/**
 * Number of the newest patches that are read to find out whether `rad` 0.10 or `rad` 1.0 has written the
 * database.
 */
const EXAMINED_ROWS = 64;

/** Format of the rows for each value of the database's `user_version`. */
const FORMS: Readonly<Record<number, RowForm>> = { 1: "0.10", 2: "1.1", 3: "newest" };

/** Matches the text of a patch with a review as a list. Only `rad` 1.0 writes such lists. */
const LISTED_REVIEW = `*"reviews":{"z6Mk${"?".repeat(44)}":[[]*`;

/** Table of each type, and the column that contains the texts. The other columns are `id` and `repo`. */
const TABLES = {
  "xyz.radicle.issue": { table: "issues", column: "issue" },
  "xyz.radicle.patch": { table: "patches", column: "patch" },
} as const;

/** Returns the database at a path. Each call opens the file. The file may be absent. */
export function createCobCache(path: string): CobCache {
  return {
    read: ({ type, id }) =>
      withDatabase(path, (database) => {
        // One transaction contains both reads, so that they see the same state.
        database.run("begin");
        return { form: formOf(database, path, type), text: readRow(database, type, id) };
      }),
    replace: async (object, before, text) =>
      await withDatabase(path, (database) => replaceRow(database, path, object, before, text)) ?? false,
    findBehind: async (_rid, type, entries) =>
      await withDatabase(path, (database) => {
        formOf(database, path, type);
        return [...entries].filter(([id, entry]) => !mentions(database, type, id, entry)).map(([id]) => id);
      }) ?? [],
  };
}

/**
 * Runs a step on the database, and rolls back all changes that the step does not commit. Returns `undefined`
 * when the file is absent.
 */
async function withDatabase<T>(path: string, step: (database: Database) => T): Promise<T | undefined> {
  if (!existsSync(path)) return undefined;
  const { DatabaseSync } = await loadSqlite();
  // The file is checked again after SQLite was loaded, because SQLite would create an absent file.
  if (!existsSync(path)) return undefined;
  try {
    return usedOnce(new DatabaseSync(path, { timeout: 0 }), step);
  } catch (error) {
    if (error instanceof CobCacheError) throw error;
    const obstacle = isBusy(error) ? "busy" : "broken";
    throw new CobCacheError(obstacle, `Cannot use ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the row format of a type. Throws an error when the table has other columns than expected. */
function formOf(database: Database, path: string, type: CachedType): RowForm {
  const version = database.run("pragma user_version")[0]?.["user_version"];
  const form = FORMS[Number(version)];
  if (form === undefined) {
    throw new CobCacheError("foreign", `${path} has version ${version}, which this service does not support`);
  }
  const { table, column } = TABLES[type];
  const columns = database.run("select name, type, pk from pragma_table_info(?)", table);
  const shape = columns.map(({ name, type, pk }) => `${name} ${type} ${pk}`.toLowerCase()).join(", ");
  if (shape !== `id text 1, repo text 0, ${column} text 0`) {
    throw new CobCacheError("foreign", `${path} has no table ${table} of a known form`);
  }
  return form === "0.10" && type === "xyz.radicle.patch" && hasListedReviews(database) ? "1.0" : form;
}

function hasListedReviews(database: Database): boolean {
  const newest = "select patch from patches order by rowid desc limit ?";
  return database.run(`select 1 from (${newest}) where patch glob ?`, EXAMINED_ROWS, LISTED_REVIEW).length >
    0;
}

function readRow(database: Database, type: CachedType, id: Oid): string | undefined {
  const { table, column } = TABLES[type];
  const [row] = database.run(`select ${column} as text from ${table} where id = ?`, id);
  return row && String(row["text"]);
}

function mentions(database: Database, type: CachedType, id: Oid, entry: Oid): boolean {
  const { table, column } = TABLES[type];
  return database.number(`select instr(${column}, ?) from ${table} where id = ?`, entry, id) > 0;
}

function replaceRow(
  database: Database,
  path: string,
  { rid, type, id }: CachedObject,
  before: CachedRow,
  text: string,
): boolean {
  const { table, column } = TABLES[type];
  database.run("begin immediate");
  if (formOf(database, path, type) !== before.form || readRow(database, type, id) !== before.text) {
    return false;
  }
  database.run(
    `insert into ${table} (id, repo, ${column}) values (?, ?, ?) on conflict (id) do update set ${column} = excluded.${column}`,
    id,
    rid,
    text,
  );
  database.run("commit");
  return true;
}

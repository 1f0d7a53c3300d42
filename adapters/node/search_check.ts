/**
 * Checks the tables of a search index: SQLite finds what breaks its structures, but not a letter of a text
 * that has become another one.
 */
import { createHash } from "node:crypto";
import type { Row } from "../../src/ports/node_database.ts";
import type { Database } from "./sqlite.ts";

/** Rows in memory at once. */
const ROWS_AT_ONCE = 64;

/** Numbers that follow from others; a row for each that does not. */
const CONTRADICTIONS: readonly string[] = [
  `select 1 from repository r where bytes <> (select total(bytes) from entry where repository = r.number)
    or texts <> (select count(*) from entry where repository = r.number)`,
  "select 1 from entry where repository not in (select number from repository)",
  "select 1 from found where rowid not in (select row from entry)",
];

/** All that is stored of a text. */
export interface SummedText {
  /** Number of its repository. */
  readonly repository: number;
  readonly key: string;
  readonly digest: string;
  readonly status: string;
  readonly title: string;
  readonly body: string;
}

/** A digest of all that is stored of a text. */
export function sumOf({ repository, key, digest, status, title, body }: SummedText): string {
  return createHash("sha1").update(JSON.stringify([repository, key, digest, status, title, body])).digest(
    "hex",
  );
}

/**
 * Says what is wrong with the tables; `undefined` when they are as they were written. Takes some 10 ms for
 * each MiB.
 */
export function findDamage(database: Database): string | undefined {
  const damage = database.findDamage();
  if (damage !== undefined) return damage;
  for (const sql of CONTRADICTIONS) {
    if (database.run(`${sql} limit 1`).length > 0) {
      return "Its tables contradict each other";
    }
  }
  for (let last = -1;;) {
    const rows = database.run(
      "select row, repository, key, digest, status, title, body, sum from entry left join found on found.rowid = row where row > ? order by row limit ?",
      last,
      ROWS_AT_ONCE,
    );
    for (const text of rows) {
      if (sumOf(toText(text)) !== text["sum"]) return "One of its texts is another one";
    }
    if (rows.length < ROWS_AT_ONCE) return undefined;
    last = Number(rows.at(-1)!["row"]);
  }
}

/** The text of a row of both tables. */
export function toText(row: Row): SummedText {
  const of = (name: string) => String(row[name]);
  return {
    repository: Number(row["repository"]),
    key: of("key"),
    digest: of("digest"),
    status: of("status"),
    title: of("title"),
    body: of("body"),
  };
}

/**
 * One part of a full-text index, in a file or in memory. Uses `node:sqlite` and the extension FTS5 of SQLite.
 */
import { Buffer } from "node:buffer";
import { chmodSync, closeSync, lstatSync, openSync, rmSync } from "node:fs";
import type { RepoId } from "../../src/ids/rid.ts";
import type {
  RankedText,
  ScanResult,
  SearchHit,
  SearchScan,
  SearchText,
} from "../../extensions/search/search_index.ts";
import { findDamage, sumOf, toText } from "./search_check.ts";
import { Database, isDamageCode, loadSqlite, resultCode } from "./sqlite.ts";

export interface SearchLimits {
  /** Maximum size of the file, or of the database in memory, in bytes. */
  readonly fileBytes: number;
  /** Maximum size of the texts of one repository, in bytes. */
  readonly repositoryBytes: number;
  readonly repositoryTexts: number;
}

const MIB = 2 ** 20;

/** Limits of each file of an index. An index has two files. */
export const FILE_LIMITS: SearchLimits = {
  fileBytes: 384 * MIB,
  repositoryBytes: 32 * MIB,
  repositoryTexts: 20_000,
};

/** Maximum memory of an index without files, in bytes. */
export const SEARCH_MEMORY_BYTES: number = 64 * MIB;

/** Limits of each of the two parts of an index in memory. */
export const MEMORY_LIMITS = {
  public: { fileBytes: 48 * MIB, repositoryBytes: 8 * MIB, repositoryTexts: 20_000 },
  private: { fileBytes: 16 * MIB, repositoryBytes: 4 * MIB, repositoryTexts: 20_000 },
} as const satisfies Record<string, SearchLimits>;

/** Maximum share of the file that the texts may use. FTS5 needs once or twice as much room as the texts. */
const TEXTS_SHARE = 1 / 3;
/** Maximum number of texts in one part of an index. */
export const MAX_TEXTS = 100_000;
const ROWS_PER_REMOVAL = 64;
/** Number of pages that one call of {@link SearchDatabase.tidy} merges. */
const PAGES_PER_STEP = 64;
/** Weight of a term that is found in the title. A term in the body has the weight 1. */
const TITLE_WEIGHT = 10;
/** Timeout of a wait for another process that uses the file, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;
const PAGE_BYTES = 4096;
/**
 * Version of the tables, and of the texts that `extensions/search/` makes. Raise this number when the tables
 * or the texts change. A file with another version is removed and made again.
 */
const FORMAT = 5;

const SQLITE_ERROR = 1;
const SQLITE_FULL = 13;

const SCHEMA: readonly string[] = [
  "create table repository (number integer primary key, rid text not null unique, state text not null, bytes integer not null, texts integer not null)",
  "create table entry (row integer primary key, repository integer not null, key text not null, status text not null, bytes integer not null, sum text not null, unique (repository, key))",
  "create table task (name text primary key)",
  // `prefix` adds an index of prefixes of two and three characters. Without this index, SQLite would merge
  // the positions of all terms that begin with a prefix.
  "create virtual table found using fts5 (title, body, tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3')",
  `pragma user_version = ${FORMAT}`,
];

/** Maximum number of texts that one scan reads. */
export const SCAN_TEXTS = 8192;
/**
 * Maximum size of the texts that one scan reads for a query of one term, in bytes. The last text may exceed
 * this size. Such a scan takes about 50 ms on a slow processor, and other searches wait.
 */
export const SCAN_BYTES: number = 4 * MIB;

const FOUND_IN_ROWS =
  `from found cross join entry on row = found.rowid cross join repository on number = repository
  where found match ? and found.rowid > ? and found.rowid <= ?`;
const OF_SOME = " and rid in (select value from json_each(?))";

/**
 * SQL for the BM25 rank of a text. The rank is negative, and the best text has the lowest rank. The rank is
 * rounded to six significant digits, because further digits differ between runtimes.
 */
const RANK = `cast(printf('%.5e', bm25(found, ${TITLE_WEIGHT}, 1)) as real)`;

/** The file is damaged, has another format, or belongs to another program. */
export class ForeignFileError extends Error {
  override readonly name = "ForeignFileError";
}

interface Repository {
  readonly number: number;
  readonly bytes: number;
  readonly texts: number;
}

/** One part of an index. Each call takes milliseconds, and blocks the thread. */
export class SearchDatabase {
  readonly #db: Database;
  readonly #limits: SearchLimits;

  private constructor(database: Database, limits: SearchLimits) {
    this.#db = database;
    this.#limits = limits;
  }

  /**
   * Opens and checks a file, or creates a file that only this user can read. Without a path, the database is
   * in memory.
   *
   * @throws {ForeignFileError} when the file is damaged, or has another format.
   */
  static async open(path: string | undefined, limits: SearchLimits): Promise<SearchDatabase> {
    const { DatabaseSync } = await loadSqlite();
    if (path !== undefined) {
      clearPlace(path, limits);
      // The file is created before SQLite opens it, because SQLite gives its journal the same mode.
      closeSync(openSync(path, "a", 0o600));
      chmodSync(path, 0o600);
    }
    const database = new Database(new DatabaseSync(path ?? ":memory:"), path, BUSY_TIMEOUT_MS);
    try {
      const opened = new SearchDatabase(database, limits);
      opened.#prepare();
      return opened;
    } catch (error) {
      database.close();
      // For damaged tables of FTS5, SQLite reports only the general error code.
      const isDamaged = isDamage(error) || resultCode(error) === SQLITE_ERROR;
      throw isDamaged ? new ForeignFileError("It is damaged", { cause: error }) : error;
    }
  }

  static remove(path: string): void {
    for (const end of ["-journal", "-wal", "-shm", ""]) rmSync(path + end, { force: true });
  }

  #prepare(): void {
    for (
      const pragma of [
        `page_size = ${PAGE_BYTES}`,
        `max_page_count = ${Math.floor(this.#limits.fileBytes / PAGE_BYTES)}`,
        // This setting makes SQLite overwrite removed texts on disk.
        "secure_delete = on",
        "journal_mode = delete",
        // A crash of the machine may damage the file. A damaged file is made again.
        "synchronous = off",
      ]
    ) this.#db.run(`pragma ${pragma}`);
    this.#db.transaction(() => {
      const version = this.#db.number("pragma user_version");
      const tables = this.#db.number("select count(*) as n from sqlite_schema");
      if (tables === 0) {
        for (const statement of SCHEMA) this.#db.run(statement);
      } else if (version !== FORMAT) {
        throw new ForeignFileError(`It has format ${version}, not ${FORMAT}`);
      } else {
        const damage = findDamage(this.#db);
        if (damage !== undefined) throw new ForeignFileError(damage);
      }
    });
  }

  /** Returns for each repository the state that {@link finish} saved. */
  states(): Map<RepoId, string> {
    return new Map(
      this.#db.run("select rid, state from repository").map(({ rid, state }) => [
        String(rid) as RepoId,
        String(state),
      ]),
    );
  }

  /** Adds or replaces texts. Returns the number of texts for which there was no room. */
  put(rid: RepoId, texts: readonly SearchText[]): number {
    try {
      return this.#db.transaction(() => texts.filter((text) => !this.#putOne(rid, text)).length);
    } catch (error) {
      if (resultCode(error) !== SQLITE_FULL) throw error;
      // Not all texts fit. Each text is tried separately.
      return texts.length === 1
        ? 1
        : texts.map((text) => this.put(rid, [text])).reduce((sum, left) => sum + left, 0);
    }
  }

  #putOne(rid: RepoId, { key, title, body, status }: SearchText): boolean {
    const number = this.#numberOf(rid);
    const sum = sumOf({ repository: number, key, status, title, body });
    const [known] = this.#db.run("select sum from entry where repository = ? and key = ?", number, key);
    if (known?.["sum"] === sum) return true;
    this.#db.run("update repository set state = '' where number = ?", number);
    this.#dropOne(number, key);
    const bytes = Buffer.byteLength(title) + Buffer.byteLength(body);
    if (!this.#hasRoom(rid, bytes)) return false;
    const [entry] = this.#db.run(
      "insert into entry values (null, ?, ?, ?, ?, ?) returning row",
      number,
      key,
      status,
      bytes,
      sum,
    );
    const row = Number(entry!["row"]);
    this.#db.run("insert into found (rowid, title, body) values (?, ?, ?)", row, title, body);
    this.#db.run(
      "update repository set bytes = bytes + ?, texts = texts + 1 where number = ?",
      bytes,
      number,
    );
    return true;
  }

  /**
   * If necessary, removes texts of the largest repository, but only if the repository of the new text is
   * smaller.
   */
  #hasRoom(rid: RepoId, bytes: number): boolean {
    const { repositoryBytes, repositoryTexts, fileBytes } = this.#limits;
    const own = this.#repository(rid)!;
    if (own.bytes + bytes > repositoryBytes || own.texts >= repositoryTexts) return false;
    for (;;) {
      const all = this.#db.run(
        "select total(bytes) as bytes, total(texts) as texts from repository",
      )[0]!;
      const isFull = Number(all["bytes"]) + bytes > fileBytes * TEXTS_SHARE;
      if (!isFull && Number(all["texts"]) < MAX_TEXTS) return true;
      const by = isFull ? "bytes" : "texts";
      const largest = this.#db.run(
        `select number, ${by} as size from repository order by ${by} desc limit 1`,
      )[0]!;
      if (Number(largest["size"]) <= (isFull ? own.bytes + bytes : own.texts + 1)) return false;
      const row = this.#db.run(
        "select key from entry where repository = ? order by bytes desc, key limit 1",
        Number(largest["number"]),
      )[0]!;
      this.#dropOne(Number(largest["number"]), String(row["key"]));
    }
  }

  #dropOne(number: number, key: string): void {
    const [entry] = this.#db.run(
      "select row, bytes from entry where repository = ? and key = ?",
      number,
      key,
    );
    if (entry === undefined) return;
    const row = Number(entry["row"]);
    this.#db.run("delete from found where rowid = ?", row);
    this.#db.run("delete from entry where row = ?", row);
    this.#db.run(
      "update repository set bytes = bytes - ?, texts = texts - 1 where number = ?",
      Number(entry["bytes"]),
      number,
    );
  }

  /**
   * Removes some of the texts whose keys are not among `keys`. Saves `state` when no such texts are left.
   * Returns whether more texts have to be removed.
   */
  finish(rid: RepoId, keys: readonly string[], state: string): boolean {
    return this.#db.transaction(() => {
      const number = this.#numberOf(rid);
      const gone = this.#db.run(
        "select key from entry where repository = ? and key not in (select value from json_each(?)) limit ?",
        number,
        JSON.stringify(keys),
        ROWS_PER_REMOVAL,
      );
      for (const { key } of gone) this.#dropOne(number, String(key));
      if (gone.length === ROWS_PER_REMOVAL) return true;
      this.#db.run("update repository set state = ? where number = ?", state, number);
      return false;
    });
  }

  /** Removes some texts of a repository. Returns whether more texts have to be removed. */
  remove(rid: RepoId): boolean {
    return this.#db.transaction(() => {
      const repository = this.#repository(rid);
      if (repository === undefined) return false;
      const { number } = repository;
      this.#db.run("update repository set state = '' where number = ?", number);
      this.#db.run("insert into task values ('merge') on conflict do nothing");
      const keys = this.#db.run(
        "select key from entry where repository = ? limit ?",
        number,
        ROWS_PER_REMOVAL,
      );
      for (const { key } of keys) this.#dropOne(number, String(key));
      if (keys.length === ROWS_PER_REMOVAL) return true;
      this.#db.run("delete from repository where number = ?", number);
      return false;
    });
  }

  get isEmpty(): boolean {
    return this.#db.number("select count(*) as n from repository") === 0;
  }

  /**
   * Erases the terms of removed texts. FTS5 only marks removed texts, and drops their terms when it merges
   * its segments. Therefore this method merges segments. Returns whether more segments have to be merged. The
   * option `secure-delete` of FTS5 would erase terms at once, but takes 20 ms for each text of 100 words
   * among 10,000 texts.
   */
  tidy(): boolean {
    const tasks = new Set(this.#db.run("select name from task").map(({ name }) => String(name)));
    if (!tasks.has("merge") && !tasks.has("merging")) return false;
    return this.#db.transaction(() => {
      // A negative number selects all segments for the merge.
      const pages = tasks.has("merge") ? -PAGES_PER_STEP : PAGES_PER_STEP;
      const before = this.#db.number("select total_changes() as n");
      this.#db.run("insert into found (found, rank) values ('merge', ?)", pages);
      const changes = this.#db.number("select total_changes() as n") - before;
      this.#db.run("delete from task where name = 'merge'");
      if (changes >= 2) this.#db.run("insert into task values ('merging') on conflict do nothing");
      else this.#db.run("delete from task where name = 'merging'");
      return changes >= 2;
    });
  }

  /** Searches at most {@link SCAN_TEXTS} texts, and fewer if the texts are long. */
  scan({ expression, from, rids, most }: Omit<SearchScan, "part">): Omit<ScanResult, "best"> & {
    readonly best: readonly Omit<RankedText, "part">[];
  } {
    const startedMs = performance.now();
    // A query with more terms costs more for each text, so the scan reads fewer bytes. Terms contain no
    // spaces, so " AND " separates the terms.
    const to = this.#endOfScan(from, SCAN_BYTES / expression.split(" AND ").length);
    const found = FOUND_IN_ROWS + (rids === undefined ? "" : OF_SOME);
    const values = [expression, from, to, ...rids === undefined ? [] : [JSON.stringify(rids)]];
    const counts = new Map(
      this.#db.run(`select rid, count(*) as count ${found} group by number`, ...values)
        .map(({ rid, count }) => [String(rid) as RepoId, Number(count)]),
    );
    const best = counts.size === 0 ? [] : this.#db.run(
      `select row, rid, key, ${RANK} as rank ${found} order by rank, rid, key limit ?`,
      ...values,
      most,
    ).map(({ row, rid, key, rank }) => ({
      row: Number(row),
      rid: String(rid) as RepoId,
      key: String(key),
      rank: Number(rank),
    }));
    const isLast = this.#db.number("select coalesce(max(row), 0) from entry") <= to;
    return { counts, best, next: isLast ? undefined : to, tookMs: performance.now() - startedMs };
  }

  #endOfScan(from: number, bytes: number): number {
    const [end] = this.#db.run(
      `select max(row) as row from (
        select row, sum(bytes) over (order by row) - bytes as before from entry where row > ? order by row limit ?
      ) where before < ?`,
      from,
      SCAN_TEXTS,
      bytes,
    );
    return Number(end!["row"] ?? from);
  }

  /**
   * Returns a matching text; `undefined` when the text has been removed.
   *
   * @throws {ForeignFileError} when the text is damaged.
   */
  hit({ row, rid }: RankedText): SearchHit | undefined {
    const [found] = this.#db.run(
      "select repository, key, status, title, body, sum from entry join found on found.rowid = row where row = ? and repository = (select number from repository where rid = ?)",
      row,
      rid,
    );
    if (found === undefined) return undefined;
    const text = toText(found);
    if (sumOf(text) !== found["sum"]) throw new ForeignFileError("One of its texts has changed");
    const { key, status, title, body } = text;
    return { rid, key, status, title, body };
  }

  /** Whether the path still leads to the open file. Another process may have replaced the file. */
  get isThere(): boolean {
    return this.#db.isThere;
  }

  close(): void {
    this.#db.close();
  }

  #numberOf(rid: RepoId): number {
    this.#db.run("insert into repository values (null, ?, '', 0, 0) on conflict do nothing", rid);
    return this.#repository(rid)!.number;
  }

  #repository(rid: RepoId): Repository | undefined {
    const [row] = this.#db.run("select number, bytes, texts from repository where rid = ?", rid);
    return row && {
      number: Number(row["number"]),
      bytes: Number(row["bytes"]),
      texts: Number(row["texts"]),
    };
  }
}

/**
 * Removes a link or a pipe at the path of the file. Through a link, the index would change another file.
 * Opening a pipe would not end. A folder is not removed, so opening the file fails later.
 *
 * @throws {ForeignFileError} when the file is longer than a file of this index can be.
 */
function clearPlace(path: string, { fileBytes }: SearchLimits): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  if (!found.isFile()) rmSync(path);
  else if (found.size > fileBytes) throw new ForeignFileError(`It has ${found.size} bytes`);
}

/** Checks whether an error means that a file is damaged, or is not a database of this format. */
export function isDamage(error: unknown): boolean {
  return error instanceof ForeignFileError || isDamageCode(error) ||
    error instanceof Error && /^no such (table|column)|malformed|not a database/.test(error.message);
}

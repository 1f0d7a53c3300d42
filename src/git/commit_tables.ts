/** The tables of a commit graph: commits, their authors, the paths that they change, and missing parents. */
import type { HistoryColumns } from "../ports/made_history.ts";
import { ChangedPaths } from "./changed_paths.ts";
import { CommitColumns, NO_AUTHOR } from "./commit_columns.ts";
import { OidTable } from "./oid_table.ts";
import { sha1 } from "@noble/hashes/legacy.js";
import { readPerson } from "./commit.ts";
import type { Task } from "../scheduling/task.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";

/** The tables of one repository's commits. Rows are only added, never removed. */
export interface CommitTables {
  readonly commits: CommitColumns;
  readonly authors: AuthorTable;
  /** Changed paths of the commits. */
  readonly paths: ChangedPaths;
  /**
   * Missing parents, each with the indexes that refer to it: at most {@link MAX_MISSING_PARENTS} indexes in
   * total.
   */
  readonly missing: Map<Oid, ParentPlaces>;
}

/** Indexes in the column of parents that refer to the same parent. */
export type ParentPlaces = number[];

/**
 * Maximum number of indexes that are stored for the missing parents of a repository. An undamaged repository
 * has no missing parents. Beyond the limit, missing parents are never looked up again.
 */
export const MAX_MISSING_PARENTS = 65_536;
/** Approximate memory of a missing parent to which one index refers, in bytes. */
export const MISSING_PARENT_BYTES = 200;

export function emptyTables(): CommitTables {
  return {
    commits: new CommitColumns(),
    authors: new AuthorTable(),
    paths: new ChangedPaths(),
    missing: new Map(),
  };
}

/**
 * Returns the columns of tables without missing parents. The caller must copy them before the tables change.
 */
export function columnsOf({ commits, authors, paths }: CommitTables): HistoryColumns {
  return { ...commits.save(), ...paths.save(commits.size), authorHashes: authors.hashes.bytes };
}

/**
 * Adds the rows of columns. Parents must be row numbers of `tables`. The rows of parents may be added in a
 * later call. The arrays in `columns` must not be used afterwards.
 *
 * @throws {DamagedError} when a commit occurs twice.
 */
export async function addColumns(
  { commits, authors, paths }: CommitTables,
  columns: HistoryColumns,
  task: Task,
): Promise<void> {
  const start = commits.size;
  const people = await addAuthors(authors, columns.authorHashes, task);
  const numberOf = (author: number) => people[author] ?? NO_AUTHOR;
  await commits.append({ ...columns, authors: columns.authors.map(numberOf) }, task);
  paths.append(start, columns);
}

/**
 * Adds authors by their hashes. Returns the numbers of the authors in the table, in the order of the hashes.
 */
export async function addAuthors(
  { hashes }: AuthorTable,
  authorHashes: Uint8Array,
  task: Task,
): Promise<readonly number[]> {
  const people: number[] = [];
  for (let at = 0; at < authorHashes.length; at += OID_BYTES) {
    people.push(hashes.add(authorHashes.subarray(at, at + OID_BYTES)));
    if (people.length % IDS_AT_ONCE === 0) await task.yield();
  }
  return people;
}

/**
 * Returns the columns of some rows, whose parents must all exist.
 *
 * @param rows The rows, in the order of the result.
 * @param numberOf For each row of the tables, the number that represents the row as a parent in the result.
 */
export async function selectColumns(
  { commits, authors, paths }: CommitTables,
  rows: Uint32Array,
  numberOf: Uint32Array,
  task: Task,
): Promise<HistoryColumns> {
  const all = commits.save();
  const count = rows.length;
  const columns = {
    times: new Float64Array(count),
    authors: new Uint32Array(count),
    parentEnds: new Uint32Array(count),
    pathEnds: new Uint32Array(count),
    oids: new Uint8Array(count * OID_BYTES),
    trees: new Uint8Array(count * OID_BYTES),
    listings: new Uint8Array(count),
  };
  const [parents, hashes, people]: [number[], number[], number[]] = [[], [], []];
  const numbers = new Map<number, number>();
  for (let i = 0; i < count; i++) {
    const row = rows[i]!;
    if (i % IDS_AT_ONCE === 0) await task.yield();
    columns.times[i] = commits.timeOf(row);
    for (let byte = 0; byte < OID_BYTES; byte++) {
      columns.oids[i * OID_BYTES + byte] = all.oids[row * OID_BYTES + byte]!;
      columns.trees[i * OID_BYTES + byte] = all.trees[row * OID_BYTES + byte]!;
    }
    const author = commits.authorOf(row);
    let number = numbers.get(author);
    if (number === undefined) numbers.set(author, number = people.push(author) - 1);
    columns.authors[i] = number;
    for (let n = 0; n < commits.parentCount(row); n++) parents.push(numberOf[commits.parentOf(row, n)]!);
    columns.parentEnds[i] = parents.length;
    columns.listings[i] = paths.listingOf(row);
    for (const hash of paths.hashesOf(row)) hashes.push(hash);
    columns.pathEnds[i] = hashes.length;
  }
  const authorHashes = new Uint8Array(people.length * OID_BYTES);
  for (const [i, author] of people.entries()) {
    authorHashes.set(
      authors.hashes.bytes.subarray(author * OID_BYTES, (author + 1) * OID_BYTES),
      i * OID_BYTES,
    );
  }
  return {
    ...columns,
    parents: Uint32Array.from(parents),
    hashes: Uint32Array.from(hashes),
    authorHashes,
  };
}

/** Number of authors or rows that are processed in one step, which takes less than a millisecond. */
const IDS_AT_ONCE = 1024;
/** Maximum length of a cached author line, in characters. */
const SHORT_LINE = 256;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Maximum number of cached author lines. */
const MAX_AUTHOR_LINES = 4096;
/** Approximate memory of a cached author line, in bytes. */
const AUTHOR_LINE_BYTES = 200;

/**
 * Numbers authors in the order in which they are found. Authors with the same displayed name and address
 * count as one author (specification, 2.5).
 */
export class AuthorTable {
  /** Hashes of names and addresses, by author number. */
  readonly hashes: OidTable = new OidTable();
  readonly #byLine = new Map<string, number>();

  /** Approximate memory of the table, in bytes. */
  get memoryBytes(): number {
    return this.hashes.memoryBytes + AUTHOR_LINE_BYTES * this.#byLine.size;
  }

  /** Returns the number of the author in the author line of a commit. */
  numberOf(line: string): number {
    const cached = line.length <= SHORT_LINE ? this.#byLine.get(line) : undefined;
    if (cached !== undefined) return cached;
    const { name, email } = readPerson(line);
    const number = this.hashes.add(sha1(encoder.encode(`${name} <${email}>`)));
    if (line.length <= SHORT_LINE) {
      if (this.#byLine.size >= MAX_AUTHOR_LINES) this.#byLine.clear();
      this.#byLine.set(ownText(line), number);
    }
    return number;
  }
}

/** Copies a text, because a substring would keep the whole longer text in memory. */
function ownText(text: string): string {
  return decoder.decode(encoder.encode(text));
}

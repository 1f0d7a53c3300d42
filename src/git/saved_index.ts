/**
 * The file format of a saved commit graph: a header, the columns in the format that they have in memory, and
 * a checksum. If any check of a file fails, the file is ignored and the graph is built again. A valid file
 * never becomes outdated, because commits never change.
 */
import { ifReadable } from "../errors.ts";
import { OID_BYTES } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import { Listing } from "./changed_paths.ts";
import type { Task } from "../scheduling/task.ts";
import { addColumns, columnsOf, type CommitTables, emptyTables } from "./commit_tables.ts";

/** Version of the format. Increase it when the meaning of any byte changes. */
export const SAVED_VERSION = 3;

/** Maximum size of a saved index, in bytes: enough for some 400,000 commits. */
export const MAX_SAVED_BYTES = 2 ** 25;

/** The first bytes of a saved index: "xylemidx". */
const MAGIC = [0x78, 0x79, 0x6c, 0x65, 0x6d, 0x69, 0x64, 0x78];
/** A number whose value changes when it is read in another byte order. */
const BYTE_ORDER = 0x01020304;
const CHECKSUM_BYTES = 32;
/**
 * Number of 32-bit numbers after the magic: version, byte order, length of an object id, number of commits,
 * of parents, of hashes and of authors, a zero, and the length of the text in bytes. The tenth number is
 * unused.
 */
const HEADER_NUMBERS = 10;
const HEADER_BYTES = MAGIC.length + HEADER_NUMBERS * 4;
/** Size of a commit without its parents and paths, in bytes. */
const ROW_BYTES = 8 + 3 * 4 + 2 * OID_BYTES + 1;
/** Number of column values that are checked in one step, which takes a fraction of a millisecond. */
const NUMBERS_AT_ONCE = 2 ** 14;

const COLUMN_NAMES = [
  "times",
  "authors",
  "parentEnds",
  "parents",
  "pathEnds",
  "hashes",
  "oids",
  "trees",
  "authorHashes",
  "listings",
] as const satisfies readonly (keyof HistoryColumns)[];

/**
 * Views of the columns in the bytes. Columns with the widest numbers come first, so that each column is
 * aligned.
 */
interface Layout extends HistoryColumns {
  /** The repository's id in UTF-8. */
  readonly text: Uint8Array;
  readonly checksum: Uint8Array<ArrayBuffer>;
}

/** Numbers from which the lengths of all columns follow. */
interface Sizes {
  readonly rows: number;
  readonly parents: number;
  readonly hashes: number;
  readonly people: number;
  readonly text: number;
}

/**
 * Encodes the tables of a commit graph. Returns `undefined` when the result would be too large to be saved.
 */
export async function encodeIndex(rid: RepoId, tables: CommitTables): Promise<Uint8Array | undefined> {
  if (tables.commits.size * ROW_BYTES > MAX_SAVED_BYTES) return undefined;
  return await encodeColumns(rid, columnsOf(tables));
}

/** Encodes columns. Returns `undefined` when the result would be too large to be saved. */
export async function encodeColumns(
  rid: RepoId,
  columns: HistoryColumns,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const text = new TextEncoder().encode(rid);
  const sizes = {
    rows: columns.times.length,
    parents: columns.parents.length,
    hashes: columns.hashes.length,
    people: columns.authorHashes.length / OID_BYTES,
    text: text.length,
  };
  if (byteLength(sizes) > MAX_SAVED_BYTES) return undefined;
  const bytes = new Uint8Array(byteLength(sizes));
  bytes.set(MAGIC);
  const { rows, parents, hashes, people } = sizes;
  new Uint32Array(bytes.buffer, MAGIC.length, HEADER_NUMBERS - 1).set(
    [SAVED_VERSION, BYTE_ORDER, OID_BYTES, rows, parents, hashes, people, 0, text.length],
  );
  const layout = layOut(bytes, sizes);
  for (const name of COLUMN_NAMES) layout[name].set(columns[name]);
  layout.text.set(text);
  layout.checksum.set(await checksumOf(bytes));
  return bytes;
}

/**
 * Decodes the tables of a commit graph. Returns `undefined` when the bytes are not a complete index of this
 * repository, in this version and byte order.
 */
export async function decodeIndex(
  rid: RepoId,
  bytes: Uint8Array,
  task: Task,
): Promise<CommitTables | undefined> {
  const columns = await decodeColumns(rid, bytes, task);
  if (columns === undefined) return undefined;
  const tables = emptyTables();
  return await ifReadable(() => addColumns(tables, columns, task).then(() => tables));
}

/** Decodes columns. Returns `undefined` in the same cases as {@link decodeIndex}. */
export async function decodeColumns(
  rid: RepoId,
  bytes: Uint8Array,
  task: Task,
): Promise<HistoryColumns | undefined> {
  // The bytes are copied if the columns would not be aligned otherwise.
  const own = bytes.byteOffset % 8 === 0 && bytes.buffer instanceof ArrayBuffer
    ? bytes as Uint8Array<ArrayBuffer>
    : bytes.slice();
  const sizes = readHeader(own);
  if (sizes === undefined) return undefined;
  const layout = layOut(own, sizes);
  const checksum = await checksumOf(own);
  if (!checksum.every((byte, i) => byte === layout.checksum[i])) return undefined;
  const isOfRepository = new TextDecoder().decode(layout.text) === rid;
  return isOfRepository && await isCoherent(layout, sizes, task) ? layout : undefined;
}

function readHeader(bytes: Uint8Array<ArrayBuffer>): Sizes | undefined {
  if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES || bytes.length > MAX_SAVED_BYTES) return undefined;
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) return undefined;
  const [version, byteOrder, oidBytes, rows, parents, hashes, people, zero, text] = [
    ...new Uint32Array(bytes.buffer, bytes.byteOffset + MAGIC.length, HEADER_NUMBERS - 1),
  ] as [number, number, number, number, number, number, number, number, number];
  if (version !== SAVED_VERSION || byteOrder !== BYTE_ORDER || oidBytes !== OID_BYTES) return undefined;
  if (zero !== 0) return undefined;
  const sizes = { rows, parents, hashes, people, text };
  return byteLength(sizes) === bytes.length ? sizes : undefined;
}

function byteLength({ rows, parents, hashes, people, text }: Sizes): number {
  return HEADER_BYTES + rows * ROW_BYTES + 4 * (parents + hashes) + people * OID_BYTES + text +
    CHECKSUM_BYTES;
}

function layOut(
  bytes: Uint8Array<ArrayBuffer>,
  { rows, parents, hashes, people, text }: Sizes,
): Layout {
  let at = bytes.byteOffset + HEADER_BYTES;
  const take = (length: number) => (at += length) - length;
  const numbers = (count: number) => new Uint32Array(bytes.buffer, take(4 * count), count);
  const octets = (count: number) => new Uint8Array(bytes.buffer, take(count), count);
  return {
    times: new Float64Array(bytes.buffer, take(8 * rows), rows),
    authors: numbers(rows),
    parentEnds: numbers(rows),
    parents: numbers(parents),
    pathEnds: numbers(rows),
    hashes: numbers(hashes),
    oids: octets(rows * OID_BYTES),
    trees: octets(rows * OID_BYTES),
    authorHashes: octets(people * OID_BYTES),
    listings: octets(rows),
    text: octets(text),
    checksum: octets(CHECKSUM_BYTES),
  };
}

async function checksumOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.digest("SHA-256", bytes.subarray(0, bytes.length - CHECKSUM_BYTES)),
  );
}

/** Checks whether all ends, rows of parents, authors and listings in the columns are valid. */
async function isCoherent(
  layout: Layout,
  { rows, parents, hashes, people }: Sizes,
  task: Task,
): Promise<boolean> {
  return await areEnds(layout.parentEnds, parents, task) && await areEnds(layout.pathEnds, hashes, task) &&
    await areAll(layout.parents, (row) => row < rows, task) &&
    await areAll(layout.authors, (author) => author < people, task) &&
    await areAll(layout.listings, (listing) => listing <= Listing.without, task);
}

/** Checks whether the ends split `length` items into consecutive parts. */
async function areEnds(ends: Uint32Array, length: number, task: Task): Promise<boolean> {
  for (let at = 0; at < ends.length; at += NUMBERS_AT_ONCE) {
    const part = ends.subarray(at, at + NUMBERS_AT_ONCE);
    if (part.some((end, i) => end < (i === 0 ? at === 0 ? 0 : ends[at - 1]! : part[i - 1]!))) return false;
    await task.yield();
  }
  return length === (ends.at(-1) ?? 0);
}

async function areAll(
  numbers: Uint32Array | Uint8Array,
  isRight: (number: number) => boolean,
  task: Task,
): Promise<boolean> {
  for (let at = 0; at < numbers.length; at += NUMBERS_AT_ONCE) {
    if (!numbers.subarray(at, at + NUMBERS_AT_ONCE).every(isRight)) return false;
    await task.yield();
  }
  return true;
}

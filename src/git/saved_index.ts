/**
 * An index of commits as bytes, for a later process: columns as they are in memory, between a header and a checksum. What does not fit in any
 * way is no index, and gets built anew; what fits is right for ever, since commits never change.
 */
import { DamagedError } from "../errors.ts";
import { OID_BYTES } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import { ChangedPaths, Listing } from "./changed_paths.ts";
import { CommitColumns, State } from "./commit_columns.ts";
import type { EarlierIndex } from "./commit_index.ts";

/** Changes with the meaning of any byte. */
export const SAVED_VERSION = 1;

/** Larger indexes are not kept, in bytes: some three million commits. */
export const MAX_SAVED_BYTES = 2 ** 28;

/** "xylemidx". */
const MAGIC = [0x78, 0x79, 0x6c, 0x65, 0x6d, 0x69, 0x64, 0x78];
/** Reads differently on machines that write their numbers the other way round. */
const BYTE_ORDER = 0x01020304;
const CHECKSUM_BYTES = 32;
/** The magic; then as numbers: version, byte order, length of an object id, commits, parents, hashes, bytes of text; one unused. */
const HEADER_BYTES = MAGIC.length + 8 * 4;

/** Where the columns are in the bytes: those with the widest numbers first, so that each is aligned. */
interface Layout {
  readonly times: Float64Array;
  readonly authors: Uint32Array;
  readonly parentEnds: Uint32Array;
  readonly parents: Uint32Array;
  readonly pathEnds: Uint32Array;
  readonly hashes: Uint32Array;
  readonly oids: Uint8Array;
  readonly trees: Uint8Array;
  readonly states: Uint8Array;
  readonly listings: Uint8Array;
  /** UTF-8: the repository's id and all authors, a line each. */
  readonly text: Uint8Array;
  readonly checksum: Uint8Array<ArrayBuffer>;
}

/** Lengths that all others follow from. */
interface Sizes {
  readonly rows: number;
  readonly parents: number;
  readonly hashes: number;
  readonly text: number;
}

/** An index as bytes; `undefined` when it is too large to be kept. */
export async function encodeIndex(
  rid: RepoId,
  { commits, authors, paths }: EarlierIndex,
): Promise<Uint8Array | undefined> {
  const columns = commits.save();
  const lists = paths.save(commits.size);
  const text = new TextEncoder().encode([rid, ...authors].join("\n"));
  const sizes = {
    rows: commits.size,
    parents: columns.parents.length,
    hashes: lists.hashes.length,
    text: text.length,
  };
  if (byteLength(sizes) > MAX_SAVED_BYTES) return undefined;
  const bytes = new Uint8Array(byteLength(sizes));
  bytes.set(MAGIC);
  const { rows, parents, hashes } = sizes;
  new Uint32Array(bytes.buffer, MAGIC.length, 7).set(
    [SAVED_VERSION, BYTE_ORDER, OID_BYTES, rows, parents, hashes, text.length],
  );
  const layout = layOut(bytes, sizes);
  layout.times.set(columns.times);
  layout.authors.set(columns.authors);
  layout.parentEnds.set(columns.parentEnds);
  layout.parents.set(columns.parents);
  layout.pathEnds.set(lists.ends);
  layout.hashes.set(lists.hashes);
  layout.oids.set(columns.oids);
  layout.trees.set(columns.trees);
  layout.states.set(
    columns.states.map((state) =>
      state === State.read || state === State.saved ? State.saved : State.unreadable
    ),
  );
  layout.listings.set(lists.listings);
  layout.text.set(text);
  layout.checksum.set(await checksumOf(bytes));
  return bytes;
}

/** The index that bytes hold; `undefined` when they are not an index of this repository, version and machine, or not a whole one. */
export async function decodeIndex(rid: RepoId, bytes: Uint8Array): Promise<EarlierIndex | undefined> {
  // A buffer of its own, so that columns are aligned.
  const own = bytes.byteOffset % 8 === 0 && bytes.buffer instanceof ArrayBuffer
    ? bytes as Uint8Array<ArrayBuffer>
    : bytes.slice();
  const sizes = readHeader(own);
  if (sizes === undefined) return undefined;
  const layout = layOut(own, sizes);
  const checksum = await checksumOf(own);
  if (!checksum.every((byte, i) => byte === layout.checksum[i])) return undefined;
  const [owner, ...authors] = new TextDecoder("utf-8", { ignoreBOM: true }).decode(layout.text).split("\n");
  if (owner !== rid || !isCoherent(layout, sizes, authors.length)) return undefined;
  try {
    return {
      commits: CommitColumns.from(layout),
      authors,
      paths: ChangedPaths.from({ listings: layout.listings, hashes: layout.hashes, ends: layout.pathEnds }),
    };
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

function readHeader(bytes: Uint8Array<ArrayBuffer>): Sizes | undefined {
  if (bytes.length < HEADER_BYTES + CHECKSUM_BYTES || bytes.length > MAX_SAVED_BYTES) return undefined;
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) return undefined;
  const [version, byteOrder, oidBytes, rows, parents, hashes, text] = [
    ...new Uint32Array(bytes.buffer, bytes.byteOffset + MAGIC.length, 7),
  ] as [number, number, number, number, number, number, number];
  if (version !== SAVED_VERSION || byteOrder !== BYTE_ORDER || oidBytes !== OID_BYTES) return undefined;
  const sizes = { rows, parents, hashes, text };
  return byteLength(sizes) === bytes.length ? sizes : undefined;
}

function byteLength({ rows, parents, hashes, text }: Sizes): number {
  return HEADER_BYTES + rows * (8 + 3 * 4 + 2 * OID_BYTES + 2) + 4 * (parents + hashes) + text +
    CHECKSUM_BYTES;
}

function layOut(bytes: Uint8Array<ArrayBuffer>, { rows, parents, hashes, text }: Sizes): Layout {
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
    states: octets(rows),
    listings: octets(rows),
    text: octets(text),
    checksum: octets(CHECKSUM_BYTES),
  };
}

/** SHA-256 of all before the checksum. */
async function checksumOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(
    await crypto.subtle.digest("SHA-256", bytes.subarray(0, bytes.length - CHECKSUM_BYTES)),
  );
}

/** Whether every number leads to something that is there. */
function isCoherent(layout: Layout, { rows, parents, hashes }: Sizes, authors: number): boolean {
  return areEnds(layout.parentEnds, parents) && areEnds(layout.pathEnds, hashes) &&
    layout.parents.every((row) => row < rows) && layout.authors.every((author) => author < authors) &&
    layout.states.every((state) => state === State.saved || state === State.unreadable) &&
    layout.listings.every((listing) => listing <= Listing.without);
}

/** Whether these cut a list of `length` into parts, one after the other. */
function areEnds(ends: Uint32Array, length: number): boolean {
  let last = 0;
  for (const end of ends) {
    if (end < last) return false;
    last = end;
  }
  return last === length;
}

/**
 * Reads git's commit-graph file (gitformat-commit-graph), which contains commits in the order of their ids,
 * with their trees, times and parents. A graph has a single file, or a chain of files in which each file
 * refers to the commits of the earlier files. The files are read by ranges of bytes. The result is the
 * columns of a history without authors.
 *
 * A graph that differs from the format that git writes is refused. This ensures that all parents exist, and
 * that no commit is its own ancestor. Whether the parents agree with the commit objects is not checked.
 */
import { sha1 } from "@noble/hashes/legacy.js";
import { isSameBytes, viewOf } from "../bytes/bytes.ts";
import { DamagedError, TooLargeError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../ids/oid.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import type { Awaitable } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { NO_AUTHOR } from "./commit_columns.ts";
import { OidTable } from "./oid_table.ts";

/**
 * Maximum total size of the files of a graph, in bytes. Most of these bytes are filters for paths, which are
 * not used.
 */
export const MAX_GRAPH_BYTES = 2 ** 28;
/**
 * Maximum size of a file that is read into memory as a whole, in bytes. A file of this size has some 130,000
 * commits. The limit is low because the SHA-1 of the system first copies all bytes in one step, which takes
 * milliseconds.
 */
const WHOLE_GRAPH_BYTES = 2 ** 23;
/**
 * Maximum number of files of a graph. Git merges files, so a chain written by git has less than twenty files.
 */
export const MAX_GRAPH_FILES = 64;
/**
 * Maximum number of edges of a graph. If a commit has more than two parents, its second and further parents
 * are stored as edges. Real histories have some thousands of edges.
 */
export const MAX_EDGES = 2 ** 22;

/** Number of bytes that are read and checked in one step, which takes less than a millisecond. */
const STEP_BYTES = 2 ** 16;
/** Number of rows that are processed in one step. */
const ROWS_AT_ONCE = 4096;

export const HEADER_BYTES = 8;
/** The first bytes of a file: "CGPH", 1 for the version, and 1 for ids that are SHA-1 hashes. */
export const HEADER_START: readonly number[] = [0x43, 0x47, 0x50, 0x48, 1, 1];
/** Length of an entry in the table of chunks, in bytes. An entry has the id and the offset of a chunk. */
export const CHUNK_ENTRY_BYTES = 12;
export const FANOUT_BYTES: number = 256 * 4;
/** Length of a commit in the chunk of commits, in bytes: its tree, two parents, level and time. */
export const COMMIT_BYTES: number = OID_BYTES + 16;
export const EDGE_BYTES = 4;

/** Ids of the chunks that are read: "OIDF", "OIDL", "CDAT", "EDGE", "BASE". Other chunks are ignored. */
export const Chunk = {
  fanout: 0x4f494446,
  oids: 0x4f49444c,
  commits: 0x43444154,
  edges: 0x45444745,
  base: 0x42415345,
} as const;

/** Stored instead of the position of a parent, if the commit has no such parent. */
export const NO_PARENT = 0x7000_0000;
/**
 * The highest bit of a stored number. In the second parent of a commit, the bit marks the number as the index
 * of an edge. In an edge, the bit marks the last parent of the commit.
 */
export const MARK = 0x8000_0000;
/**
 * Upper bound of an accepted time, exclusive, in seconds since the Unix epoch. Git stores 0 for a time that
 * it cannot read, and a number of at least this bound for a negative time. A graph with such a time is
 * refused, because it differs from the time in the commit.
 */
export const TIME_LIMIT_SECONDS: number = 2 ** 33;

/** A file of a commit graph. */
export interface GraphFile {
  /** Length in bytes. */
  readonly size: number;
  /** The checksum in the name of the file; `undefined` for a graph with a single file. */
  readonly name?: Oid;
  /** Fills `into` with the bytes from `position` on. Returns the number of bytes read. */
  read(into: Uint8Array, position: number): Awaitable<number>;
}

/**
 * Reads a commit graph.
 *
 * @param files The files of the graph, the oldest file first.
 * @param maxCommits Maximum number of commits in all files.
 * @throws {TooLargeError} when the graph exceeds a limit.
 * @throws {DamagedError} when the graph differs from the format that git writes.
 */
export async function readCommitGraph(
  files: readonly GraphFile[],
  maxCommits: number,
  task: Task,
): Promise<HistoryColumns> {
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (files.length > MAX_GRAPH_FILES || size > MAX_GRAPH_BYTES) {
    throw new TooLargeError(`A commit graph has ${files.length} files and ${size} bytes`);
  }
  const layers: Layer[] = [];
  let commits = 0;
  let edges = 0;
  for (const file of files) {
    const layer = await openLayer(file, layers.map(({ file }) => file.name), commits);
    layers.push(layer);
    commits += layer.commits;
    edges += layer.edges;
  }
  if (commits > maxCommits || edges > MAX_EDGES) {
    throw new TooLargeError(`A commit graph has ${commits} commits and ${edges} further parents`);
  }
  const columns = new GraphColumns(commits, edges);
  for (const layer of layers) await readLayer(await checkedLayer(layer, task), columns, task);
  if (layers.length > 1) await new OidTable().append(columns.oids, task);
  return columns.finish();
}

interface Range {
  readonly at: number;
  readonly length: number;
}

/** A file whose header and chunk sizes have been checked. */
interface Layer {
  readonly file: GraphFile;
  readonly chunks: ReadonlyMap<number, Range>;
  readonly before: number;
  readonly commits: number;
  readonly edges: number;
  readonly fanout: DataView;
}

/**
 * Reads the start of a file, and checks its header and the sizes of its chunks.
 *
 * @param earlier Names of the earlier files of the chain.
 * @param before Number of commits in the earlier files.
 */
async function openLayer(
  file: GraphFile,
  earlier: readonly (Oid | undefined)[],
  before: number,
): Promise<Layer> {
  if (file.size < HEADER_BYTES + CHUNK_ENTRY_BYTES + OID_BYTES) damaged("is truncated");
  const header = await bytesOf(file, 0, HEADER_BYTES);
  if (HEADER_START.some((byte, i) => header[i] !== byte)) damaged("has an unknown version or hash");
  const [chunkCount, baseCount] = [header[6]!, header[7]!];
  if (baseCount !== earlier.length) damaged(`has ${baseCount} earlier files, not ${earlier.length}`);
  const chunks = await readChunkTable(file, chunkCount);
  const lengthOf = (id: number) => chunks.get(id)?.length ?? 0;
  if (lengthOf(Chunk.fanout) !== FANOUT_BYTES) damaged("has no table of sums");
  const { at } = chunks.get(Chunk.fanout)!;
  const fanout = viewOf(await bytesOf(file, at, FANOUT_BYTES));
  for (let i = 1; i < 256; i++) {
    if (fanout.getUint32(4 * i) < fanout.getUint32(4 * (i - 1))) damaged("has sums that decrease");
  }
  const commits = fanout.getUint32(FANOUT_BYTES - 4);
  const edges = lengthOf(Chunk.edges) / EDGE_BYTES;
  if (lengthOf(Chunk.oids) !== commits * OID_BYTES || lengthOf(Chunk.commits) !== commits * COMMIT_BYTES) {
    damaged("has tables of another length than its number of commits");
  }
  if (!Number.isInteger(edges) || lengthOf(Chunk.base) !== baseCount * OID_BYTES) {
    damaged("has a table of a wrong length");
  }
  const layer = { file, chunks, before, commits, edges, fanout };
  const base = await chunkBytes(layer, Chunk.base);
  if (earlier.some((name, i) => name !== oidFromBytes(base, i * OID_BYTES))) {
    damaged("has other earlier files");
  }
  return layer;
}

/**
 * Reads the table of chunks. Checks that the chunks begin after the table and fill the file up to its
 * checksum.
 */
async function readChunkTable(file: GraphFile, count: number): Promise<Map<number, Range>> {
  const tableBytes = (count + 1) * CHUNK_ENTRY_BYTES;
  const end = file.size - OID_BYTES;
  if (HEADER_BYTES + tableBytes > end) damaged("is truncated");
  const table = viewOf(await bytesOf(file, HEADER_BYTES, tableBytes));
  const idOf = (i: number) => table.getUint32(i * CHUNK_ENTRY_BYTES);
  const positionOf = (i: number) =>
    table.getUint32(i * CHUNK_ENTRY_BYTES + 4) * 2 ** 32 + table.getUint32(i * CHUNK_ENTRY_BYTES + 8);
  const chunks = new Map<number, Range>();
  if (idOf(count) !== 0 || positionOf(count) !== end) damaged("has chunks that do not fill it");
  if (count > 0 && positionOf(0) !== HEADER_BYTES + tableBytes) damaged("has chunks that do not fill it");
  for (let i = 0; i < count; i++) {
    const [id, at] = [idOf(i), positionOf(i)];
    const length = positionOf(i + 1) - at;
    if (length < 0 || at > end || id === 0 || chunks.has(id)) damaged("has a wrong table of chunks");
    chunks.set(id, { at, length });
  }
  return chunks;
}

/**
 * Verifies the checksum at the end of a file. If the file has at most {@link WHOLE_GRAPH_BYTES}, the result
 * has its content in memory. A larger file is read a second time, in parts.
 */
async function checkedLayer(layer: Layer, task: Task): Promise<Layer> {
  const { file } = layer;
  const contentBytes = file.size - OID_BYTES;
  const whole = file.size <= WHOLE_GRAPH_BYTES ? new Uint8Array(file.size) : undefined;
  const hash = sha1.create();
  for (let at = 0; at < contentBytes; at += STEP_BYTES) {
    const part = await bytesOf(file, at, Math.min(STEP_BYTES, contentBytes - at));
    if (whole === undefined) hash.update(part);
    else whole.set(part, at);
    await task.yield();
  }
  const checksum = await bytesOf(file, contentBytes, OID_BYTES);
  const expected = whole === undefined
    ? hash.digest()
    : new Uint8Array(await crypto.subtle.digest("SHA-1", whole.subarray(0, contentBytes)));
  if (!isSameBytes(checksum, expected)) damaged("does not have its checksum");
  if (file.name !== undefined && file.name !== oidFromBytes(checksum)) {
    damaged("has another checksum than name");
  }
  return whole === undefined ? layer : { ...layer, file: graphInMemory(whole) };
}

/** Returns a file of a graph that is in memory. */
export function graphInMemory(whole: Uint8Array): GraphFile {
  const read = (into: Uint8Array, position: number) => {
    const part = whole.subarray(position, position + into.length);
    into.set(part);
    return part.length;
  };
  return { size: whole.length, read };
}

async function readLayer(layer: Layer, columns: GraphColumns, task: Task): Promise<void> {
  await columns.readOids(layer, task);
  await columns.readCommits(layer, viewOf(await chunkBytes(layer, Chunk.edges)), task);
  await columns.checkLevels(layer, task);
}

/** The columns of a graph. The row of a commit is its position in the graph. */
class GraphColumns {
  readonly oids: Uint8Array<ArrayBuffer>;
  readonly #times: Float64Array;
  readonly #trees: Uint8Array;
  readonly #parentEnds: Uint32Array;
  readonly #parents: Uint32Array;
  /**
   * Level of each commit according to the file: the length of the longest path to a commit without parents.
   */
  readonly #levels: Uint32Array;
  #parentCount = 0;

  /** @param edges Number of edges in all files, see {@link MAX_EDGES}. */
  constructor(commits: number, edges: number) {
    this.oids = new Uint8Array(commits * OID_BYTES);
    this.#times = new Float64Array(commits);
    this.#trees = new Uint8Array(commits * OID_BYTES);
    this.#parentEnds = new Uint32Array(commits);
    this.#parents = new Uint32Array(2 * commits + edges);
    this.#levels = new Uint32Array(commits);
  }

  /**
   * Reads the ids of a file. Checks that the ids are in ascending order, and that the fanout chunk contains
   * for each byte the number of ids whose first byte is at most this byte.
   */
  async readOids(layer: Layer, task: Task): Promise<void> {
    const { before, fanout } = layer;
    for await (const { bytes, first, count } of records(layer, Chunk.oids, OID_BYTES, task)) {
      this.oids.set(bytes, (before + first) * OID_BYTES);
      for (let i = first; i < first + count; i++) {
        const byte = this.oids[(before + i) * OID_BYTES]!;
        const sum = byte === 0 ? 0 : fanout.getUint32(4 * (byte - 1));
        if (i < sum || i >= fanout.getUint32(4 * byte)) damaged("has sums of other ids");
        if (i > 0 && !this.#isAfterLast(before + i)) damaged("has ids that are not in order");
      }
    }
  }

  #isAfterLast(row: number): boolean {
    for (let at = row * OID_BYTES, end = at + OID_BYTES; at < end; at++) {
      const difference = this.oids[at]! - this.oids[at - OID_BYTES]!;
      if (difference !== 0) return difference > 0;
    }
    return false;
  }

  async readCommits(layer: Layer, edges: DataView, task: Task): Promise<void> {
    const { before, commits } = layer;
    for await (const { bytes, first, count } of records(layer, Chunk.commits, COMMIT_BYTES, task)) {
      const view = viewOf(bytes);
      for (let i = 0; i < count; i++) {
        const row = before + first + i;
        const at = i * COMMIT_BYTES;
        for (let byte = 0; byte < OID_BYTES; byte++) this.#trees[row * OID_BYTES + byte] = bytes[at + byte]!;
        const levelAndTime = view.getUint32(at + OID_BYTES + 8);
        const time = levelAndTime % 4 * 2 ** 32 + view.getUint32(at + OID_BYTES + 12);
        if (time === 0 || time >= TIME_LIMIT_SECONDS) {
          damaged("has a time that git may not have read rightly");
        }
        this.#times[row] = time;
        this.#levels[row] = levelAndTime >>> 2;
        this.#addParents(
          view.getUint32(at + OID_BYTES),
          view.getUint32(at + OID_BYTES + 4),
          edges,
          before + commits,
        );
        this.#parentEnds[row] = this.#parentCount;
      }
    }
  }

  /**
   * Adds the parents of the next row.
   *
   * @param second Position of the second parent. If {@link MARK} is set, the index in `edges` at which the
   *   second and all further parents begin.
   * @param limit Number of commits in this file and the earlier files.
   */
  #addParents(first: number, second: number, edges: DataView, limit: number): void {
    if (first !== NO_PARENT) this.#addParent(first, limit);
    if (second === NO_PARENT) return;
    if (first === NO_PARENT) damaged("has a second parent without a first one");
    if (second < MARK) return this.#addParent(second, limit);
    for (let place = second - MARK;; place++) {
      if ((place + 1) * EDGE_BYTES > edges.byteLength) damaged("has parents without an end");
      const edge = edges.getUint32(place * EDGE_BYTES);
      this.#addParent(edge % MARK, limit);
      if (edge >= MARK) return;
    }
  }

  #addParent(parent: number, limit: number): void {
    if (parent >= limit) damaged("has a parent that does not exist");
    if (this.#parentCount === this.#parents.length) damaged("has a list of parents for several commits");
    this.#parents[this.#parentCount++] = parent;
  }

  /**
   * Checks that each commit has a higher level than its parents, which proves that no commit is its own
   * ancestor.
   */
  async checkLevels({ before, commits }: Layer, task: Task): Promise<void> {
    let place = before === 0 ? 0 : this.#parentEnds[before - 1]!;
    for (let row = before; row < before + commits; row++) {
      if (row % ROWS_AT_ONCE === 0) await task.yield();
      const level = this.#levels[row]!;
      if (level === 0) damaged("has no levels");
      for (const end = this.#parentEnds[row]!; place < end; place++) {
        if (this.#levels[this.#parents[place]!]! >= level) {
          damaged("has a commit that is not above its parent");
        }
      }
    }
  }

  finish(): HistoryColumns {
    const commits = this.#times.length;
    return {
      oids: this.oids,
      times: this.#times,
      trees: this.#trees,
      authors: new Uint32Array(commits).fill(NO_AUTHOR),
      authorHashes: new Uint8Array(0),
      parents: this.#parents.slice(0, this.#parentCount),
      parentEnds: this.#parentEnds,
      listings: new Uint8Array(commits),
      hashes: new Uint32Array(0),
      pathEnds: new Uint32Array(commits),
    };
  }
}

interface Records {
  readonly bytes: Uint8Array;
  readonly first: number;
  readonly count: number;
}

async function* records(layer: Layer, id: number, size: number, task: Task): AsyncGenerator<Records> {
  const { at } = layer.chunks.get(id) ?? { at: 0 };
  const most = Math.floor(STEP_BYTES / size);
  for (let first = 0; first < layer.commits; first += most) {
    const count = Math.min(most, layer.commits - first);
    yield { bytes: await bytesOf(layer.file, at + first * size, count * size), first, count };
    await task.yield();
  }
}

async function chunkBytes({ file, chunks }: Layer, id: number): Promise<Uint8Array> {
  const { at, length } = chunks.get(id) ?? { at: 0, length: 0 };
  return await bytesOf(file, at, length);
}

async function bytesOf(file: GraphFile, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  if (await file.read(bytes, position) !== length) damaged("is truncated");
  return bytes;
}

function damaged(what: string): never {
  throw new DamagedError(`A commit graph ${what}`);
}

/**
 * The offset table of a pack: where its objects are, and digests of its bytes. Replicas read packs in blocks
 * of {@link BLOCK_BYTES}. All numbers are big-endian.
 *
 * ```text
 * a digest for each block   16 bytes: the start of the SHA-256 of the block
 * a row for each object      8 bytes: the first 4 bytes of its id, its offset in the pack
 * ```
 *
 * Rows are in ascending order of the starts of the ids, and of the offsets. Several objects may have the same
 * start of an id. So a reader must check the id of the object that it has read.
 */
import {
  DamagedError,
  firstWhere,
  type Oid,
  OID_BYTES,
  PackStarts,
  type Steps,
  type Task,
} from "../../../src/mod.ts";

/** Size of a block of a pack, in bytes. The last block of a pack may be shorter. */
export const BLOCK_BYTES: number = 2 ** 18;
/** Size of the digest of a block, in bytes. */
export const BLOCK_DIGEST_BYTES = 16;
/** Size of the header of a pack, in bytes. No object has a lower offset. */
export const PACK_HEADER_BYTES = 12;
/** Minimum size of a pack, in bytes: its header, and the SHA-1 at its end. */
export const MIN_PACK_BYTES: number = PACK_HEADER_BYTES + OID_BYTES;
const ROW_BYTES = 8;
/**
 * Maximum number of objects with the same start of an id that are found. Real packs have two or three.
 * Somebody may compute more, so that a request has to read all of them.
 */
export const MAX_SAME_STARTS = 16;
/** Number of rows that one step checks. A step takes less than a millisecond. */
const ROWS_AT_ONCE = 2 ** 14;

const NONE: readonly number[] = [];

/** Returns the number of blocks of a pack. */
export function blockCount(packBytes: number): number {
  return Math.ceil(packBytes / BLOCK_BYTES);
}

/** Returns the size of the offset table of a pack, in bytes. */
export function offsetTableBytes(packBytes: number, objects: number): number {
  return blockCount(packBytes) * BLOCK_DIGEST_BYTES + objects * ROW_BYTES;
}

/**
 * Encodes the offset table of a pack.
 *
 * @param digests The digests of all blocks of the pack.
 */
export function encodeOffsetTable(
  digests: readonly Uint8Array[],
  objects: readonly { readonly oid: Oid; readonly offset: number }[],
): Uint8Array<ArrayBuffer> {
  const rows = objects
    .map(({ oid, offset }) => ({ start: startOf(oid), offset }))
    .sort((a, b) => a.start - b.start || a.offset - b.offset);
  const rowsAt = digests.length * BLOCK_DIGEST_BYTES;
  const table = new Uint8Array(rowsAt + rows.length * ROW_BYTES);
  const view = new DataView(table.buffer);
  for (const [block, digest] of digests.entries()) table.set(digest, block * BLOCK_DIGEST_BYTES);
  for (const [row, { start, offset }] of rows.entries()) {
    view.setUint32(rowsAt + row * ROW_BYTES, start);
    view.setUint32(rowsAt + row * ROW_BYTES + 4, offset);
  }
  return table;
}

/** Returns the digests of all blocks of some bytes. The bytes begin where a block begins. */
export async function digestsOfBlocks(bytes: Uint8Array, task: Task): Promise<readonly Uint8Array[]> {
  const digests: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
    digests.push(await digestOfBlock(bytes.subarray(start, start + BLOCK_BYTES)));
    await task.yield();
  }
  return digests;
}

/** Returns the digest of a block. */
export async function digestOfBlock(block: Uint8Array): Promise<Uint8Array> {
  const digest = await crypto.subtle.digest("SHA-256", block as Uint8Array<ArrayBuffer>);
  return new Uint8Array(digest, 0, BLOCK_DIGEST_BYTES);
}

/** Returns the first four bytes of an id as a number. */
function startOf(oid: Oid): number {
  return parseInt(oid.slice(0, 8), 16);
}

/** Reads an offset table. */
export class OffsetTable {
  /** Offsets of all objects, in ascending order. */
  readonly #inOrder: PackStarts;
  readonly #starts: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #digests: Uint8Array;
  /** Offset of the end of the last object. */
  readonly #end: number;

  private constructor(
    packBytes: number,
    digests: Uint8Array,
    starts: Uint32Array,
    offsets: Uint32Array,
    inOrder: PackStarts,
  ) {
    this.#digests = digests;
    this.#starts = starts;
    this.#offsets = offsets;
    this.#inOrder = inOrder;
    this.#end = packBytes - OID_BYTES;
  }

  /**
   * Decodes a table in steps.
   *
   * @throws {DamagedError} when it cannot be the table of a pack with this size and this number of objects.
   */
  static *decode(bytes: Uint8Array, packBytes: number, objects: number): Steps<OffsetTable> {
    if (bytes.length !== offsetTableBytes(packBytes, objects)) {
      throw new DamagedError("An offset table has the wrong size");
    }
    const rowsAt = blockCount(packBytes) * BLOCK_DIGEST_BYTES;
    const view = new DataView(bytes.buffer, bytes.byteOffset + rowsAt, objects * ROW_BYTES);
    const starts = new Uint32Array(objects);
    const offsets = new Uint32Array(objects);
    for (let row = 0; row < objects; row++) {
      const start = starts[row] = view.getUint32(row * ROW_BYTES);
      const offset = offsets[row] = view.getUint32(row * ROW_BYTES + 4);
      const isInOrder = row === 0 || start > starts[row - 1]! ||
        start === starts[row - 1] && offset > offsets[row - 1]!;
      if (!isInOrder) throw new DamagedError("An offset table is out of order");
      if (offset < PACK_HEADER_BYTES || offset >= packBytes - OID_BYTES) {
        throw new DamagedError("An offset table leads outside of its pack");
      }
      if (row % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) yield;
    }
    const inOrder = yield* PackStarts.divide(objects, (row) => offsets[row]!, packBytes);
    return new OffsetTable(packBytes, bytes.slice(0, rowsAt), starts, offsets, inOrder);
  }

  /** Approximate memory of the table, in bytes. */
  get memoryBytes(): number {
    return this.#digests.length + 12 * this.#offsets.length + 256;
  }

  /**
   * Returns the offsets of the objects whose ids may be this id, at most {@link MAX_SAME_STARTS}. Further
   * objects count as absent.
   */
  find(oid: Oid): readonly number[] {
    const start = startOf(oid);
    const starts = this.#starts;
    const first = firstWhere(starts.length, (row) => starts[row]! >= start);
    let end = first;
    while (starts[end] === start && end - first < MAX_SAME_STARTS) end++;
    return first === end ? NONE : [...this.#offsets.subarray(first, end)];
  }

  /** Returns the offset of the end of the entry at an offset; `undefined` when no entry begins there. */
  entryEnd(offset: number): number | undefined {
    const next = this.#inOrder.after(offset);
    return next === Infinity ? this.#end : next;
  }

  /** Checks the digest of a block. */
  async isBlock(number: number, bytes: Uint8Array): Promise<boolean> {
    const at = number * BLOCK_DIGEST_BYTES;
    const digest = await digestOfBlock(bytes);
    return digest.every((byte, i) => byte === this.#digests[at + i]);
  }
}

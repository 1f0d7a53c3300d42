/**
 * A multi-pack index: gives the pack and the block of an object, for most packs of a repository together. So
 * a reader searches one pack for an object, not all of them.
 *
 * ```text
 * head:  8 bytes magic | u32 version | u32 packs | u32 objects | u32 bits | u32 head bytes
 *        for each pack: u32 bytes of its head, u32 blocks
 *        for each page: u32 bytes, u32 objects, 8 bytes digest
 *        the heads of the packs (block_pack.ts), one behind the other
 * pages: 2^bits, each with the objects whose ids begin with the bits of its number: a zlib stream of
 *        4 columns of bytes with the starts of the ids, in ascending order, most significant bytes first
 *        3 columns of bytes with the slots, likewise
 * ```
 *
 * A pack has a slot for each block, and one more for objects without a block. The slots of all packs are
 * numbered together. The start of an id (its first 32 bits) does not prove that the pack has the object. The
 * directory of the block does.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import { DamagedError, firstWhere, type Oid } from "../../../src/mod.ts";
import type { UnpackBlock } from "./block.ts";
import { MAX_PACK_BLOCKS, NO_BLOCK, type PackRange } from "./block_pack.ts";
import type { PublishedIndex } from "./manifest.ts";
import { digestOf } from "./sealed_json.ts";

/** First bytes of a multi-pack index. */
export const INDEX_MAGIC: Uint8Array = new TextEncoder().encode("XYLEMIX\n");
/** Version of multi-pack indexes. Readers refuse any other. */
export const INDEX_VERSION = 1;
/** Most objects of a page on average. */
export const INDEX_PAGE_OBJECTS = 2 ** 11;
/**
 * Most objects of a page: an attacker can make many objects whose ids begin alike. Without an index, a reader
 * searches each pack.
 */
export const MAX_INDEX_PAGE_OBJECTS = 2 ** 15;
/**
 * Most objects whose ids begin with the same 32 bits: a reader may have to check the places of all of them.
 */
const MAX_SAME_STARTS = 32;
/** Most slots of a multi-pack index. */
export const MAX_INDEX_SLOTS = 2 ** 24;

/** Bytes of the fixed beginning. */
export const INDEX_PREAMBLE_BYTES = 28;
/** Bytes of a pack in the table of packs. */
export const PACK_ROW_BYTES = 8;
/** Bytes of a page in the table of pages. */
export const INDEX_PAGE_ROW_BYTES = 16;
/** Bytes of the first part of an object's id, in a page. */
export const START_BYTES = 4;
/** Bytes of an object's slot, in a page. */
export const SLOT_BYTES = 3;
/** Hexadecimal digits of a page's digest. */
export const INDEX_PAGE_DIGEST_DIGITS = 16;

const MAX_BITS = 16;
const ROW_BYTES = START_BYTES + SLOT_BYTES;

/** A place that an object may have. */
export interface IndexedPlace {
  /** Number of the pack in the index. */
  readonly pack: number;
  /** Number of the block; `NO_BLOCK` when the content is not in the pack. */
  readonly block: number;
}

export class IndexHead {
  readonly packs: number;
  readonly #bits: number;
  /** First slot of each pack, and the number of slots. */
  readonly #slots: Uint32Array;
  readonly #heads: readonly Uint8Array[];
  /** Place of each page in the file, and the end of the last one. */
  readonly #places: Float64Array;
  readonly #objects: Uint32Array;
  readonly #digests: readonly string[];

  /**
   * Decodes the head.
   *
   * @param bytes The first `headBytes` of the file.
   * @throws {DamagedError} when it is damaged, of another version, or does not match the manifest.
   */
  constructor(bytes: Uint8Array, index: PublishedIndex) {
    const { length } = bytes;
    if (length !== index.headBytes || length < INDEX_PREAMBLE_BYTES || digestOf(bytes) !== index.headDigest) {
      throw broken("head");
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    if (INDEX_MAGIC.some((byte, i) => bytes[i] !== byte)) throw broken("head");
    if (view.getUint32(8) !== INDEX_VERSION) {
      throw new DamagedError("A multi-pack index is of another version");
    }
    this.packs = view.getUint32(12);
    this.#bits = view.getUint32(20);
    const pages = 2 ** Math.min(this.#bits, MAX_BITS);
    const pagesAt = INDEX_PREAMBLE_BYTES + this.packs * PACK_ROW_BYTES;
    let headAt = pagesAt + pages * INDEX_PAGE_ROW_BYTES;
    if (
      this.#bits > MAX_BITS || headAt > length || view.getUint32(24) !== length ||
      view.getUint32(16) !== index.objects
    ) throw broken("head");
    this.#slots = new Uint32Array(this.packs + 1);
    const heads: Uint8Array[] = [];
    for (let i = 0; i < this.packs; i++) {
      const at = INDEX_PREAMBLE_BYTES + i * PACK_ROW_BYTES;
      const blocks = view.getUint32(at + 4);
      const end = headAt + view.getUint32(at);
      const slots = this.#slots[i]! + blocks + 1;
      if (end > length || blocks > MAX_PACK_BLOCKS || slots > MAX_INDEX_SLOTS) throw broken("table of packs");
      this.#slots[i + 1] = slots;
      // A copy: the argument may be a part of a long read.
      heads.push(bytes.slice(headAt, end));
      headAt = end;
    }
    this.#heads = heads;
    this.#places = new Float64Array(pages + 1);
    this.#objects = new Uint32Array(pages);
    const digests: string[] = [];
    let place = length;
    let objects = 0;
    for (let i = 0; i < pages; i++) {
      const at = pagesAt + i * INDEX_PAGE_ROW_BYTES;
      this.#places[i] = place;
      this.#objects[i] = view.getUint32(at + 4);
      place += view.getUint32(at);
      if (this.#objects[i]! > MAX_INDEX_PAGE_OBJECTS) throw broken("table of pages");
      objects += this.#objects[i]!;
      digests.push(bytesToHex(bytes.subarray(at + 8, at + INDEX_PAGE_ROW_BYTES)));
    }
    this.#places[pages] = place;
    this.#digests = digests;
    if (headAt !== length || place !== index.bytes || objects !== index.objects) {
      throw broken("table of pages");
    }
  }

  /** Bytes in memory, approximately. */
  get weight(): number {
    return 512 + this.#heads.reduce((sum, { length }) => sum + 200 + length, 0) + 100 * this.pages;
  }

  get pages(): number {
    return this.#objects.length;
  }

  /** The head of a pack, the same bytes as at the start of the pack. */
  packHead(pack: number): Uint8Array {
    return this.#heads[pack] ?? new Uint8Array();
  }

  /** The page that has an object, if any has. */
  pageOf(oid: Oid): number {
    return this.#pageOf(startOf(oid));
  }

  #pageOf(start: number): number {
    return start / 2 ** (32 - this.#bits) | 0;
  }

  /** Place of a page in the file. */
  pageRange(page: number): PackRange {
    return { start: this.#places[page]!, end: this.#places[page + 1]! };
  }

  /** @throws {DamagedError} when the bytes are not a page of this index. */
  checkPage(page: number, packed: Uint8Array): void {
    const { start, end } = this.pageRange(page);
    const digest = digestOf(packed).slice(0, INDEX_PAGE_DIGEST_DIGITS);
    if (packed.length !== end - start || digest !== this.#digests[page]) throw broken("page");
  }

  /**
   * Decodes a page that was read and checked ({@link checkPage}).
   *
   * @throws {DamagedError} when it does not have the objects of this page.
   */
  page(page: number, packed: Uint8Array, unpack: UnpackBlock): IndexedObjects {
    const count = this.#objects[page]!;
    const objects = new IndexedObjects(this.#slots, unpack(packed, count * ROW_BYTES), count);
    const ends = count === 0 ? [] : [objects.starts[0]!, objects.starts[count - 1]!];
    if (ends.some((start) => this.#pageOf(start) !== page)) throw broken("page");
    return objects;
  }
}

export class IndexedObjects {
  /** First slot of each pack. */
  readonly #slots: Uint32Array;
  readonly starts: Uint32Array;
  readonly #slotOf: Uint32Array;

  constructor(slots: Uint32Array, columns: Uint8Array, count: number) {
    this.#slots = slots;
    this.starts = readColumns(columns.subarray(0, count * START_BYTES), count);
    this.#slotOf = readColumns(columns.subarray(count * START_BYTES), count);
    const limit = slots.at(-1)!;
    for (let i = 0; i < count; i++) {
      if (this.#slotOf[i]! >= limit || i > 0 && this.starts[i]! < this.starts[i - 1]!) throw broken("page");
    }
    if (hasManyAlike(this.starts)) throw broken("page");
  }

  /** Bytes in memory, approximately. */
  get weight(): number {
    return 8 * this.starts.length + 512;
  }

  #placeAt(row: number): IndexedPlace {
    const slot = this.#slotOf[row]!;
    const pack = firstWhere(this.#slots.length, (pack) => this.#slots[pack]! > slot) - 1;
    const block = slot - this.#slots[pack]!;
    return { pack, block: slot === this.#slots[pack + 1]! - 1 ? NO_BLOCK : block };
  }

  /** The places that an object may have: mostly none or one. */
  find(oid: Oid): readonly IndexedPlace[] {
    const start = startOf(oid);
    const places: IndexedPlace[] = [];
    let row = firstWhere(this.starts.length, (row) => this.starts[row]! >= start);
    for (; this.starts[row] === start; row++) places.push(this.#placeAt(row));
    return places;
  }
}

/** Whether more than {@link MAX_SAME_STARTS} of these starts, in ascending order, are the same. */
export function hasManyAlike(starts: Uint32Array): boolean {
  for (let i = MAX_SAME_STARTS; i < starts.length; i++) {
    if (starts[i] === starts[i - MAX_SAME_STARTS]) return true;
  }
  return false;
}

/** The first 32 bits of an id. */
export function startOf(oid: Oid): number {
  return parseInt(oid.slice(0, 2 * START_BYTES), 16);
}

/** Numbers whose bytes are in columns, most significant ones first. */
function readColumns(columns: Uint8Array, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  for (let column = 0; column * count < columns.length; column++) {
    const at = column * count;
    for (let i = 0; i < count; i++) numbers[i] = numbers[i]! << 8 | columns[at + i]!;
  }
  return numbers;
}

function broken(part: string): DamagedError {
  return new DamagedError(`The ${part} of a multi-pack index is damaged`);
}

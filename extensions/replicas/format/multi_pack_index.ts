/**
 * The format of a multi-pack index. It gives the pack and the block of an object, for most packs of a
 * repository. With it, a reader searches only one pack for an object.
 *
 * ```text
 * header: 8 bytes magic | u32 version | u32 number of packs | u32 number of objects | u32 bits
 *         u32 size of the header
 *         for each pack: u32 size of the pack's header, u32 number of blocks
 *         for each page: u32 size, u32 number of objects, 8 bytes digest
 *         the headers of the packs (block_pack.ts), one after the other
 * pages:  2^bits pages; a page has the objects whose ids begin with the bits of the page's number.
 *         A page is a zlib stream of columns. A column has one byte for each object:
 *         4 columns with the starts of the ids, in ascending order, most significant bytes first
 *         3 columns with the slots, most significant bytes first
 * ```
 *
 * A pack has a slot for each block, and one more slot for objects without a block. The slots of all packs are
 * numbered consecutively. The start of an id is its first 32 bits. The start does not prove that the pack has
 * the object, because other ids can have the same start. Only the directory of the block proves that the
 * block has the object.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import { DamagedError, firstWhere, type Oid } from "../../../src/mod.ts";
import type { UnpackBlock } from "./block.ts";
import { MAX_PACK_BLOCKS, NO_BLOCK, type PackRange } from "./block_pack.ts";
import type { PublishedIndex } from "./manifest.ts";
import { digestOf } from "./sealed_json.ts";

/** The first bytes of each multi-pack index. */
export const INDEX_MAGIC: Uint8Array = new TextEncoder().encode("XYLEMIX\n");
/** Version of the format of multi-pack indexes. Readers refuse any other version. */
export const INDEX_VERSION = 1;
/** Maximum average number of objects in a page. */
export const INDEX_PAGE_OBJECTS = 2 ** 11;
/**
 * Maximum number of objects in a page. An attacker can create many objects whose ids begin with the same
 * bits. If a page would exceed this limit, no index is written, and a reader searches each pack.
 */
export const MAX_INDEX_PAGE_OBJECTS = 2 ** 15;
/**
 * Maximum number of objects whose ids begin with the same 32 bits. A reader may have to check the locations
 * of all these objects.
 */
const MAX_SAME_STARTS = 32;
/** Maximum number of slots of a multi-pack index. */
export const MAX_INDEX_SLOTS = 2 ** 24;

/** Size of the part of the header that has a fixed size, in bytes. */
export const INDEX_PREAMBLE_BYTES = 28;
/** Size of a pack's row in the table of packs, in bytes. */
export const PACK_ROW_BYTES = 8;
/** Size of a page's row in the table of pages, in bytes. */
export const INDEX_PAGE_ROW_BYTES = 16;
/** Size of the start of an object's id in a page, in bytes. */
export const START_BYTES = 4;
/** Size of an object's slot in a page, in bytes. */
export const SLOT_BYTES = 3;
/** Number of hexadecimal digits of a page's digest. */
export const INDEX_PAGE_DIGEST_DIGITS = 16;

const MAX_BITS = 16;
const ROW_BYTES = START_BYTES + SLOT_BYTES;

/** A location where an object may be. */
export interface IndexedPlace {
  /** Number of the pack in the index. */
  readonly pack: number;
  /** Number of the block, or `NO_BLOCK` when the content is not in the pack. */
  readonly block: number;
}

export class IndexHead {
  readonly packs: number;
  readonly #bits: number;
  /** First slot of each pack; the last element is the number of all slots. */
  readonly #slots: Uint32Array;
  readonly #heads: readonly Uint8Array[];
  /** Offset of each page in the file; the last element is the end of the last page. */
  readonly #places: Float64Array;
  readonly #objects: Uint32Array;
  readonly #digests: readonly string[];

  /**
   * Decodes the header.
   *
   * @param bytes The first `headBytes` bytes of the file.
   * @throws {DamagedError} when the header is damaged, has another version, or does not match the manifest.
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
      // Copies the header, because the argument may be a part of a much longer array, which would stay in
      // memory.
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

  /** Approximate memory use, in bytes. */
  get weight(): number {
    return 512 + this.#heads.reduce((sum, { length }) => sum + 200 + length, 0) + 100 * this.pages;
  }

  get pages(): number {
    return this.#objects.length;
  }

  /** Returns the header of a pack: the same bytes as at the start of the pack. */
  packHead(pack: number): Uint8Array {
    return this.#heads[pack] ?? new Uint8Array();
  }

  /** Returns the number of the page that has the object, if the index has the object. */
  pageOf(oid: Oid): number {
    return this.#pageOf(startOf(oid));
  }

  #pageOf(start: number): number {
    return start / 2 ** (32 - this.#bits) | 0;
  }

  /** Returns the range of a page in the file. */
  pageRange(page: number): PackRange {
    return { start: this.#places[page]!, end: this.#places[page + 1]! };
  }

  /**
   * Verifies the bytes of a page.
   *
   * @throws {DamagedError} when the bytes are not this page of the index.
   */
  checkPage(page: number, packed: Uint8Array): void {
    const { start, end } = this.pageRange(page);
    const digest = digestOf(packed).slice(0, INDEX_PAGE_DIGEST_DIGITS);
    if (packed.length !== end - start || digest !== this.#digests[page]) throw broken("page");
  }

  /**
   * Decodes a page whose bytes were verified with {@link checkPage}.
   *
   * @throws {DamagedError} when the bytes do not contain the objects of this page.
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
  /** First slot of each pack; the last element is the number of all slots. */
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

  /** Approximate memory use, in bytes. */
  get weight(): number {
    return 8 * this.starts.length + 512;
  }

  #placeAt(row: number): IndexedPlace {
    const slot = this.#slotOf[row]!;
    const pack = firstWhere(this.#slots.length, (pack) => this.#slots[pack]! > slot) - 1;
    const block = slot - this.#slots[pack]!;
    return { pack, block: slot === this.#slots[pack + 1]! - 1 ? NO_BLOCK : block };
  }

  /**
   * Returns the locations where an object may be. In most cases, the result has no location or one location.
   */
  find(oid: Oid): readonly IndexedPlace[] {
    const start = startOf(oid);
    const places: IndexedPlace[] = [];
    let row = firstWhere(this.starts.length, (row) => this.starts[row]! >= start);
    for (; this.starts[row] === start; row++) places.push(this.#placeAt(row));
    return places;
  }
}

/**
 * Checks whether more than {@link MAX_SAME_STARTS} of these starts are equal. The starts must be in ascending
 * order.
 */
export function hasManyAlike(starts: Uint32Array): boolean {
  for (let i = MAX_SAME_STARTS; i < starts.length; i++) {
    if (starts[i] === starts[i - MAX_SAME_STARTS]) return true;
  }
  return false;
}

/** Returns the first 32 bits of an id. */
export function startOf(oid: Oid): number {
  return parseInt(oid.slice(0, 2 * START_BYTES), 16);
}

/** Reads numbers whose bytes are in columns, the column of the most significant bytes first. */
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

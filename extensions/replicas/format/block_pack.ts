/**
 * The format of a block pack. It contains objects in blocks (`block.ts`), and an index of the objects in
 * pages. A reader can read only the header and the pages, or a single page, or a single block, because the
 * range of bytes of each part is known.
 *
 * ```text
 * header: 8 bytes magic | u32 version | u32 number of blocks | u32 number of objects | u32 size of the header
 *         for each block: u32 size, u32 inflated size, u32 unpacked size, u32 number of objects
 *         for each page:  20 bytes first id, 8 bytes digest of the page
 * pages:  all records, PAGE_RECORDS in each page except the last page
 * blocks: one after the other
 * page:   records in ascending order of the ids:
 *         20 bytes id | u32 block | u32 number in the block | u16 kind | u48 size
 * ```
 *
 * A block is stored as a zlib stream, in one of two ways. Either its repeated bytes are replaced before the
 * compression (`long_range_matching.ts`), or its plain bytes are compressed. The inflated size is the size
 * before the compression. The unpacked size is the size of the plain bytes. In the second case, both sizes
 * are equal. An object that is too large to read has a record but no block. Its record has `NO_BLOCK` as the
 * number of the block.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  DamagedError,
  firstWhere,
  isSameBytes,
  type ObjectHeader,
  type ObjectKind,
  type Oid,
  OID_BYTES,
  writeOid,
} from "../../../src/mod.ts";
import { Block, KIND_NUMBERS, MAX_BLOCK_BYTES, MAX_BLOCK_OBJECTS, type UnpackBlock } from "./block.ts";
import { sha256Of } from "./keys.ts";
import type { PublishedPack } from "./manifest.ts";
import { partsWithMatches } from "./long_range_matching.ts";
import { digestOf } from "./sealed_json.ts";

/** The first bytes of each block pack. */
export const PACK_MAGIC: Uint8Array = new TextEncoder().encode("XYLEMPK\n");
/** Version of the format of block packs. Readers refuse any other version. */
export const PACK_VERSION = 3;
/** Number of records in a page of the index. */
export const PAGE_RECORDS = 1024;
/** Size of a record of the index, in bytes. */
export const RECORD_BYTES = OID_BYTES + 16;
/** Offsets of the fields in a record of the index. A record begins with an id. */
const BLOCK_AT = OID_BYTES;
const NUMBER_AT = OID_BYTES + 4;
const KIND_AT = OID_BYTES + 8;
const SIZE_AT = OID_BYTES + 10;
/** Maximum unpacked size of a block whose repeated bytes are replaced, in bytes. */
export const MAX_BYTES_WITHOUT_REPEATS = 2 ** 21;
/** Block number of an object whose content is not in the pack. */
export const NO_BLOCK = 0xffff_ffff;
/** Maximum size of a pack, in bytes. Publishers begin another pack long before this size. */
export const MAX_PACK_BYTES = 2 ** 31;
/** Maximum number of blocks in a pack. */
export const MAX_PACK_BLOCKS = 2 ** 20;
/** Maximum number of objects in a pack. */
export const MAX_PACK_OBJECTS = 2 ** 24;

/** Size of the part of the header that has a fixed size, in bytes. */
export const PREAMBLE_BYTES = 24;
/** Size of a block's row in the table of blocks, in bytes. */
export const BLOCK_ROW_BYTES = 16;
/** Size of a page's row in the fan-out, in bytes. The fan-out is the table of pages in the header. */
export const PAGE_ROW_BYTES = OID_BYTES + 8;
/** Number of hexadecimal digits of a page's digest in the fan-out. */
export const PAGE_DIGEST_DIGITS = 16;

/** Maximum number of bytes to which Deflate can expand one compressed byte. */
const MAX_RATIO = 1032;

/** Returns the size of the header of a pack, in bytes. */
export function headBytesOf(blocks: number, objects: number): number {
  return PREAMBLE_BYTES + blocks * BLOCK_ROW_BYTES + Math.ceil(objects / PAGE_RECORDS) * PAGE_ROW_BYTES;
}

/** A range of bytes in a pack: offset of the first byte, and offset after the last byte. */
export interface PackRange {
  readonly start: number;
  readonly end: number;
}

/** Location of an object in a pack, with its kind and size. */
export interface ObjectPlace {
  /** Number of the block, or {@link NO_BLOCK} when the content is not in the pack. */
  readonly block: number;
  /** Number of the object in its block, from 0. */
  readonly number: number;
  readonly header: ObjectHeader;
}

export class PackHead {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #fanOutAt: number;
  /** Offset of each block in the pack; the last element is the end of the last block. */
  readonly #places: Float64Array;
  readonly objects: number;

  /**
   * Decodes the header of a pack.
   *
   * @param bytes The first `headBytes` bytes of the pack.
   * @throws {DamagedError} when the header is damaged, has another version, or does not match the manifest.
   */
  constructor(
    bytes: Uint8Array,
    pack: Pick<PublishedPack, "bytes" | "headBytes" | "headDigest" | "objects">,
  ) {
    if (bytes.length !== pack.headBytes || digestOf(bytes) !== pack.headDigest) throw broken("head");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (bytes.length < PREAMBLE_BYTES || PACK_MAGIC.some((byte, i) => bytes[i] !== byte)) {
      throw broken("head");
    }
    if (view.getUint32(8) !== PACK_VERSION) throw new DamagedError("A published pack is of another version");
    const blocks = view.getUint32(12);
    this.objects = view.getUint32(16);
    if (
      blocks > MAX_PACK_BLOCKS || this.objects > MAX_PACK_OBJECTS || pack.bytes > MAX_PACK_BYTES ||
      this.objects !== pack.objects || headBytesOf(blocks, this.objects) !== bytes.length ||
      view.getUint32(20) !== bytes.length
    ) throw broken("head");
    // Copies the header, because the argument may be a part of a much longer array, which would stay in
    // memory.
    this.#bytes = bytes.slice();
    this.#view = new DataView(this.#bytes.buffer);
    this.#fanOutAt = PREAMBLE_BYTES + blocks * BLOCK_ROW_BYTES;
    this.#places = new Float64Array(blocks + 1);
    let place = this.pagesRange.end;
    for (let i = 0; i < blocks; i++) {
      this.#places[i] = place;
      const packedBytes = this.#row(i, 0);
      const rawBytes = this.rawBytes(i);
      const inflatedBytes = this.inflatedBytes(i);
      if (
        rawBytes > MAX_BLOCK_BYTES || inflatedBytes > packedBytes * MAX_RATIO || inflatedBytes > rawBytes ||
        inflatedBytes < rawBytes && rawBytes > MAX_BYTES_WITHOUT_REPEATS ||
        this.#row(i, 12) > MAX_BLOCK_OBJECTS
      ) throw broken("table of blocks");
      place += packedBytes;
    }
    this.#places[blocks] = place;
    if (place !== pack.bytes) throw broken("table of blocks");
    if (!isAscending(this.#bytes.subarray(this.#fanOutAt), PAGE_ROW_BYTES)) throw broken("fan-out");
  }

  /** Approximate memory use, in bytes. */
  get weight(): number {
    return this.#bytes.length + 8 * this.#places.length + 256;
  }

  get blocks(): number {
    return this.#places.length - 1;
  }

  /** Number of pages of the index. */
  get pages(): number {
    return Math.ceil(this.objects / PAGE_RECORDS);
  }

  /** Returns the range of a block in the pack. */
  blockRange(block: number): PackRange {
    return { start: this.#places[block]!, end: this.#places[block + 1]! };
  }

  /** Returns the unpacked size of a block, in bytes. */
  rawBytes(block: number): number {
    return this.#row(block, 8);
  }

  /**
   * Returns the inflated size of a block, in bytes. It is less than the unpacked size when repeated bytes
   * have been replaced.
   */
  inflatedBytes(block: number): number {
    return this.#row(block, 4);
  }

  /** Returns the range of a page of the index in the pack. */
  pageRange(page: number): PackRange {
    const start = this.#bytes.length + page * PAGE_RECORDS * RECORD_BYTES;
    return { start, end: Math.min(start + PAGE_RECORDS * RECORD_BYTES, this.pagesRange.end) };
  }

  /** The range of all pages of the index in the pack. The first block follows this range. */
  get pagesRange(): PackRange {
    return { start: this.#bytes.length, end: this.#bytes.length + this.objects * RECORD_BYTES };
  }

  /**
   * Returns the number of the page that may have the record of an object, or -1 when no page can have the
   * record.
   */
  pageOf(oid: Oid): number {
    const wanted = wantedBytes(oid);
    const isBehind = (page: number) =>
      compareOid(this.#bytes, this.#fanOutAt + page * PAGE_ROW_BYTES, wanted) > 0;
    return firstWhere(this.pages, isBehind) - 1;
  }

  /**
   * Verifies and decodes a page of the index.
   *
   * @throws {DamagedError} when the bytes are not this page of the pack.
   */
  page(page: number, bytes: Uint8Array): IndexPage {
    const { start, end } = this.pageRange(page);
    const firstAt = this.#fanOutAt + page * PAGE_ROW_BYTES;
    const at = firstAt + OID_BYTES;
    const expected = bytesToHex(this.#bytes.subarray(at, at + PAGE_DIGEST_DIGITS / 2));
    if (
      bytes.length !== end - start || sha256Of(bytes).slice(0, PAGE_DIGEST_DIGITS) !== expected ||
      !isSameBytes(bytes.subarray(0, OID_BYTES), this.#bytes.subarray(firstAt, at))
    ) throw broken("page of the index");
    return new IndexPage(bytes.slice(), this.blocks);
  }

  /**
   * Decodes a block from its bytes in the pack.
   *
   * @throws {DamagedError} when the bytes are not this block of the pack.
   */
  block(block: number, packed: Uint8Array, unpack: UnpackBlock): Block {
    const { start, end } = this.blockRange(block);
    if (packed.length !== end - start) throw broken("block");
    return this.inflatedBlock(block, unpack(packed, this.inflatedBytes(block)));
  }

  /**
   * Decodes a block from its inflated bytes.
   *
   * @throws {DamagedError} when the bytes are not this block of the pack.
   */
  inflatedBlock(block: number, inflated: Uint8Array): Block {
    const rawBytes = this.rawBytes(block);
    if (inflated.length !== this.inflatedBytes(block)) throw broken("block");
    const decoded = new Block(inflated.length < rawBytes ? partsWithMatches(inflated, rawBytes) : inflated);
    if (decoded.count !== this.#row(block, 12)) throw broken("block");
    return decoded;
  }

  #row(block: number, offset: number): number {
    return this.#view.getUint32(PREAMBLE_BYTES + block * BLOCK_ROW_BYTES + offset);
  }
}

export class IndexPage {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;

  /**
   * @param blocks Number of blocks in the pack.
   * @throws {DamagedError} when the records are not sorted, or when a record is invalid.
   */
  constructor(bytes: Uint8Array<ArrayBuffer>, blocks: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
    if (!isAscending(bytes, RECORD_BYTES)) throw broken("order of the index");
    for (let at = 0; at < bytes.length; at += RECORD_BYTES) {
      const block = this.#view.getUint32(at + BLOCK_AT);
      const isThere = block < blocks && this.#sizeAt(at) <= MAX_BLOCK_BYTES || block === NO_BLOCK;
      if (!isThere || this.#kindAt(at) === undefined) throw broken("record of the index");
    }
  }

  /** Approximate memory use, in bytes. */
  get weight(): number {
    return this.#bytes.length + 256;
  }

  /** Returns the location of an object, or `undefined` when the page does not have it. */
  find(oid: Oid): ObjectPlace | undefined {
    const wanted = wantedBytes(oid);
    const isThere = (record: number) => compareOid(this.#bytes, record * RECORD_BYTES, wanted) >= 0;
    const at = firstWhere(this.#bytes.length / RECORD_BYTES, isThere) * RECORD_BYTES;
    if (at === this.#bytes.length || compareOid(this.#bytes, at, wanted) !== 0) return undefined;
    return {
      block: this.#view.getUint32(at + BLOCK_AT),
      number: this.#view.getUint32(at + NUMBER_AT),
      header: { kind: this.#kindAt(at)!, size: this.#sizeAt(at) },
    };
  }

  /** Checks whether this page has an object whose id begins with the same 32 bits as `oid`. */
  hasStart(oid: Oid): boolean {
    const start = parseInt(oid.slice(0, 8), 16);
    const records = this.#bytes.length / RECORD_BYTES;
    const startOf = (record: number) => this.#view.getUint32(record * RECORD_BYTES);
    const at = firstWhere(records, (record) => startOf(record) >= start);
    return at < records && startOf(at) === start;
  }

  #kindAt(record: number): ObjectKind | undefined {
    return KIND_NUMBERS[this.#view.getUint16(record + KIND_AT)];
  }

  #sizeAt(record: number): number {
    return this.#view.getUint16(record + SIZE_AT) * 2 ** 32 + this.#view.getUint32(record + SIZE_AT + 2);
  }
}

/** Buffer for the bytes of the id that is looked up. Lookups are synchronous, so one buffer is enough. */
const wantedOid = new Uint8Array(OID_BYTES);

function wantedBytes(oid: Oid): Uint8Array {
  writeOid(oid, wantedOid, 0);
  return wantedOid;
}

/**
 * Checks whether the rows of a table are in ascending order of the ids with which they begin, without
 * duplicates.
 */
function isAscending(rows: Uint8Array, rowBytes: number): boolean {
  for (let at = rowBytes; at < rows.length; at += rowBytes) {
    if (compareOid(rows, at - rowBytes, rows, at) >= 0) return false;
  }
  return true;
}

function compareOid(bytes: Uint8Array, at: number, others: Uint8Array, otherAt = 0): number {
  for (let i = 0; i < OID_BYTES; i++) {
    const difference = bytes[at + i]! - others[otherAt + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

function broken(part: string): DamagedError {
  return new DamagedError(`The ${part} of a published pack is damaged`);
}

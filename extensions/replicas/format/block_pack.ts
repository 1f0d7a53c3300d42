/**
 * A block pack: objects in blocks (`block.ts`), with an index in pages. A reader can read the head and the
 * pages alone, and each block and each page by its range.
 *
 * ```text
 * head:   8 bytes magic | u32 version | u32 blocks | u32 objects | u32 head bytes
 *         for each block: u32 bytes, u32 bytes inflated, u32 bytes unpacked, u32 objects
 *         for each page:  20 bytes first id, 8 bytes digest of the page
 * pages:  all records, PAGE_RECORDS in each page except the last
 * blocks: one behind the other
 * page:   records in ascending order of the ids:
 *         20 bytes id | u32 block | u32 number in the block | u16 kind | u48 size
 * ```
 *
 * A block is a zlib stream of its bytes without repeats (`long_range_matching.ts`), or of its plain bytes.
 * In the second case its inflated and unpacked lengths are equal. An object that is too large to read has a
 * record, but no block: `NO_BLOCK`.
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

/** First bytes of a block pack. */
export const PACK_MAGIC: Uint8Array = new TextEncoder().encode("XYLEMPK\n");
/** Version of block packs. Readers refuse any other. */
export const PACK_VERSION = 3;
/** Records of a page of the index. */
export const PAGE_RECORDS = 1024;
/** Bytes of a record of the index. */
export const RECORD_BYTES = OID_BYTES + 16;
/** Offsets in a record of the index, which begins with an id. */
const BLOCK_AT = OID_BYTES;
const NUMBER_AT = OID_BYTES + 4;
const KIND_AT = OID_BYTES + 8;
const SIZE_AT = OID_BYTES + 10;
/** Most bytes, unpacked, of a block whose repeats are replaced. */
export const MAX_BYTES_WITHOUT_REPEATS = 2 ** 21;
/** Block of an object whose content is not in the pack. */
export const NO_BLOCK = 0xffff_ffff;
/** Most bytes of a pack. Publishers begin another one long before. */
export const MAX_PACK_BYTES = 2 ** 31;
/** Most blocks of a pack. */
export const MAX_PACK_BLOCKS = 2 ** 20;
/** Most objects of a pack. */
export const MAX_PACK_OBJECTS = 2 ** 24;

/** Bytes of the fixed beginning. */
export const PREAMBLE_BYTES = 24;
/** Bytes of a block in the table of blocks. */
export const BLOCK_ROW_BYTES = 16;
/** Bytes of a page in the fan-out. */
export const PAGE_ROW_BYTES = OID_BYTES + 8;
/** Hexadecimal digits of a page's digest in the fan-out. */
export const PAGE_DIGEST_DIGITS = 16;

/** Deflate unpacks no byte to more than this many. */
const MAX_RATIO = 1032;

/** Bytes of the head of a pack. */
export function headBytesOf(blocks: number, objects: number): number {
  return PREAMBLE_BYTES + blocks * BLOCK_ROW_BYTES + Math.ceil(objects / PAGE_RECORDS) * PAGE_ROW_BYTES;
}

/** A part of a pack: first byte, and the byte after its last one. */
export interface PackRange {
  readonly start: number;
  readonly end: number;
}

/** Place of an object, with its kind and size. */
export interface ObjectPlace {
  /** Number of the block; {@link NO_BLOCK} when the content is not in the pack. */
  readonly block: number;
  /** Number of the object in its block. */
  readonly number: number;
  readonly header: ObjectHeader;
}

export class PackHead {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #fanOutAt: number;
  /** Place of each block in the pack, and the end of the last one. */
  readonly #places: Float64Array;
  readonly objects: number;

  /**
   * Decodes the head of a pack.
   *
   * @param bytes The first `headBytes` of the pack.
   * @throws {DamagedError} when it is damaged, of another version, or does not match the manifest.
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
    // A copy: the argument may be a part of a long read.
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

  /** Bytes in memory, approximately. */
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

  /** Place of a block in the pack. */
  blockRange(block: number): PackRange {
    return { start: this.#places[block]!, end: this.#places[block + 1]! };
  }

  /** Bytes of a block, unpacked. */
  rawBytes(block: number): number {
    return this.#row(block, 8);
  }

  /** Bytes of a block, inflated: fewer than unpacked when repeats have been replaced. */
  inflatedBytes(block: number): number {
    return this.#row(block, 4);
  }

  /** Place of a page of the index in the pack. */
  pageRange(page: number): PackRange {
    const start = this.#bytes.length + page * PAGE_RECORDS * RECORD_BYTES;
    return { start, end: Math.min(start + PAGE_RECORDS * RECORD_BYTES, this.pagesRange.end) };
  }

  /** Place of all pages of the index in the pack: the first block comes behind them. */
  get pagesRange(): PackRange {
    return { start: this.#bytes.length, end: this.#bytes.length + this.objects * RECORD_BYTES };
  }

  /** The page that may have the record of an object; -1 when no page can have it. */
  pageOf(oid: Oid): number {
    const wanted = wantedBytes(oid);
    const isBehind = (page: number) =>
      compareOid(this.#bytes, this.#fanOutAt + page * PAGE_ROW_BYTES, wanted) > 0;
    return firstWhere(this.pages, isBehind) - 1;
  }

  /**
   * Checks a page of the index that was read.
   *
   * @throws {DamagedError} when it is not the page of this pack.
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
   * Decodes a block that was read.
   *
   * @throws {DamagedError} when it is not the block of this pack.
   */
  block(block: number, packed: Uint8Array, unpack: UnpackBlock): Block {
    const { start, end } = this.blockRange(block);
    if (packed.length !== end - start) throw broken("block");
    return this.inflatedBlock(block, unpack(packed, this.inflatedBytes(block)));
  }

  /**
   * Decodes a block that was read and inflated.
   *
   * @throws {DamagedError} when it is not the block of this pack.
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
   * @throws {DamagedError} when it is unsorted, or names blocks that a pack of so many blocks does not have.
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

  /** Bytes in memory, approximately. */
  get weight(): number {
    return this.#bytes.length + 256;
  }

  /** The place of an object; `undefined` when the page does not have it. */
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

  /** Whether an object of this page has an id that begins with the same 32 bits. */
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

/** The bytes of the searched id; lookups are synchronous, so one array is enough. */
const wantedOid = new Uint8Array(OID_BYTES);

function wantedBytes(oid: Oid): Uint8Array {
  writeOid(oid, wantedOid, 0);
  return wantedOid;
}

/** Whether the rows of a table, which begin with ids, are in ascending order, each id once. */
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

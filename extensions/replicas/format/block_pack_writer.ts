/**
 * Writes block packs. The caller decides the order of the objects. Objects that are read together should be
 * added one after the other.
 */
import { hexToBytes } from "@noble/hashes/utils.js";
import {
  type Deflate,
  OBJECT_LIMITS,
  type ObjectHeader,
  type Oid,
  OID_BYTES,
  writeOid,
} from "../../../src/mod.ts";
import { encodeBlock, KIND_NUMBERS, MAX_BLOCK_OBJECTS, type NamedObject } from "./block.ts";
import {
  BLOCK_ROW_BYTES,
  headBytesOf,
  MAX_BYTES_WITHOUT_REPEATS,
  MAX_PACK_BLOCKS,
  MAX_PACK_BYTES,
  MAX_PACK_OBJECTS,
  NO_BLOCK,
  PACK_MAGIC,
  PACK_VERSION,
  PAGE_DIGEST_DIGITS,
  PAGE_RECORDS,
  PAGE_ROW_BYTES,
  PREAMBLE_BYTES,
  RECORD_BYTES,
} from "./block_pack.ts";
import { type PackKind, sha256Of } from "./keys.ts";
import { encodePrefixFilter } from "./prefix_filter.ts";
import { MAX_LISTED_OBJECTS, type PublishedPack } from "./manifest.ts";
import { replaceMatches } from "./long_range_matching.ts";
import { digestOf } from "./sealed_json.ts";

/**
 * Target size of the first blocks of a pack before compression, in bytes. A reader inflates a whole block to
 * get one object.
 */
export const BLOCK_TARGET_BYTES: number = 2 ** 17;
/**
 * Number of consecutive blocks with the same target size. After this many blocks, the target size grows by
 * the target size of the first blocks. The growth keeps the header of the pack short.
 */
const BLOCKS_OF_A_LENGTH = 64;
/** Maximum target size of a block before compression, in bytes. A block with one object may be larger. */
const MAX_TARGET_BYTES = 2 ** 20;

/**
 * Compression level of zlib. A block is compressed once and read often, and only few bytes remain to compress
 * after repeated bytes are replaced.
 */
const BLOCK_LEVEL = 6;

/** A complete pack. */
export interface WrittenPack {
  /** The entry of the pack in the manifest, without the time when the pack was made. */
  readonly pack: Omit<PublishedPack, "madeAtMs">;
  /** The bytes of the pack, as consecutive parts. */
  readonly parts: readonly Uint8Array<ArrayBuffer>[];
}

interface Row {
  readonly oid: Oid;
  readonly block: number;
  readonly number: number;
  readonly kind: number;
  readonly size: number;
}

/**
 * Collects objects and writes them as a pack. Compressed blocks stay in memory until the pack is finished.
 *
 * @example
 * ```ts
 * const writer = new BlockPackWriter("blobs", deflate);
 * for (const object of objects) writer.add(object);
 * const { pack, parts } = writer.finish();
 * await bucket.put(contentKey(rid, pack.kind, pack.sha256), joinBytes(parts));
 * ```
 */
export class BlockPackWriter {
  readonly #kind: PackKind;
  readonly #deflate: Deflate;
  readonly #targetBytes: number;
  readonly #rows = new Map<Oid, Row>();
  readonly #blocks: Uint8Array<ArrayBuffer>[] = [];
  readonly #table: {
    readonly inflatedBytes: number;
    readonly rawBytes: number;
    readonly objects: number;
  }[] = [];
  #pending: NamedObject[] = [];
  #pendingBytes = 0;
  #packedBytes = 0;

  /** @param targetBytes Target size of the first blocks before compression, in bytes. */
  constructor(kind: PackKind, deflate: Deflate, targetBytes: number = BLOCK_TARGET_BYTES) {
    this.#kind = kind;
    this.#deflate = deflate;
    this.#targetBytes = targetBytes;
  }

  get objects(): number {
    return this.#rows.size;
  }

  /**
   * Approximate size of the pack so far, in bytes: compressed blocks, the index, and objects that are not
   * compressed yet.
   */
  get bytes(): number {
    return this.#packedBytes + this.#pendingBytes + this.#rows.size * RECORD_BYTES;
  }

  /** Target size of the next block before compression, in bytes. */
  get #nextBytes(): number {
    const longer = 1 + Math.floor(this.#blocks.length / BLOCKS_OF_A_LENGTH);
    return Math.min(MAX_TARGET_BYTES, this.#targetBytes * longer);
  }

  /**
   * Adds an object, unless the pack already has it. The caller must not change the bytes afterwards.
   *
   * @throws {RangeError} when the object exceeds its limit in `OBJECT_LIMITS`. Use {@link addHeader} for an
   *   object that is too large.
   */
  add(object: NamedObject): void {
    const { oid, kind, bytes } = object;
    if (this.#rows.has(oid)) return;
    if (bytes.length > OBJECT_LIMITS[kind]) throw new RangeError(`Object ${oid} is too large for a pack`);
    // An object that is larger than the target size gets its own block.
    const isFull = this.#pendingBytes + bytes.length > this.#nextBytes;
    if (this.#pending.length > 0 && (isFull || this.#pending.length >= MAX_BLOCK_OBJECTS)) this.endBlock();
    this.#addRow(oid, { kind, size: bytes.length }, this.#blocks.length, this.#pending.length);
    this.#pending.push(object);
    this.#pendingBytes += bytes.length;
  }

  /**
   * Adds only the kind and the size of an object that is too large to read, unless the pack already has it.
   */
  addHeader(oid: Oid, header: ObjectHeader): void {
    if (!this.#rows.has(oid)) this.#addRow(oid, header, NO_BLOCK, 0);
  }

  /**
   * Ends the current block, so that the next object begins another block. Callers use it between objects that
   * are not read together.
   */
  endBlock(): void {
    if (this.#pending.length === 0) return;
    const raw = encodeBlock(this.#pending);
    const inflated = raw.length <= MAX_BYTES_WITHOUT_REPEATS ? replaceMatches(raw) ?? raw : raw;
    const packed = new Uint8Array(this.#deflate(inflated, BLOCK_LEVEL));
    this.#blocks.push(packed);
    this.#table.push({
      inflatedBytes: inflated.length,
      rawBytes: raw.length,
      objects: this.#pending.length,
    });
    this.#packedBytes += packed.length;
    this.#pending = [];
    this.#pendingBytes = 0;
  }

  /**
   * Ends the pack. The writer cannot be used afterwards.
   *
   * @throws {RangeError} when the pack exceeds a limit of the format.
   */
  finish(): WrittenPack {
    this.endBlock();
    const rows = [...this.#rows.values()].sort((a, b) => a.oid < b.oid ? -1 : 1);
    const pages = encodePages(rows);
    const head = this.#encodeHead(rows.length, pages);
    const bytes = head.length + rows.length * RECORD_BYTES + this.#packedBytes;
    if (
      bytes > MAX_PACK_BYTES || rows.length > MAX_PACK_OBJECTS || this.#blocks.length > MAX_PACK_BLOCKS
    ) throw new RangeError("A pack has too many objects");
    const parts = [head, ...pages, ...this.#blocks];
    return {
      pack: {
        kind: this.#kind,
        sha256: sha256Of(...parts),
        bytes,
        headBytes: head.length,
        headDigest: digestOf(head),
        objects: rows.length,
        ...(rows.length <= MAX_LISTED_OBJECTS &&
          { idStarts: encodePrefixFilter(rows.map(({ oid }) => oid)) }),
      },
      parts,
    };
  }

  #addRow(oid: Oid, { kind, size }: ObjectHeader, block: number, number: number): void {
    this.#rows.set(oid, { oid, block, number, kind: KIND_NUMBERS.indexOf(kind), size });
  }

  #encodeHead(objects: number, pages: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    const head = new Uint8Array(headBytesOf(this.#blocks.length, objects));
    const view = new DataView(head.buffer);
    head.set(PACK_MAGIC);
    [PACK_VERSION, this.#blocks.length, objects, head.length]
      .forEach((number, i) => view.setUint32(8 + 4 * i, number));
    let at = PREAMBLE_BYTES;
    this.#table.forEach(({ inflatedBytes, rawBytes, objects }, i) => {
      [this.#blocks[i]!.length, inflatedBytes, rawBytes, objects]
        .forEach((number, j) => view.setUint32(at + 4 * j, number));
      at += BLOCK_ROW_BYTES;
    });
    pages.forEach((page) => {
      head.set(page.subarray(0, OID_BYTES), at);
      head.set(hexToBytes(sha256Of(page).slice(0, PAGE_DIGEST_DIGITS)), at + OID_BYTES);
      at += PAGE_ROW_BYTES;
    });
    return head;
  }
}

function encodePages(rows: readonly Row[]): readonly Uint8Array<ArrayBuffer>[] {
  const pages: Uint8Array<ArrayBuffer>[] = [];
  for (let first = 0; first < rows.length; first += PAGE_RECORDS) {
    const part = rows.slice(first, first + PAGE_RECORDS);
    const page = new Uint8Array(part.length * RECORD_BYTES);
    const view = new DataView(page.buffer);
    part.forEach(({ oid, block, number, kind, size }, i) => {
      const at = i * RECORD_BYTES;
      writeOid(oid, page, at);
      view.setUint32(at + 20, block);
      view.setUint32(at + 24, number);
      view.setUint16(at + 28, kind);
      view.setUint16(at + 30, Math.floor(size / 2 ** 32));
      view.setUint32(at + 32, size % 2 ** 32);
    });
    pages.push(page);
  }
  return pages;
}

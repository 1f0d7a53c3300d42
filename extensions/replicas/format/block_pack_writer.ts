/**
 * Writes block packs. The caller decides the order of the objects: objects that are read together are next to
 * each other.
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

/** Approximate bytes of a first block before it is compressed: a reader inflates all of it for one object. */
export const BLOCK_TARGET_BYTES: number = 2 ** 17;
/** After so many blocks the next ones are longer by {@link BLOCK_TARGET_BYTES}, so that heads stay short. */
const BLOCKS_OF_A_LENGTH = 64;
/** Approximate maximum of bytes of a block of several objects. */
const MAX_TARGET_BYTES = 2 ** 20;

/**
 * Level of compression. A block is packed once and read often, and few bytes remain after its repeats are
 * replaced.
 */
const BLOCK_LEVEL = 6;

/** A whole pack. */
export interface WrittenPack {
  /** The line of the manifest, without the time. */
  readonly pack: Omit<PublishedPack, "madeAtMs">;
  /** The bytes of the pack, in parts. */
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
 * Collects objects into a pack, compressed in memory.
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

  /** @param targetBytes Approximate bytes of a first block before it is compressed. */
  constructor(kind: PackKind, deflate: Deflate, targetBytes: number = BLOCK_TARGET_BYTES) {
    this.#kind = kind;
    this.#deflate = deflate;
    this.#targetBytes = targetBytes;
  }

  get objects(): number {
    return this.#rows.size;
  }

  /** Approximate bytes of the pack so far: compressed blocks, the index, and uncompressed objects. */
  get bytes(): number {
    return this.#packedBytes + this.#pendingBytes + this.#rows.size * RECORD_BYTES;
  }

  /** Approximate bytes of the next block before it is compressed. */
  get #nextBytes(): number {
    const longer = 1 + Math.floor(this.#blocks.length / BLOCKS_OF_A_LENGTH);
    return Math.min(MAX_TARGET_BYTES, this.#targetBytes * longer);
  }

  /**
   * Adds an object, unless the pack has it. The bytes must not change any more.
   *
   * @throws {RangeError} when the object is larger than `OBJECT_LIMITS`: see {@link addHeader}.
   */
  add(object: NamedObject): void {
    const { oid, kind, bytes } = object;
    if (this.#rows.has(oid)) return;
    if (bytes.length > OBJECT_LIMITS[kind]) throw new RangeError(`Object ${oid} is too large for a pack`);
    // A large object has a block of its own.
    const isFull = this.#pendingBytes + bytes.length > this.#nextBytes;
    if (this.#pending.length > 0 && (isFull || this.#pending.length >= MAX_BLOCK_OBJECTS)) this.endBlock();
    this.#addRow(oid, { kind, size: bytes.length }, this.#blocks.length, this.#pending.length);
    this.#pending.push(object);
    this.#pendingBytes += bytes.length;
  }

  /** Adds kind and size of an object that is too large to read, unless the pack has it. */
  addHeader(oid: Oid, header: ObjectHeader): void {
    if (!this.#rows.has(oid)) this.#addRow(oid, header, NO_BLOCK, 0);
  }

  /** Ends the block, so that the next object begins another one. Used between objects that are read apart. */
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
   * @throws {RangeError} when the pack is beyond its limits.
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

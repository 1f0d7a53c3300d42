/**
 * The format of a block. A block contains a small directory and the contents of its objects, stored as one
 * zlib stream.
 *
 * ```text
 * u32 number of objects | for each object: 20 bytes id, u8 kind, u32 size | the contents, in this order
 * ```
 */
import {
  DamagedError,
  encodeObjectHeader,
  type GitObject,
  hashObject,
  joinBytes,
  MAX_BLOB_BYTES,
  type ObjectHeader,
  type ObjectKind,
  type Oid,
  OID_BYTES,
  oidFromBytes,
  viewOf,
  writeOid,
} from "../../../src/mod.ts";
import type { MatchedBytes } from "./long_range_matching.ts";

/** Kinds of objects. The index of a kind in this array is the number that stands for the kind in files. */
export const KIND_NUMBERS: readonly ObjectKind[] = ["commit", "tree", "blob", "tag"];

const COUNT_BYTES = 4;
/** Size of an object's entry in the directory, in bytes. */
export const ENTRY_BYTES = OID_BYTES + 5;
const KIND_AT = OID_BYTES;
const SIZE_AT = OID_BYTES + 1;

/** Maximum number of objects in a block. */
export const MAX_BLOCK_OBJECTS = 2 ** 16;

/** Maximum size of an unpacked block, in bytes. A blob of the maximum size fits into a block. */
export const MAX_BLOCK_BYTES = MAX_BLOB_BYTES + 2 ** 16;

/** Decompresses one complete zlib stream into exactly `size` bytes, or throws `DamagedError`. */
export type UnpackBlock = (packed: Uint8Array, size: number) => Uint8Array;

/** An object with its id. */
export interface NamedObject extends GitObject {
  readonly oid: Oid;
}

/**
 * Returns the size of an unpacked block in bytes, from the number of its objects and the total size of their
 * contents.
 */
export function blockBytes(count: number, contentBytes: number): number {
  return COUNT_BYTES + count * ENTRY_BYTES + contentBytes;
}

/** Encodes a block. The result is not compressed yet. */
export function encodeBlock(objects: readonly NamedObject[]): Uint8Array<ArrayBuffer> {
  const contentBytes = objects.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const block = new Uint8Array(blockBytes(objects.length, contentBytes));
  const view = new DataView(block.buffer);
  view.setUint32(0, objects.length);
  let entryAt = COUNT_BYTES;
  let contentAt = blockBytes(objects.length, 0);
  for (const { oid, kind, bytes } of objects) {
    writeOid(oid, block, entryAt);
    block[entryAt + KIND_AT] = KIND_NUMBERS.indexOf(kind);
    view.setUint32(entryAt + SIZE_AT, bytes.length);
    block.set(bytes, contentAt);
    entryAt += ENTRY_BYTES;
    contentAt += bytes.length;
  }
  return block;
}

/**
 * A decompressed block in memory. Each object has a number, which is its position in the block, from 0. An
 * object is verified against its id when it is read for the first time.
 */
export class Block {
  readonly #bytes: Uint8Array | MatchedBytes;
  readonly #directory: Uint8Array;
  readonly #view: DataView;
  /** Offset of each object's content; the last element is the end of the last content. */
  readonly #places: Uint32Array;
  readonly #checked: Uint8Array;
  /** Hash table of the ids, created when an object is looked up for the first time. */
  #table: Uint32Array | undefined;

  /**
   * @param bytes The unpacked block.
   * @throws {DamagedError} when the directory does not match the bytes.
   */
  constructor(bytes: Uint8Array | MatchedBytes) {
    this.#bytes = bytes;
    const count = bytes.length < COUNT_BYTES ? Infinity : viewOf(bytes.slice(0, COUNT_BYTES)).getUint32(0);
    if (count > MAX_BLOCK_OBJECTS || blockBytes(count, 0) > bytes.length) {
      throw new DamagedError("The directory of a block is longer than the block");
    }
    this.#directory = this.#part(0, blockBytes(count, 0));
    this.#view = viewOf(this.#directory);
    this.#places = new Uint32Array(count + 1);
    let place = blockBytes(count, 0);
    for (let i = 0; i < count; i++) {
      this.#places[i] = place;
      place += this.#view.getUint32(this.#entryAt(i) + SIZE_AT);
      if (place > bytes.length || this.#directory[this.#entryAt(i) + KIND_AT]! >= KIND_NUMBERS.length) {
        throw new DamagedError("The directory of a block names missing objects");
      }
    }
    if (place !== bytes.length) throw new DamagedError("A block is longer than its directory says");
    this.#places[count] = place;
    this.#checked = new Uint8Array(count);
  }

  get count(): number {
    return this.#checked.length;
  }

  /** Approximate memory use of the block, in bytes. */
  get weight(): number {
    const bytes = this.#bytes;
    const content = bytes instanceof Uint8Array ? bytes.length : bytes.weight + this.#directory.length;
    return content + 21 * this.count + 256;
  }

  /** Returns the id of the object with this number, from the directory. */
  oid(number: number): Oid {
    return oidFromBytes(this.#directory, this.#entryAt(number));
  }

  /** Returns the number of the object with this id, or -1 when the block does not have the object. */
  find(oid: Oid): number {
    const table = this.#table ??= this.#makeTable();
    const start = parseInt(oid.slice(0, 8), 16);
    for (let slot = start & table.length - 1;; slot = slot + 1 & table.length - 1) {
      const number = table[slot]! - 1;
      if (number < 0) return -1;
      if (this.#view.getUint32(this.#entryAt(number)) === start && this.oid(number) === oid) return number;
    }
  }

  /** Checks whether the block has an object whose id begins with the same 32 bits as `oid`. */
  hasStart(oid: Oid): boolean {
    const start = parseInt(oid.slice(0, 8), 16);
    for (let i = 0; i < this.count; i++) if (this.#view.getUint32(this.#entryAt(i)) === start) return true;
    return false;
  }

  /**
   * Creates a hash table with linear probing. The hash is the first 32 bits of an id, the value is the number
   * of the object plus one. Zero means a free slot.
   */
  #makeTable(): Uint32Array {
    const table = new Uint32Array(2 ** Math.ceil(Math.log2(2 * this.count + 1)));
    for (let number = 0; number < this.count; number++) {
      let slot = this.#view.getUint32(this.#entryAt(number)) & table.length - 1;
      while (table[slot] !== 0) slot = slot + 1 & table.length - 1;
      table[slot] = number + 1;
    }
    return table;
  }

  /** Returns the kind and the size of the object with this number. */
  header(number: number): ObjectHeader {
    const at = this.#entryAt(number);
    return {
      kind: KIND_NUMBERS[this.#directory[at + KIND_AT]!]!,
      size: this.#view.getUint32(at + SIZE_AT),
    };
  }

  /**
   * Returns the object with this number. Its bytes are a copy.
   *
   * @param expected The id that the object must have according to an index; by default the id in the
   *   directory. Each call for the same number must have the same `expected`, because the content is verified
   *   only once.
   * @throws {DamagedError} when the content does not have the expected id.
   */
  object(number: number, expected?: Oid): GitObject {
    const { kind } = this.header(number);
    const bytes = this.#bytes.slice(this.#places[number]!, this.#places[number + 1]!);
    if (this.#checked[number] === 0) {
      if (hashObject(kind, bytes) !== (expected ?? this.oid(number))) {
        throw new DamagedError("An object of a block has another id than its index says");
      }
      this.#checked[number] = 1;
    }
    return { kind, bytes };
  }

  /**
   * Verifies a large object against its id. The runtime computes the digest in another thread if possible.
   *
   * @throws {DamagedError} when the content does not have the id that the directory gives.
   */
  async check(number: number): Promise<void> {
    if (this.#checked[number] !== 0) return;
    const { kind, size } = this.header(number);
    const content = this.#part(this.#places[number]!, this.#places[number + 1]!);
    const whole = joinBytes([encodeObjectHeader(kind, size), content]);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", whole));
    if (oidFromBytes(digest) !== this.oid(number)) {
      throw new DamagedError("An object of a block has another id than its directory says");
    }
    this.#checked[number] = 1;
  }

  /** Returns a part of the block's bytes. The caller must not change it. */
  #part(start: number, end: number): Uint8Array {
    const bytes = this.#bytes;
    return bytes instanceof Uint8Array ? bytes.subarray(start, end) : bytes.slice(start, end);
  }

  #entryAt(number: number): number {
    return COUNT_BYTES + number * ENTRY_BYTES;
  }
}

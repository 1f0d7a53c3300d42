/**
 * A block: a small directory and the contents of its objects, stored as one zlib stream.
 *
 * ```text
 * u32 number of objects | for each: 20 bytes id, u8 kind, u32 size | their contents, in this order
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

/** Kinds of objects by their number in files. */
export const KIND_NUMBERS: readonly ObjectKind[] = ["commit", "tree", "blob", "tag"];

const COUNT_BYTES = 4;
/** Bytes of an object in the directory. */
export const ENTRY_BYTES = OID_BYTES + 5;
const KIND_AT = OID_BYTES;
const SIZE_AT = OID_BYTES + 1;

/** Most objects of a block. */
export const MAX_BLOCK_OBJECTS = 2 ** 16;

/** Most bytes of a block, unpacked: the largest object with its directory. */
export const MAX_BLOCK_BYTES = MAX_BLOB_BYTES + 2 ** 16;

/** Decompresses one whole zlib stream into exactly `size` bytes, or throws `DamagedError`. */
export type UnpackBlock = (packed: Uint8Array, size: number) => Uint8Array;

/** An object with its id. */
export interface NamedObject extends GitObject {
  readonly oid: Oid;
}

/** Bytes of a block of these objects, unpacked. */
export function blockBytes(count: number, contentBytes: number): number {
  return COUNT_BYTES + count * ENTRY_BYTES + contentBytes;
}

/** Encodes a block, still to be compressed. */
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

/** A block in memory, inflated. Each object is checked against its id when it is first read. */
export class Block {
  readonly #bytes: Uint8Array | MatchedBytes;
  readonly #directory: Uint8Array;
  readonly #view: DataView;
  /** Place of each object's content, and the end of the last one. */
  readonly #places: Uint32Array;
  readonly #checked: Uint8Array;
  /** Made at the first search of an object. */
  #table: Uint32Array | undefined;

  /** @throws {DamagedError} when the directory does not fit the bytes. */
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

  /** Bytes that the block takes in memory, approximately. */
  get weight(): number {
    const bytes = this.#bytes;
    const content = bytes instanceof Uint8Array ? bytes.length : bytes.weight + this.#directory.length;
    return content + 21 * this.count + 256;
  }

  /** The id of an object by its number, from the directory. */
  oid(number: number): Oid {
    return oidFromBytes(this.#directory, this.#entryAt(number));
  }

  /** The number of an object; -1 when it is not in this block. */
  find(oid: Oid): number {
    const table = this.#table ??= this.#makeTable();
    const start = parseInt(oid.slice(0, 8), 16);
    for (let slot = start & table.length - 1;; slot = slot + 1 & table.length - 1) {
      const number = table[slot]! - 1;
      if (number < 0) return -1;
      if (this.#view.getUint32(this.#entryAt(number)) === start && this.oid(number) === oid) return number;
    }
  }

  /** Whether an object of this block has an id that begins with the same 32 bits. */
  hasStart(oid: Oid): boolean {
    const start = parseInt(oid.slice(0, 8), 16);
    for (let i = 0; i < this.count; i++) if (this.#view.getUint32(this.#entryAt(i)) === start) return true;
    return false;
  }

  /**
   * Numbers of the objects, plus one, by the first 32 bits of their ids (linear probing); zero is a free
   * slot.
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

  /** Kind and size of an object by its number. */
  header(number: number): ObjectHeader {
    const at = this.#entryAt(number);
    return {
      kind: KIND_NUMBERS[this.#directory[at + KIND_AT]!]!,
      size: this.#view.getUint32(at + SIZE_AT),
    };
  }

  /**
   * An object by its number, as a copy.
   *
   * @param expected The id that the object must have, from the index; by default the id in the directory. It
   *   must be the same one in each call for this number.
   * @throws {DamagedError} when the content does not have the id.
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
   * Checks a large object against its id, outside of this thread where the runtime can.
   *
   * @throws {DamagedError} when the content does not have the id of the directory.
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

  /** A part of the bytes. The caller must not change it. */
  #part(start: number, end: number): Uint8Array {
    const bytes = this.#bytes;
    return bytes instanceof Uint8Array ? bytes.subarray(start, end) : bytes.slice(start, end);
  }

  #entryAt(number: number): number {
    return COUNT_BYTES + number * ENTRY_BYTES;
  }
}

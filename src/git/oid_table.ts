/**
 * Stores object ids in one column of bytes. Each id has a row, a number that never changes. Callers use the
 * same row in columns with other data.
 */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";
import type { Task } from "../scheduling/task.ts";

const WORDS = OID_BYTES / 4;
const FIRST_ROWS = 32;
/**
 * Number of parts of the hash table. The first bits of a hash choose the part. Each part grows separately, so
 * that no call has to rehash all ids.
 */
const PARTS = 64;
const PART_SHIFT = 26;
/** Number of slots per id in a part of the hash table, so that at most half of the slots are used. */
const SLOTS_PER_ROW = 2;
const FIRST_SLOTS = 8;
/** An empty part, which all tables share, because most tables have few ids. */
const EMPTY_PART = new Int32Array(1);
/** A column with at least this number of values grows by a quarter instead of doubling. */
const MANY_ROWS = 2 ** 18;
/** Approximate memory of an empty table, in bytes. */
const TABLE_BYTES = 1536;
/** Approximate memory of a part that has ids, without its slots, in bytes. */
const PART_BYTES = 128;
/** Number of ids that are added in one step, which takes less than a millisecond. */
const ROWS_AT_ONCE = 8192;

/** Returns the column if it has room for `needed` numbers, otherwise a longer copy. */
export function withRoom<T extends Uint8Array | Uint32Array | Float64Array>(column: T, needed: number): T {
  if (needed <= column.length) return column;
  const { length } = column;
  const grown = Math.max(length < MANY_ROWS ? length * 2 : Math.ceil(length * 1.25), needed);
  const copy = new (column.constructor as new (length: number) => T)(grown);
  copy.set(column);
  return copy;
}

/** A growing set of object ids, or of other values of {@link OID_BYTES} bytes. */
export class OidTable {
  size = 0;
  /** The ids by row. After the last id, there is room for the id that is being looked up. */
  #words = new Uint32Array(FIRST_ROWS * WORDS);
  #bytes = new Uint8Array(this.#words.buffer);
  /**
   * For each part, an open-addressing hash table with linear probing. A slot contains the row of an id plus
   * 1, or 0 if the slot is free.
   */
  readonly #parts: Int32Array<ArrayBuffer>[] = Array(PARTS).fill(EMPTY_PART);
  readonly #taken = new Uint32Array(PARTS);
  #slots = 0;
  /** A random salt, so that nobody can craft ids that collide. */
  readonly #salt = crypto.getRandomValues(new Uint32Array(2));

  /** The ids by row, 20 bytes each. The array does not grow when ids are added. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.size * OID_BYTES);
  }

  /** Approximate memory of the table, in bytes. */
  get memoryBytes(): number {
    const parts = Math.min(PARTS, this.#slots / FIRST_SLOTS);
    return TABLE_BYTES + PART_BYTES * parts + this.#bytes.length + 4 * this.#slots;
  }

  /** Returns the row of an id; `undefined` when the table does not contain the id. */
  rowOf(oid: Oid | Uint8Array): number | undefined {
    writeOid(oid, this.#bytes, this.size * OID_BYTES);
    const hash = this.#hashOf(this.size);
    const part = this.#parts[hash >>> PART_SHIFT]!;
    const row = part[this.#findSlot(part, hash)]! - 1;
    return row < 0 ? undefined : row;
  }

  /** Adds an id, unless the table contains it. Returns the row of the id. */
  add(oid: Oid | Uint8Array): number {
    writeOid(oid, this.#bytes, this.size * OID_BYTES);
    return this.#addNext();
  }

  /**
   * Adds ids in the order of their rows. Yields in between.
   *
   * @throws {DamagedError} when an id occurs twice.
   */
  async append(bytes: Uint8Array, task: Task): Promise<void> {
    const end = this.size + bytes.length / OID_BYTES;
    this.#makeRoom(end);
    this.#bytes.set(bytes, this.size * OID_BYTES);
    // Hashes distribute the ids evenly, so each part grows at once to its expected size.
    for (let part = 0; part < PARTS; part++) this.#growPart(part, end / PARTS * SLOTS_PER_ROW);
    while (this.size < end) {
      const { size } = this;
      if (this.#addNext() !== size) throw new DamagedError("A list of object ids has a duplicate");
      if (size % ROWS_AT_ONCE === 0) await task.yield();
    }
  }

  oidOf(row: number): Oid {
    return oidFromBytes(this.#bytes, row * OID_BYTES);
  }

  /**
   * Adds the id that is stored after the last row, unless the table contains it. Returns the row of the id.
   */
  #addNext(): number {
    const hash = this.#hashOf(this.size);
    const number = hash >>> PART_SHIFT;
    let part = this.#parts[number]!;
    let slot = this.#findSlot(part, hash);
    const known = part[slot]! - 1;
    if (known >= 0) return known;
    if (part === EMPTY_PART) {
      part = this.#parts[number] = new Int32Array(FIRST_SLOTS);
      slot = hash & FIRST_SLOTS - 1;
      this.#slots += FIRST_SLOTS;
    }
    const row = this.size++;
    this.#makeRoom(this.size);
    part[slot] = row + 1;
    if (++this.#taken[number]! * SLOTS_PER_ROW > part.length) this.#growPart(number, 2 * part.length);
    return row;
  }

  /**
   * Returns the slot of the id that is stored after the last row. If the table does not contain the id,
   * returns the free slot for it.
   */
  #findSlot(part: Int32Array, hash: number): number {
    const mask = part.length - 1;
    const words = this.#words;
    const wanted = this.size * WORDS;
    for (let slot = hash & mask;; slot = (slot + 1) & mask) {
      const at = (part[slot]! - 1) * WORDS;
      if (at < 0) return slot;
      let same = 0;
      while (same < WORDS && words[at + same] === words[wanted + same]) same++;
      if (same === WORDS) return slot;
    }
  }

  #hashOf(row: number): number {
    const mixed = Math.imul(this.#words[row * WORDS]! ^ this.#salt[0]!, 0x9e3779b1) ^
      Math.imul(this.#words[row * WORDS + 1]! ^ this.#salt[1]!, 0x85ebca6b);
    return mixed ^ mixed >>> 15;
  }

  #growPart(number: number, slots: number): void {
    const old = this.#parts[number]!;
    let { length } = old;
    while (length < slots) length *= 2;
    if (length === old.length) return;
    const part = new Int32Array(length);
    const mask = part.length - 1;
    for (const taken of old) {
      if (taken === 0) continue;
      let slot = this.#hashOf(taken - 1) & mask;
      while (part[slot] !== 0) slot = (slot + 1) & mask;
      part[slot] = taken;
    }
    this.#parts[number] = part;
    this.#slots += length - old.length;
  }

  #makeRoom(ids: number): void {
    const words = withRoom(this.#words, (ids + 1) * WORDS);
    if (words === this.#words) return;
    this.#words = words;
    this.#bytes = new Uint8Array(words.buffer);
  }
}

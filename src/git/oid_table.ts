/**
 * Object ids in one column of bytes. Each id has a row, a small number that never changes and also addresses
 * the caller's columns.
 */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";
import type { Task } from "../scheduling/task.ts";
import type { MovedOids } from "../ports/made_history.ts";

const WORDS = OID_BYTES / 4;
const FIRST_ROWS = 1024;
/**
 * The hash table is split into parts by the first bits of a hash. Each part grows by itself, so that no call
 * has to rehash all ids.
 */
const PARTS = 64;
const PART_SHIFT = 26;
/** Slots per id in a part: at most half of them are used. */
const SLOTS_PER_ROW = 2;
const FIRST_SLOTS = FIRST_ROWS / PARTS * SLOTS_PER_ROW;
/** From this number of rows on, a column grows by a quarter instead of doubling. */
const MANY_ROWS = 2 ** 18;
/** Approximate memory of the parts of an empty table, in bytes. */
const TABLE_BYTES = PARTS * 128;
/** Ids restored in one step: below a millisecond. */
const ROWS_AT_ONCE = 8192;

/** New length of a column that is too short for `needed` rows. */
export function grownLength(length: number, needed: number): number {
  return Math.max(length < MANY_ROWS ? length * 2 : Math.ceil(length * 1.25), needed);
}

/** A growing set of object ids, or of other values of {@link OID_BYTES} bytes. */
export class OidTable {
  #size = 0;
  #bytes = new Uint8Array(FIRST_ROWS * OID_BYTES);
  #words = new Uint32Array(this.#bytes.buffer);
  /** Per part, row + 1 by hash; zero is a free slot (linear probing). */
  readonly #parts: Int32Array<ArrayBuffer>[] = Array.from(
    { length: PARTS },
    () => new Int32Array(FIRST_SLOTS),
  );
  readonly #taken = new Uint32Array(PARTS);
  #slots = PARTS * FIRST_SLOTS;
  /** A random salt, so that colliding ids cannot be crafted. */
  readonly #salt = crypto.getRandomValues(new Uint32Array(2));
  /** The id being searched for. */
  readonly #wanted = new Uint32Array(WORDS);
  readonly #wantedBytes = new Uint8Array(this.#wanted.buffer);

  /**
   * Restores a table from ids in the order of their rows. Yields in between.
   *
   * @throws {DamagedError} when two ids are equal, or the last is cut off.
   */
  static async from(bytes: Uint8Array, task: Task): Promise<OidTable> {
    const size = bytes.length / OID_BYTES;
    if (!Number.isInteger(size)) throw new DamagedError("A list of object ids is truncated");
    const table = new OidTable();
    if (size > FIRST_ROWS) table.#makeRoom(size);
    table.#bytes.set(bytes);
    table.#growParts(size);
    for (let row = 0; row < size; row += ROWS_AT_ONCE) {
      if (!table.#placeRows(row, Math.min(row + ROWS_AT_ONCE, size))) {
        throw new DamagedError("A list of object ids has a duplicate");
      }
      await task.yield();
    }
    return table;
  }

  /** Takes a table over that another one has moved. */
  static adopt({ bytes, size, parts, taken, salt }: MovedOids): OidTable {
    const table = new OidTable();
    table.#bytes = bytes;
    table.#words = new Uint32Array(bytes.buffer);
    table.#size = size;
    parts.forEach((part, number) => table.#parts[number] = part);
    table.#slots = parts.reduce((sum, { length }) => sum + length, 0);
    table.#taken.set(taken);
    table.#salt.set(salt);
    return table;
  }

  /** Number of ids. */
  get size(): number {
    return this.#size;
  }

  /** The ids, 20 bytes each, by row; a view that later additions do not extend. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size * OID_BYTES);
  }

  /** The content of the table, to be moved to another thread; then the table cannot be used any more. */
  move(): MovedOids {
    const [bytes, size, parts, taken, salt] = [this.#bytes, this.#size, this.#parts, this.#taken, this.#salt];
    return { bytes, size, parts, taken, salt };
  }

  /** Approximate memory of the table, in bytes. */
  get memoryBytes(): number {
    return TABLE_BYTES + this.#bytes.length + 4 * this.#slots;
  }

  /** The row of an id; `undefined` when the table does not have it. */
  rowOf(oid: Oid): number | undefined {
    writeOid(oid, this.#wantedBytes, 0);
    const part = this.#wantedPart();
    const row = part[this.#findSlot(part)]! - 1;
    return row < 0 ? undefined : row;
  }

  /** Adds an id unless it is present; returns its row. */
  add(oid: Oid): number {
    writeOid(oid, this.#wantedBytes, 0);
    return this.#addWanted();
  }

  /** Adds a value of {@link OID_BYTES} bytes unless it is present; returns its row. */
  addBytes(bytes: Uint8Array): number {
    this.#wantedBytes.set(bytes);
    return this.#addWanted();
  }

  oidOf(row: number): Oid {
    return oidFromBytes(this.#bytes, row * OID_BYTES);
  }

  /** Makes the parts of an empty table as large as those of `rows` ids are on average, or twice that. */
  #growParts(rows: number): void {
    let slots = FIRST_SLOTS;
    while (slots * PARTS < rows * SLOTS_PER_ROW) slots *= 2;
    if (slots === FIRST_SLOTS) return;
    for (let number = 0; number < PARTS; number++) this.#parts[number] = new Int32Array(slots);
    this.#slots = slots * PARTS;
  }

  /** Adds the next rows, whose ids are in their places; whether each id is new. */
  #placeRows(from: number, to: number): boolean {
    const words = this.#words;
    for (let row = from; row < to; row++) {
      const hash = this.#hash(words, row * WORDS);
      const number = hash >>> PART_SHIFT;
      const part = this.#parts[number]!;
      const mask = part.length - 1;
      let slot = hash & mask;
      for (let taken = part[slot]!; taken !== 0; taken = part[slot]!) {
        if (isSame(words, (taken - 1) * WORDS, row * WORDS)) return false;
        slot = (slot + 1) & mask;
      }
      part[slot] = row + 1;
      this.#size = row + 1;
      if (++this.#taken[number]! * SLOTS_PER_ROW > part.length) this.#growPart(number);
    }
    return true;
  }

  #addWanted(): number {
    const part = this.#wantedPart();
    const slot = this.#findSlot(part);
    const known = part[slot]! - 1;
    if (known >= 0) return known;
    const row = this.#size++;
    if (this.#size * OID_BYTES > this.#bytes.length) {
      this.#makeRoom(grownLength(this.#bytes.length / OID_BYTES, this.#size));
    }
    this.#words.set(this.#wanted, row * WORDS);
    part[slot] = row + 1;
    const number = this.#hash(this.#wanted, 0) >>> PART_SHIFT;
    if (++this.#taken[number]! * SLOTS_PER_ROW > part.length) this.#growPart(number);
    return row;
  }

  #wantedPart(): Int32Array {
    return this.#parts[this.#hash(this.#wanted, 0) >>> PART_SHIFT]!;
  }

  /** The slot of the wanted id, or the free slot where it belongs. */
  #findSlot(part: Int32Array): number {
    const mask = part.length - 1;
    const wanted = this.#wanted;
    const words = this.#words;
    for (let slot = this.#hash(wanted, 0) & mask;; slot = (slot + 1) & mask) {
      const at = (part[slot]! - 1) * WORDS;
      if (at < 0) return slot;
      let same = 0;
      while (same < WORDS && words[at + same] === wanted[same]) same++;
      if (same === WORDS) return slot;
    }
  }

  #hash(words: Uint32Array, at: number): number {
    const mixed = Math.imul(words[at]! ^ this.#salt[0]!, 0x9e3779b1) ^
      Math.imul(words[at + 1]! ^ this.#salt[1]!, 0x85ebca6b);
    return mixed ^ mixed >>> 15;
  }

  #growPart(number: number): void {
    const old = this.#parts[number]!;
    const part = new Int32Array(old.length * 2);
    const mask = part.length - 1;
    for (const taken of old) {
      if (taken === 0) continue;
      let slot = this.#hash(this.#words, (taken - 1) * WORDS) & mask;
      while (part[slot] !== 0) slot = (slot + 1) & mask;
      part[slot] = taken;
    }
    this.#parts[number] = part;
    this.#slots += old.length;
  }

  #makeRoom(rows: number): void {
    const bytes = this.#bytes;
    this.#bytes = new Uint8Array(rows * OID_BYTES);
    this.#bytes.set(bytes);
    this.#words = new Uint32Array(this.#bytes.buffer);
  }
}

/** Whether the values at two places are equal. */
function isSame(words: Uint32Array, at: number, other: number): boolean {
  let same = 0;
  while (same < WORDS && words[at + same] === words[other + same]) same++;
  return same === WORDS;
}

/** Object ids in one column of bytes. Each has a row, a small number that stays the same, by which further columns are kept beside it. */
import { DamagedError } from "../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes, writeOid } from "../ids/oid.ts";

const WORDS = OID_BYTES / 4;
const FIRST_ROWS = 1024;
/** Slots of the hash table for each row there is room for: at most half of them are taken. */
const SLOTS_PER_ROW = 2;

/** A growing table of different object ids. */
export class OidTable {
  #size = 0;
  #bytes = new Uint8Array(FIRST_ROWS * OID_BYTES);
  #words = new Uint32Array(this.#bytes.buffer);
  /** Row plus one by hash; zero is free. A taken slot sends on to the next. */
  #slots = new Int32Array(FIRST_ROWS * SLOTS_PER_ROW);
  /** Unknown to others, so that nobody can make ids that all want one slot. */
  readonly #salt = crypto.getRandomValues(new Uint32Array(2));
  /** The id that is looked for. */
  readonly #wanted = new Uint32Array(WORDS);
  readonly #wantedBytes = new Uint8Array(this.#wanted.buffer);

  /**
   * A table of ids that were in one before, in the order of their rows.
   *
   * @throws {DamagedError} when two are equal, or the last is cut off.
   */
  static from(bytes: Uint8Array): OidTable {
    const table = new OidTable();
    table.#restore(bytes);
    return table;
  }

  /** Number of ids. */
  get size(): number {
    return this.#size;
  }

  /** The ids, 20 bytes each, by row; a view that later changes do not extend. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size * OID_BYTES);
  }

  /** The row of an id; `undefined` when it is not in the table. */
  rowOf(oid: Oid): number | undefined {
    writeOid(oid, this.#wantedBytes, 0);
    const row = this.#slots[this.#findSlot()]! - 1;
    return row < 0 ? undefined : row;
  }

  /** The row of an id, which is added unless it is there. */
  add(oid: Oid): number {
    writeOid(oid, this.#wantedBytes, 0);
    return this.#addWanted();
  }

  oidOf(row: number): Oid {
    return oidFromBytes(this.#bytes, row * OID_BYTES);
  }

  #addWanted(): number {
    let slot = this.#findSlot();
    const known = this.#slots[slot]! - 1;
    if (known >= 0) return known;
    if ((this.#size + 1) * OID_BYTES > this.#bytes.length) {
      this.#grow();
      slot = this.#findSlot();
    }
    const row = this.#size++;
    this.#words.set(this.#wanted, row * WORDS);
    this.#slots[slot] = row + 1;
    return row;
  }

  /** Where the wanted id is, or would be. */
  #findSlot(): number {
    const mask = this.#slots.length - 1;
    const wanted = this.#wanted;
    const words = this.#words;
    for (let slot = this.#hash(wanted, 0) & mask;; slot = (slot + 1) & mask) {
      const at = (this.#slots[slot]! - 1) * WORDS;
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

  #grow(): void {
    const bytes = this.#bytes;
    this.#makeRoom(this.#bytes.length / OID_BYTES * 2);
    this.#bytes.set(bytes);
    for (let row = 0; row < this.#size; row++) this.#slots[this.#freeSlot(row)] = row + 1;
  }

  #restore(bytes: Uint8Array): void {
    const size = bytes.length / OID_BYTES;
    if (!Number.isInteger(size)) throw new DamagedError("A list of object ids is cut off");
    let rows = FIRST_ROWS;
    while (rows < size) rows *= 2;
    this.#makeRoom(rows);
    this.#bytes.set(bytes);
    const words = this.#words;
    for (; this.#size < size; this.#size++) {
      const row = this.#size;
      const slot = this.#freeSlot(row, (other) => {
        for (let i = 0; i < WORDS; i++) if (words[other * WORDS + i] !== words[row * WORDS + i]) return;
        throw new DamagedError("A list of object ids has one twice");
      });
      this.#slots[slot] = row + 1;
    }
  }

  #makeRoom(rows: number): void {
    this.#bytes = new Uint8Array(rows * OID_BYTES);
    this.#words = new Uint32Array(this.#bytes.buffer);
    this.#slots = new Int32Array(rows * SLOTS_PER_ROW);
  }

  /** The first free slot for the id of a row; `passed` is told the rows in the slots before it. */
  #freeSlot(row: number, passed?: (row: number) => void): number {
    const mask = this.#slots.length - 1;
    let slot = this.#hash(this.#words, row * WORDS) & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) passed?.(this.#slots[slot]! - 1);
    return slot;
  }
}

/** The index of a pack, version 2 (git's pack-format): where objects begin and end in the pack. */
import { DamagedError } from "../../errors.ts";
import { type Oid, OID_BYTES, writeOid } from "../../ids/oid.ts";
import { startUnrefTimer } from "../../async/timer.ts";
import { releaseBytes } from "../../bytes/bytes.ts";
import { firstWhere } from "../../bytes/search.ts";
import type { OpenFile } from "../../ports/file_system.ts";

const MAGIC_AND_VERSION = [0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2];
const FANOUT_AT = MAGIC_AND_VERSION.length;
const NAMES_AT = FANOUT_AT + 256 * 4;

/** Length of the checksum at the end of a pack, and of each of the two at the end of an index. */
export const CHECKSUM_BYTES = 20;

/** Length of a pack's header. */
export const PACK_HEADER_BYTES = 12;

/** Maximum size of an index, in bytes: some thirty million objects. */
export const MAX_INDEX_BYTES = 2 ** 30;

/** Length of the start of an index, up to its ids. */
export const INDEX_HEAD_BYTES: number = NAMES_AT;

/** Places of the tables in the file of an index. */
export interface IndexTables {
  /** Number of objects. */
  readonly count: number;
  readonly offsetsAt: number;
  readonly largeOffsetsAt: number;
  readonly largeOffsetsCount: number;
}

/**
 * Reads the start of an index.
 *
 * @param head At least the first {@link INDEX_HEAD_BYTES}, if the file has so many.
 * @param size Length of the file in bytes.
 * @throws {DamagedError} when it is not the start of an index, or the tables do not fill the file.
 */
export function readTables(head: DataView, size: number): IndexTables {
  if (
    size < NAMES_AT + 2 * CHECKSUM_BYTES || MAGIC_AND_VERSION.some((byte, i) => head.getUint8(i) !== byte)
  ) {
    throw new DamagedError("A pack index has no table of version 2");
  }
  for (let i = 1, last = 0; i < 256; i++) {
    const sum = head.getUint32(FANOUT_AT + 4 * i);
    if (sum < (last = head.getUint32(FANOUT_AT + 4 * (i - 1)))) {
      throw new DamagedError(`A pack index counts ${sum} objects after ${last}`);
    }
  }
  const count = head.getUint32(NAMES_AT - 4);
  // The ids are followed by four bytes of CRC-32 each, which are redundant here, and then the offsets.
  const offsetsAt = NAMES_AT + count * (OID_BYTES + 4);
  const largeOffsetsAt = offsetsAt + count * 4;
  const largeOffsetsCount = (size - 2 * CHECKSUM_BYTES - largeOffsetsAt) / 8;
  if (!Number.isInteger(largeOffsetsCount) || largeOffsetsCount < 0 || largeOffsetsCount > count) {
    throw new DamagedError("A pack index is truncated");
  }
  return { count, offsetsAt, largeOffsetsAt, largeOffsetsCount };
}

/** Ids that begin with a byte: place of the first one among all ids, and of the one after the last. */
export function placesOf(head: DataView, firstByte: number): [low: number, high: number] {
  const low = firstByte === 0 ? 0 : head.getUint32(FANOUT_AT + 4 * (firstByte - 1));
  return [low, head.getUint32(FANOUT_AT + 4 * firstByte)];
}

/**
 * End of the entry at `start`, after which the entry at `next` begins, or none at `Infinity`.
 *
 * @param next `undefined` when no entry begins at `start`.
 * @throws {DamagedError} in that case, or when the entry is not within the pack.
 */
export function endOfEntry(start: number, next: number | undefined, packSize: number): number {
  const end = Math.min(next ?? 0, packSize - CHECKSUM_BYTES);
  if (next === undefined || start < PACK_HEADER_BYTES || start >= end) {
    throw new DamagedError(`No pack entry begins at ${start}`);
  }
  return end;
}

/** A pack's index. */
export interface ObjectPlaces {
  /** Number of objects in the pack. */
  readonly count: number;
  /** SHA-1 of the pack's content, also in the pack's last 20 bytes. */
  readonly packChecksum: Uint8Array;
  /** Approximate memory of the index after the first lookup of an entry, in bytes. */
  readonly memoryBytes: number;
  /**
   * Position of an object in the pack; `undefined` when the pack does not have it.
   *
   * @throws {DamagedError} when its offset is missing from the index.
   */
  find(oid: Oid): number | undefined;
  /**
   * End of the entry at `start`: the start of the next one, or of the pack's checksum.
   *
   * @throws {DamagedError} when no entry starts there, or it is not within the pack.
   */
  entryEnd(start: number, packSize: number): number;
  /** Frees what takes memory and can be read again. */
  close?(): void;
}

/** A pack's index, in memory as in the file. */
export class PackIndex implements ObjectPlaces {
  readonly count: number;
  readonly packChecksum: Uint8Array;
  readonly #view: DataView;
  readonly #tables: IndexTables;
  #starts: PackStarts | undefined;
  /** In ascending order, of a pack with large offsets. */
  #largeStarts: Float64Array | undefined;
  /** The id being searched for. */
  readonly #wanted = new DataView(new ArrayBuffer(OID_BYTES));
  readonly #wantedBytes = new Uint8Array(this.#wanted.buffer);

  /** @throws {DamagedError} when the bytes are not an index, or its tables do not fill it. */
  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#tables = readTables(this.#view, bytes.length);
    this.count = this.#tables.count;
    this.packChecksum = bytes.subarray(bytes.length - 2 * CHECKSUM_BYTES, bytes.length - CHECKSUM_BYTES);
  }

  get memoryBytes(): number {
    return this.#view.byteLength + (this.#tables.largeOffsetsCount === 0 ? 4 : 8) * this.count;
  }

  find(oid: Oid): number | undefined {
    writeOid(oid, this.#wantedBytes, 0);
    let [low, high] = placesOf(this.#view, this.#wantedBytes[0]!);
    // The first word distinguishes nearly all ids; the others are compared only when it is equal.
    const firstWord = this.#wanted.getUint32(0);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#view.getUint32(NAMES_AT + middle * OID_BYTES) - firstWord ||
        this.#compareWanted(middle);
      if (order === 0) return this.#offset(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  entryEnd(start: number, packSize: number): number {
    const isSmall = this.#tables.largeOffsetsCount === 0;
    return endOfEntry(start, isSmall ? this.#startAfter(start) : this.#largeStartAfter(start), packSize);
  }

  /** As `PackStarts.after`. Offsets into a missing table of large offsets come last. */
  #startAfter(start: number): number | undefined {
    const view = this.#view;
    const { offsetsAt } = this.#tables;
    this.#starts ??= new PackStarts(this.count, (entry) => view.getUint32(offsetsAt + 4 * entry));
    return this.#starts.after(start);
  }

  #largeStartAfter(start: number): number | undefined {
    const starts = this.#largeStarts ??= Float64Array.from(
      { length: this.count },
      (_, position) => this.#offsetOrNaN(position),
    ).sort(); // NaN sorts last
    const place = placeAfter(starts, start);
    return place === undefined ? undefined : starts[place] ?? Infinity;
  }

  /** Compares the id at a position with the wanted one. */
  #compareWanted(position: number): number {
    const at = NAMES_AT + position * OID_BYTES;
    for (let i = 0; i < OID_BYTES; i += 4) {
      const difference = this.#view.getUint32(at + i) - this.#wanted.getUint32(i);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #offset(position: number): number {
    const offset = this.#offsetOrNaN(position);
    if (Number.isNaN(offset)) throw new DamagedError("A pack index has no offset for an object");
    return offset;
  }

  #offsetOrNaN(position: number): number {
    const { offsetsAt, largeOffsetsAt, largeOffsetsCount } = this.#tables;
    const offset = this.#view.getUint32(offsetsAt + 4 * position);
    if (offset < 2 ** 31) return offset;
    // The highest bit is set: the rest is an index into the table of large offsets.
    const large = offset - 2 ** 31;
    if (large >= largeOffsetsCount) return NaN;
    const at = largeOffsetsAt + 8 * large;
    return this.#view.getUint32(at) * 2 ** 32 + this.#view.getUint32(at + 4);
  }
}

/** Bits of a place within its part of the pack. */
const PART_BITS = 16;
/** Longer parts, which only malformed packs have, are sorted by their digits: that takes linear time. */
const SHORT_PART = 2 ** 13;

/**
 * The starts of a pack's entries, numbers below 2³², in ascending order. Sorting those of a large pack at
 * once would hold up the first request that reads it. So they are divided into parts of the pack at first,
 * and each part is sorted when it is needed.
 */
export class PackStarts {
  readonly #starts: Uint32Array<ArrayBuffer>;
  /** Where each part begins among the starts; one more at the end. */
  readonly #parts: Uint32Array;
  readonly #isSorted: Uint8Array;

  /**
   * @param count Number of entries.
   * @param startOf The start of the entry with a number, in any order.
   */
  constructor(count: number, startOf: (entry: number) => number) {
    let last = 0;
    for (let i = 0; i < count; i++) last = Math.max(last, startOf(i));
    const parts = new Uint32Array((last >>> PART_BITS) + 2);
    for (let i = 0; i < count; i++) parts[(startOf(i) >>> PART_BITS) + 1]!++;
    for (let i = 1; i < parts.length; i++) parts[i]! += parts[i - 1]!;
    const next = parts.slice();
    this.#starts = new Uint32Array(count);
    for (let i = 0; i < count; i++) {
      const start = startOf(i);
      this.#starts[next[start >>> PART_BITS]!++] = start;
    }
    this.#parts = parts;
    this.#isSorted = new Uint8Array(parts.length);
  }

  /**
   * The start of the entry that follows the one at `start`, `Infinity` after the last; `undefined` when none
   * begins at `start`.
   */
  after(start: number): number | undefined {
    let part = start >>> PART_BITS;
    if (part + 1 >= this.#parts.length) return undefined;
    const starts = this.#sorted(part);
    const place = placeAfter(starts, start);
    if (place === undefined) return undefined;
    if (place < starts.length) return starts[place];
    while (++part + 1 < this.#parts.length) {
      if (this.#parts[part + 1]! > this.#parts[part]!) return this.#sorted(part)[0];
    }
    return Infinity;
  }

  #sorted(part: number): Uint32Array {
    const starts = this.#starts.subarray(this.#parts[part], this.#parts[part + 1]);
    if (this.#isSorted[part] === 1) return starts;
    this.#isSorted[part] = 1;
    if (starts.length <= SHORT_PART) return starts.sort();
    starts.set(sortByDigits(starts));
    return starts;
  }
}

/** The place behind a start in an ascending list of starts; `undefined` when the list does not have it. */
export function placeAfter(starts: Uint32Array | Float64Array, start: number): number | undefined {
  const place = firstWhere(starts.length, (at) => starts[at]! > start);
  return starts[place - 1] === start ? place : undefined;
}

/** Sorts by eleven bits at a time, lowest first. */
function sortByDigits(numbers: Uint32Array<ArrayBuffer>): Uint32Array {
  let [from, to] = [numbers.slice(), new Uint32Array(numbers.length)];
  for (const shift of [0, 11, 22]) {
    const places = new Uint32Array(2 ** 11 + 1);
    for (let i = 0; i < from.length; i++) places[(from[i]! >>> shift & 0x7ff) + 1]!++;
    for (let i = 1; i < places.length; i++) places[i]! += places[i - 1]!;
    for (let i = 0; i < from.length; i++) to[places[from[i]! >>> shift & 0x7ff]!++] = from[i]!;
    [from, to] = [to, from];
  }
  return from;
}

/** Size from which on an index is large, in bytes: 150,000 objects. Smaller ones stay in memory. */
export const LARGE_INDEX_BYTES = 2 ** 22;
/** Objects that are looked for in the file before all of the index is read, which takes as long. */
export const LOOKUPS_IN_FILE = 500;
/** Time without a lookup after which the index leaves memory, in milliseconds; at most twice as long. */
export const UNUSED_MS = 10_000;
/** Ids that are read at once; among more of them, single ones are read first. */
const IDS_AT_ONCE = 2 ** 12;

/** Parts of a large index. */
export interface LargeIndexOptions {
  /** The open file, the same content each time; to be used at once. Throws when it is gone. */
  readonly file: () => OpenFile;
  readonly setTimer?: (ms: number, call: () => void) => () => void;
}

/**
 * The index of a large pack, without offsets beyond 2 GiB. It is in memory as long as it is used much;
 * otherwise a few bytes of its file are read for each object.
 */
export class LargeIndex implements ObjectPlaces {
  readonly packChecksum: Uint8Array;
  readonly #file: () => OpenFile;
  readonly #setTimer: (ms: number, call: () => void) => () => void;
  readonly #size: number;
  readonly #head: DataView;
  readonly #tables: IndexTables;
  readonly #wanted = new Uint8Array(OID_BYTES);
  /** Ids that have been read. */
  #ids: Uint8Array | undefined;
  #starts: PackStarts | undefined;
  /** All of the index. */
  #whole: { readonly index: PackIndex; readonly bytes: Uint8Array } | undefined;
  #lookups = 0;
  #cancelTimer: (() => void) | undefined;

  /** @throws {DamagedError} when the file is not an index. */
  constructor({ file, setTimer = startUnrefTimer }: LargeIndexOptions) {
    this.#file = file;
    this.#setTimer = setTimer;
    this.#size = file().size;
    this.#head = viewOf(this.#read(0, INDEX_HEAD_BYTES));
    this.#tables = readTables(this.#head, this.#size);
    this.packChecksum = this.#read(this.#size - 2 * CHECKSUM_BYTES, CHECKSUM_BYTES);
  }

  get count(): number {
    return this.#tables.count;
  }

  /** Whether the pack has offsets beyond 2 GiB. */
  get isFar(): boolean {
    return this.#tables.largeOffsetsCount > 0;
  }

  get memoryBytes(): number {
    return this.#size + 4 * this.count;
  }

  find(oid: Oid): number | undefined {
    this.#lookups++;
    if (this.#whole === undefined && this.#lookups > LOOKUPS_IN_FILE) this.#load();
    return this.#whole === undefined ? this.#findInFile(oid) : this.#whole.index.find(oid);
  }

  entryEnd(start: number, packSize: number): number {
    return endOfEntry(start, (this.#starts ??= this.#readStarts()).after(start), packSize);
  }

  close(): void {
    this.#cancelTimer?.();
    this.#drop();
  }

  #load(): void {
    const bytes = this.#read(0, this.#size);
    this.#whole = { index: new PackIndex(bytes), bytes };
    this.#watch();
  }

  /** Drops the index when nothing is looked for during a period. */
  #watch(): void {
    const before = this.#lookups;
    this.#cancelTimer = this.#setTimer(UNUSED_MS, () => {
      if (this.#lookups === before) this.#drop();
      else this.#watch();
    });
  }

  #drop(): void {
    releaseBytes(this.#whole?.bytes);
    this.#whole = this.#cancelTimer = undefined;
    this.#lookups = 0;
  }

  #findInFile(oid: Oid): number | undefined {
    writeOid(oid, this.#wanted, 0);
    let [low, high] = placesOf(this.#head, this.#wanted[0]!);
    const ids = this.#ids ??= new Uint8Array(IDS_AT_ONCE * OID_BYTES);
    const readIds = (place: number, count: number) =>
      this.#fill(ids.subarray(0, count * OID_BYTES), INDEX_HEAD_BYTES + place * OID_BYTES);
    while (high - low > IDS_AT_ONCE) {
      const middle = (low + high) >>> 1;
      readIds(middle, 1);
      if (this.#compare(ids, 0) <= 0) low = middle;
      else high = middle;
    }
    readIds(low, high - low);
    for (let first = 0, end = high - low; first < end;) {
      const middle = (first + end) >>> 1;
      const order = this.#compare(ids, middle * OID_BYTES);
      if (order === 0) return this.#offset(low + middle);
      if (order < 0) first = middle + 1;
      else end = middle;
    }
    return undefined;
  }

  #offset(place: number): number {
    const offset = viewOf(this.#read(this.#tables.offsetsAt + 4 * place, 4)).getUint32(0);
    if (offset >= 2 ** 31) throw new DamagedError("A pack index has no offset for an object");
    return offset;
  }

  /** Compares an id with the wanted one. */
  #compare(ids: Uint8Array, at: number): number {
    for (let i = 0; i < OID_BYTES; i++) {
      const difference = ids[at + i]! - this.#wanted[i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #readStarts(): PackStarts {
    const offsets = this.#read(this.#tables.offsetsAt, 4 * this.count);
    const view = viewOf(offsets);
    const starts = new PackStarts(this.count, (entry) => view.getUint32(4 * entry));
    releaseBytes(offsets);
    return starts;
  }

  #read(position: number, length: number): Uint8Array {
    return this.#fill(new Uint8Array(length), position);
  }

  #fill<T extends Uint8Array>(bytes: T, position: number): T {
    if (this.#file().read(bytes, position) === bytes.length) return bytes;
    throw new DamagedError("A pack index is truncated");
  }
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}

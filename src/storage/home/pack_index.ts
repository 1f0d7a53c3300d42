/**
 * The index of a pack, version 1 or 2 (pack-format of git). It has the offsets of the objects in the pack.
 */
import { DamagedError } from "../../errors.ts";
import { type Oid, OID_BYTES, writeOid } from "../../ids/oid.ts";
import { startUnrefTimer } from "../../async/timer.ts";
import { releaseBytes } from "../../bytes/bytes.ts";
import { runSync } from "../../scheduling/task.ts";
import { PackStarts } from "../../git/pack/pack_starts.ts";
import type { PlacedObject } from "../../git/pack/pack_source.ts";
import type { OpenFile } from "../../ports/file_system.ts";

/** The first 32-bit number of an index of version 2. Version 1 lacks it and begins with its table of sums. */
const SIGNATURE = 0xff744f63;
/**
 * Length of the table of sums, in bytes. For each value of a first byte, the table has the number of ids
 * whose first byte is at most this value.
 */
const SUMS_BYTES = 256 * 4;
/**
 * Length of the part before ids and offsets, in bytes. Version 1 lacks the signature and the version number.
 */
const HEAD_BYTES = 8 + SUMS_BYTES;

/** Length of the checksum of a pack, and of each of the two checksums at the end of an index, in bytes. */
export const CHECKSUM_BYTES = 20;

/** Length of the header of a pack, in bytes. */
export const PACK_HEADER_BYTES = 12;

/** Maximum size of an index, in bytes: enough for some thirty million objects. */
export const MAX_INDEX_BYTES = 2 ** 30;

/** Size from which on an index is large, in bytes: 150,000 objects. Smaller indexes stay in memory. */
export const LARGE_INDEX_BYTES = 2 ** 22;
/** Number of lookups in the file before a large index is read whole, which takes as long as these lookups. */
export const LOOKUPS_IN_FILE = 500;
/**
 * Time without a lookup after which a large index is removed from memory, in milliseconds. The removal may
 * take up to twice this time.
 */
export const UNUSED_MS = 10_000;
/** Maximum number of ids that are read together. A larger range is first narrowed by reading single ids. */
const IDS_AT_ONCE = 2 ** 8;

/** Length of a part of a pack, in bytes. The objects of each part are sorted together. */
const SORTED_BYTES = 2 ** 26;
/** An upper bound of the number of objects in an index, a power of two. */
const MAX_OBJECTS = 2 ** 26;

/** Positions of the tables in the file of an index. All members that end in `At` are offsets in the file. */
interface IndexTables {
  readonly version: 1 | 2;
  /** Offset of the table of sums, which has the number of ids up to each first byte. */
  readonly sumsAt: number;
  readonly count: number;
  /** Offset of the first id. */
  readonly idsAt: number;
  /** Distance from an id to the next id, in bytes. */
  readonly idStep: number;
  readonly offsetsAt: number;
  readonly offsetStep: number;
  readonly largeOffsetsAt: number;
  readonly largeOffsetsCount: number;
}

/**
 * Reads the positions of the tables from the start of an index.
 *
 * @param head The first {@link HEAD_BYTES}.
 * @param size Size of the file in bytes.
 * @throws {DamagedError} when the bytes are not the start of an index, or the tables do not fill the file.
 */
function readTables(head: DataView, size: number): IndexTables {
  const version = head.getUint32(0) === SIGNATURE ? 2 : 1;
  if (version === 2 && head.getUint32(4) !== 2) {
    throw new DamagedError(`A pack index has the unknown version ${head.getUint32(4)}`);
  }
  const sumsAt = version === 1 ? 0 : HEAD_BYTES - SUMS_BYTES;
  for (let i = 1, last = 0; i < 256; i++) {
    const sum = head.getUint32(sumsAt + 4 * i);
    if (sum < (last = head.getUint32(sumsAt + 4 * (i - 1)))) {
      throw new DamagedError(`A pack index counts ${sum} objects after ${last}`);
    }
  }
  const tablesAt = sumsAt + SUMS_BYTES;
  const count = head.getUint32(tablesAt - 4);
  const tables = version === 1 ? pairedTables(tablesAt, count) : separateTables(tablesAt, count);
  const largeOffsetsCount = (size - 2 * CHECKSUM_BYTES - tables.largeOffsetsAt) / 8;
  if (
    !Number.isInteger(largeOffsetsCount) || largeOffsetsCount < 0 ||
    largeOffsetsCount > (version === 1 ? 0 : count)
  ) {
    throw new DamagedError("A pack index is truncated");
  }
  return { ...tables, version, sumsAt, count, largeOffsetsCount };
}

type TablePlaces = Omit<IndexTables, "version" | "sumsAt" | "count" | "largeOffsetsCount">;

/** Returns the tables of version 1: each offset is followed by its id, and all offsets have four bytes. */
function pairedTables(at: number, count: number): TablePlaces {
  const step = 4 + OID_BYTES;
  return { idsAt: at + 4, idStep: step, offsetsAt: at, offsetStep: step, largeOffsetsAt: at + count * step };
}

/** Returns the tables of version 2: ids, unused CRC-32 of four bytes each, offsets, and large offsets. */
function separateTables(at: number, count: number): TablePlaces {
  const offsetsAt = at + count * (OID_BYTES + 4);
  return {
    idsAt: at,
    idStep: OID_BYTES,
    offsetsAt,
    offsetStep: 4,
    largeOffsetsAt: offsetsAt + count * 4,
  };
}

export interface PackIndexOptions {
  /**
   * Returns the open file, with the same content each time. The caller must use it at once. Throws when the
   * file no longer exists.
   */
  readonly file: () => OpenFile;
  /**
   * Whether the index is too large to be always in memory. While there are few lookups, each lookup reads a
   * few bytes of the file. After many lookups, the whole index is loaded for some time. By default `false`.
   */
  readonly isLarge?: boolean;
  readonly setTimer?: (ms: number, call: () => void) => () => void;
}

/**
 * The index of a pack. In memory, it has the same format as in the file. A large index is in memory only
 * while it is used often.
 */
export class PackIndex {
  readonly count: number;
  /** SHA-1 of the content of the pack. The pack ends with the same 20 bytes. */
  readonly packChecksum: Uint8Array;
  readonly #file: () => OpenFile;
  readonly #isLarge: boolean;
  readonly #setTimer: (ms: number, call: () => void) => () => void;
  readonly #size: number;
  readonly #head: DataView;
  readonly #tables: IndexTables;
  /** The whole file of the index, while it is in memory. */
  #whole: DataView<ArrayBuffer> | undefined;
  #starts: PackStarts | undefined;
  #lookups = 0;
  #cancelTimer: (() => void) | undefined;
  /** The id of the current lookup. */
  readonly #wanted = new DataView(new ArrayBuffer(OID_BYTES));
  readonly #wantedBytes = new Uint8Array(this.#wanted.buffer);

  /** @throws {DamagedError} when the file is not an index, or its tables do not fill the file. */
  constructor({ file, isLarge = false, setTimer = startUnrefTimer }: PackIndexOptions) {
    this.#file = file;
    this.#isLarge = isLarge;
    this.#setTimer = setTimer;
    this.#size = file().size;
    if (!isLarge) this.#whole = this.#read(0, this.#size);
    if (this.#size < HEAD_BYTES) throw new DamagedError("A pack index is truncated");
    this.#head = this.#read(0, HEAD_BYTES);
    this.#tables = readTables(this.#head, this.#size);
    this.count = this.#tables.count;
    const { buffer, byteOffset } = this.#read(this.#size - 2 * CHECKSUM_BYTES, CHECKSUM_BYTES);
    this.packChecksum = new Uint8Array(buffer, byteOffset, CHECKSUM_BYTES);
  }

  /** Approximate memory of the index after all its tables have been used, in bytes. */
  get memoryBytes(): number {
    return this.#size + (this.#tables.largeOffsetsCount === 0 ? 4 : 8) * this.count;
  }

  /**
   * Returns the offset of an object in the pack; `undefined` when the pack does not have the object.
   *
   * @throws {DamagedError} when the offset is missing from the index.
   */
  find(oid: Oid): number | undefined {
    if (++this.#lookups > LOOKUPS_IN_FILE && this.#whole === undefined) this.#load();
    writeOid(oid, this.#wantedBytes, 0);
    const firstWord = this.#wanted.getUint32(0);
    const firstByte = this.#wantedBytes[0]!;
    const { sumsAt, idsAt, idStep } = this.#tables;
    let low = firstByte === 0 ? 0 : this.#head.getUint32(sumsAt + 4 * (firstByte - 1));
    let high = this.#head.getUint32(sumsAt + 4 * firstByte);
    while (this.#whole === undefined && high - low > IDS_AT_ONCE) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#read(idsAt + middle * idStep, OID_BYTES), 0) <= 0) low = middle;
      else high = middle;
    }
    const ids = this.#whole ?? this.#read(idsAt + low * idStep, (high - low) * idStep);
    const firstAt = this.#whole === undefined ? -low * idStep : idsAt;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = firstAt + middle * idStep;
      // The first 32 bits of nearly all ids are different.
      const order = ids.getUint32(at) - firstWord || this.#compare(ids, at);
      if (order === 0) return this.#offset(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /**
   * Returns the end of the entry at `start`. It is the start of the next entry, or of the checksum of the
   * pack.
   *
   * @throws {DamagedError} when no entry starts at `start`, or the entry is not within the pack.
   */
  entryEnd(start: number, packSize: number): number {
    const next = (this.#starts ??= this.#readStarts(packSize)).after(start);
    const end = Math.min(next ?? 0, packSize - CHECKSUM_BYTES);
    if (next === undefined || start < PACK_HEADER_BYTES || start >= end) {
      throw new DamagedError(`No pack entry begins at ${start}`);
    }
    return end;
  }

  /**
   * Yields the objects of the pack in the order of their offsets. The id of an object is a view of the memory
   * of the index. A caller that keeps the id must copy it.
   *
   * @throws {DamagedError} in the same case as {@link find}.
   */
  *inOrder(packSize: number): Generator<PlacedObject> {
    if (this.#whole === undefined) this.#load();
    const { idsAt, idStep } = this.#tables;
    const ids = new Uint8Array(this.#whole!.buffer);
    for (let start = 0; start < packSize; start += SORTED_BYTES) {
      // The offset in the part and the index of the object, combined into one number, which is exact.
      const places: number[] = [];
      for (let i = 0; i < this.count; i++) {
        const at = this.#offset(i) - start;
        if (at >= 0 && at < Math.min(SORTED_BYTES, packSize - start)) places.push(at * MAX_OBJECTS + i);
      }
      for (const place of Float64Array.from(places).sort()) {
        const number = place % MAX_OBJECTS;
        const at = idsAt + number * idStep;
        const oid = ids.subarray(at, at + OID_BYTES);
        yield { oid, offset: start + (place - number) / MAX_OBJECTS };
      }
    }
  }

  /** Frees the memory of a large index. Its content can be read again. */
  close(): void {
    this.#cancelTimer?.();
    if (this.#isLarge) this.#drop();
  }

  #load(): void {
    this.#whole = this.#read(0, this.#size);
    this.#watch();
  }

  /** Starts a timer that removes the index from memory after a period without lookups. */
  #watch(): void {
    const before = this.#lookups;
    this.#cancelTimer = this.#setTimer(UNUSED_MS, () => {
      if (this.#lookups === before) this.#drop();
      else this.#watch();
    });
  }

  #drop(): void {
    releaseBytes(this.#whole && new Uint8Array(this.#whole.buffer));
    this.#whole = this.#cancelTimer = undefined;
    this.#lookups = 0;
  }

  /** Compares the id at the offset `at` of `ids` with the id of the current lookup. */
  #compare(ids: DataView, at: number): number {
    for (let i = 0; i < OID_BYTES; i += 4) {
      const difference = ids.getUint32(at + i) - this.#wanted.getUint32(i);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #offset(position: number): number {
    const { offsetsAt, offsetStep, largeOffsetsAt, largeOffsetsCount } = this.#tables;
    const at = offsetsAt + offsetStep * position;
    const offset = this.#whole?.getUint32(at) ?? this.#read(at, 4).getUint32(0);
    const large = this.#largeOffset(offset);
    if (large < 0) return offset;
    if (large >= largeOffsetsCount) throw new DamagedError("A pack index has no offset for an object");
    return largeOffsetIn(this.#read(largeOffsetsAt + 8 * large, 8), 0);
  }

  /**
   * Returns the index of an offset in the table of large offsets; a negative number for a small offset. In
   * version 2 the highest bit marks the index of a large offset.
   */
  #largeOffset(offset: number): number {
    return this.#tables.version === 1 ? -1 : offset - 2 ** 31;
  }

  #readStarts(packSize: number): PackStarts {
    const { offsetsAt, offsetStep, largeOffsetsAt, largeOffsetsCount } = this.#tables;
    const offsets = this.#read(offsetsAt, offsetStep * this.count);
    const table = this.#read(largeOffsetsAt, 8 * largeOffsetsCount);
    const startOf = (entry: number) => {
      const offset = offsets.getUint32(offsetStep * entry);
      const large = this.#largeOffset(offset);
      return large < 0 ? offset : large < largeOffsetsCount ? largeOffsetIn(table, large) : Infinity;
    };
    const starts = runSync(PackStarts.divide(this.count, startOf, packSize));
    if (this.#whole === undefined) releaseBytes(new Uint8Array(offsets.buffer));
    return starts;
  }

  #read(position: number, length: number): DataView<ArrayBuffer> {
    if (this.#whole !== undefined && position + length <= this.#size) {
      return new DataView(this.#whole.buffer, position, length);
    }
    const bytes = new Uint8Array(length);
    if (this.#file().read(bytes, position) === length) return new DataView(bytes.buffer);
    throw new DamagedError("A pack index is truncated");
  }
}

function largeOffsetIn(table: DataView, index: number): number {
  return table.getUint32(8 * index) * 2 ** 32 + table.getUint32(8 * index + 4);
}

/**
 * The index of a large pack. It is in memory as long as it is used much; otherwise a few bytes of its file
 * are read for each object.
 */
import { startUnrefTimer } from "../../async/timer.ts";
import { releaseBytes } from "../../bytes/bytes.ts";
import { DamagedError } from "../../errors.ts";
import { type Oid, OID_BYTES, writeOid } from "../../ids/oid.ts";
import type { OpenFile } from "../../ports/file_system.ts";
import {
  CHECKSUM_BYTES,
  endOfEntry,
  INDEX_HEAD_BYTES,
  type IndexTables,
  type ObjectPlaces,
  PackIndex,
  PackStarts,
  placesOf,
  readTables,
} from "./pack_index.ts";

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

/** An index without offsets beyond 2 GiB. */
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

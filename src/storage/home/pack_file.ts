/** The file of a pack: its entries by their places, and what they hold. */
import { DamagedError } from "../../errors.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../../ids/oid.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";
import type { ObjectKind } from "../../ports/storage.ts";
import type { Turns } from "../../time/turns.ts";
import { CHECKSUM_BYTES, MAX_INDEX_BYTES, PACK_HEADER_BYTES, PackIndex } from "./pack_index.ts";
import type { CacheKey, Surroundings } from "./surroundings.ts";
import { checkPackedSize, UNPACKED_AT_ONCE_BYTES, unpackSlowly } from "./unpack.ts";

/** Packs are read in pieces of this many bytes; larger ones make reading here and there in a large pack slower. */
export const WINDOW_BYTES = 2 ** 16;

/** The bytes that hold an entry's type, size and base at most. */
const ENTRY_HEADER_BYTES = 32;

const KINDS: readonly (ObjectKind | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
/** "PACK". */
const SIGNATURE = 0x5041434b;
const VERSION = 2;

/** Thrown when a pack's file is gone or another one now, as after `git gc`: the list of packs must be read again. */
export class PackGone extends Error {}

/** Thrown when there is less in a pack's file than there was: it may be back in a moment. */
export class CutOffError extends DamagedError {}

/** An entry's place in the pack, and what it says before its packed data. */
export interface Entry {
  /** The object's kind, or none for a delta. */
  readonly kind: ObjectKind | undefined;
  /** Where the object begins that this one is a delta of. */
  readonly base: number;
  /** Length of the unpacked data, for a delta those of the delta itself. */
  readonly size: number;
  readonly dataAt: number;
  readonly end: number;
}

/** An entry that is no delta. */
export type WholeEntry = Entry & { readonly kind: ObjectKind };

/** Places below the first in packs below the second number have keys that are exact integers. */
const MAX_NUMBERED_PLACE = 2 ** 36;
const MAX_NUMBERED_PACKS = 2 ** 17;

let packsOpened = 0;

/** A pack's file and its index. The index stays in memory; the file is opened again when needed, should the handle have been given up. */
export class PackFile {
  /** Path of the file. */
  readonly path: string;
  readonly #index: PackIndex;
  readonly #surroundings: Surroundings;
  /** What tells this pack's pieces from others' in the caches: never used twice, unlike the name of a file. */
  readonly #serial = packsOpened++;
  /** The handle that was found to belong to the index. */
  #file: OpenFile | undefined;
  #lastWindow: { readonly number: number; readonly bytes: Uint8Array } | undefined;

  /**
   * Opens the pack of two files, `path` with `.idx` and `.pack` after it.
   *
   * @throws {PackGone} when one of the files is not there.
   * @throws {DamagedError} when the index is broken or belongs to another pack.
   */
  constructor(path: string, surroundings: Surroundings) {
    this.path = path + ".pack";
    this.#surroundings = surroundings;
    this.#index = readIndex(path + ".idx", surroundings.fileSystem);
    const file = surroundings.files.get(this.path);
    if (file === undefined) throw new PackGone();
    if (!belongs(file, this.#index)) throw new DamagedError("A pack and its index do not belong together");
    this.#file = file;
  }

  /**
   * Where an object begins in this pack; `undefined` when it is not in it.
   *
   * @throws {DamagedError}
   */
  find(oid: Oid): number | undefined {
    return this.#index.find(oid);
  }

  /** The key of a place in the caches: a number as a rule, since making texts takes longer than looking them up. */
  key(place: number): CacheKey {
    return place < MAX_NUMBERED_PLACE && this.#serial < MAX_NUMBERED_PACKS
      ? this.#serial * MAX_NUMBERED_PLACE + place
      : `${this.#serial}:${place}`;
  }

  /** Memory that the index takes, and the last window that was read, in bytes, about. */
  get memoryBytes(): number {
    return this.#index.memoryBytes + WINDOW_BYTES;
  }

  /** Gives up the handle. */
  close(): void {
    this.#surroundings.files.close(this.path);
    this.#lastWindow = undefined;
  }

  /**
   * Reads what precedes an entry's packed data: type and size, and for a delta which object it starts from.
   *
   * @param isFar Whether what is around it will hardly be needed.
   */
  entry(start: number, isFar = false): Entry {
    const file = this.#opened();
    const end = this.#index.entryEnd(start, file.size);
    const bytes = this.bytes(start, Math.min(ENTRY_HEADER_BYTES, end - start), isFar);
    let at = 0;
    const next = () => bytes[at++] ?? damaged(`The pack entry at ${start} is cut off`);

    // Three bits of type and four of size, then seven of size a byte.
    let byte = next();
    const type = (byte >> 4) & 7;
    let size = byte & 0x0f;
    for (let scale = 16; byte >= 0x80; scale *= 128) {
      byte = next();
      size += (byte & 0x7f) * scale;
    }
    if (!Number.isSafeInteger(size)) damaged(`The pack entry at ${start} claims ${size} bytes`);

    let base = 0;
    if (type === OFFSET_DELTA) {
      // Seven bits a byte, the highest first; each further byte counts from where the shorter numbers end.
      byte = next();
      let distance = byte & 0x7f;
      while (byte >= 0x80) {
        byte = next();
        distance = (distance + 1) * 128 + (byte & 0x7f);
      }
      base = start - distance;
    } else if (type === REFERENCE_DELTA) {
      if (at + OID_BYTES > bytes.length) damaged(`The pack entry at ${start} is cut off`);
      const oid = oidFromBytes(bytes, at);
      at += OID_BYTES;
      base = this.#index.find(oid) ??
        damaged(`The base ${oid} of the pack entry at ${start} is not in the pack`);
    } else if (KINDS[type] === undefined) {
      damaged(`The pack entry at ${start} has the unknown type ${type}`);
    }
    return { kind: KINDS[type], base, size, dataAt: start + at, end };
  }

  unpack(entry: Entry): Uint8Array {
    checkPackedSize(entry.end - entry.dataAt, entry.size);
    return this.#surroundings.unpack(this.bytes(entry.dataAt, entry.end - entry.dataAt), entry.size);
  }

  async unpackSlowly(entry: Entry, turns: Turns): Promise<Uint8Array> {
    if (entry.size <= UNPACKED_AT_ONCE_BYTES) return this.unpack(entry);
    checkPackedSize(entry.end - entry.dataAt, entry.size);
    return await unpackSlowly(this.#read(entry.dataAt, entry.end - entry.dataAt), entry.size, turns);
  }

  /** Bytes of the pack, to be used before any others are asked for. */
  bytes(start: number, length: number, isFar = false): Uint8Array {
    const number = Math.floor(start / WINDOW_BYTES);
    const at = start - number * WINDOW_BYTES;
    if (at + length > WINDOW_BYTES || isFar && !this.#hasWindow(number)) return this.#read(start, length);
    const window = this.#window(number).subarray(at, at + length);
    return window.length === length ? window : cutOff();
  }

  #hasWindow(number: number): boolean {
    return this.#lastWindow?.number === number ||
      this.#surroundings.windows.get(this.key(number)) !== undefined;
  }

  #window(number: number): Uint8Array {
    if (this.#lastWindow?.number === number) return this.#lastWindow.bytes;
    const { windows } = this.#surroundings;
    const key = this.key(number);
    let bytes = windows.get(key);
    if (bytes === undefined) {
      const start = number * WINDOW_BYTES;
      bytes = this.#read(start, Math.min(WINDOW_BYTES, this.#opened().size - start));
      windows.set(key, bytes);
    }
    this.#lastWindow = { number, bytes };
    return bytes;
  }

  #read(start: number, length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    return this.#opened().read(bytes, start) === length ? bytes : cutOff();
  }

  /** The open file; when it had to be opened again, it may have been replaced meanwhile. */
  #opened(): OpenFile {
    const file = this.#surroundings.files.get(this.path);
    if (file === undefined || (file !== this.#file && !belongs(file, this.#index))) throw new PackGone();
    return this.#file = file;
  }
}

function readIndex(path: string, fileSystem: FileSystem): PackIndex {
  const file = fileSystem.open(path);
  if (file === undefined) throw new PackGone();
  try {
    if (file.size > MAX_INDEX_BYTES) damaged("A pack index is too large to be read");
    const bytes = new Uint8Array(file.size);
    return new PackIndex(bytes.subarray(0, file.read(bytes, 0)));
  } finally {
    file.close();
  }
}

/** Whether a pack is the one that an index describes: its checksum, which only a whole pack has at its end, is in both. */
function belongs(file: OpenFile, index: PackIndex): boolean {
  const checksum = new Uint8Array(CHECKSUM_BYTES);
  const header = new Uint8Array(PACK_HEADER_BYTES);
  if (file.size < header.length + checksum.length) return false;
  file.read(header, 0);
  file.read(checksum, file.size - checksum.length);
  const fields = new DataView(header.buffer);
  return fields.getUint32(0) === SIGNATURE && fields.getUint32(4) === VERSION &&
    fields.getUint32(8) === index.count &&
    checksum.every((byte, i) => byte === index.packChecksum[i]);
}

function cutOff(): never {
  throw new CutOffError("A pack is cut off");
}

function damaged(message: string): never {
  throw new DamagedError(message);
}

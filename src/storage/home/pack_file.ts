/** Reads the file of a pack: its entries by position, and their data. */
import { releaseBytes } from "../../bytes/bytes.ts";
import { DamagedError } from "../../errors.ts";
import { OID_BYTES, oidFromBytes } from "../../ids/oid.ts";
import type { OpenFile } from "../../ports/file_system.ts";
import type { ObjectKind } from "../../ports/storage.ts";
import type { Task } from "../../scheduling/task.ts";
import {
  CHECKSUM_BYTES,
  LARGE_INDEX_BYTES,
  MAX_INDEX_BYTES,
  PACK_HEADER_BYTES,
  PackIndex,
  type PlacedObject,
} from "./pack_index.ts";
import type { CacheKey, StorageContext } from "./storage_context.ts";
import {
  checkPackedSize,
  startBytes,
  UNPACKED_AT_ONCE_BYTES,
  unpackSlowly,
  unpackStart,
} from "../../git/unpack.ts";

/** Packs are read in windows of this many bytes. Larger windows slow down random reads in a large pack. */
const WINDOW_BYTES = 2 ** 16;

/** Maximum length of an entry's type, size and base. */
const ENTRY_HEADER_BYTES = 32;

const KINDS: readonly (ObjectKind | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
/** "PACK". */
const SIGNATURE = 0x5041434b;
/** Versions of packs. Version 3 has the same form as version 2. */
const VERSIONS = [2, 3];

/** A pack's file was removed or replaced, for instance by `git gc`. The list of packs must be read again. */
export class PackGone extends Error {}

/** A pack's file is shorter than before. It may be complete again soon. */
export class CutOffError extends DamagedError {}

/** The position of an entry in the pack, and the header before its compressed data. */
export interface Entry {
  /** The object's kind; `undefined` for a delta. */
  readonly kind: ObjectKind | undefined;
  /** Position of the delta's base. */
  readonly base: number;
  /** Size of the decompressed data; for a delta the size of its instructions. */
  readonly size: number;
  readonly dataAt: number;
  readonly end: number;
}

export type WholeEntry = Entry & { readonly kind: ObjectKind };

/** Below this position and this number of opened packs, cache keys are exact integers. */
const MAX_NUMBERED_PLACE = 2 ** 36;
const MAX_NUMBERED_PACKS = 2 ** 17;

let packsOpened = 0;

/** A pack's file and its index. If the handle was closed, the file is opened again. */
export class PackFile {
  /** Path of the file. */
  readonly path: string;
  /** Positions of the objects in the pack. */
  readonly index: PackIndex;
  protected readonly context: StorageContext;
  /** Identifies this pack in cache keys: never reused, unlike the name of a file. */
  readonly #serial = packsOpened++;
  /** An open file that was checked to belong to the index. */
  #file: OpenFile | undefined;
  #lastWindow: { readonly number: number; readonly bytes: Uint8Array } | undefined;

  /**
   * Opens the pack of two files, `path` with `.idx` and `.pack` appended.
   *
   * @throws {PackGone} when one of the files does not exist.
   * @throws {DamagedError} when the index is malformed or belongs to another pack.
   */
  constructor(path: string, context: StorageContext) {
    this.path = path + ".pack";
    this.context = context;
    this.index = readIndex(path + ".idx", context);
    const file = context.files.get(this.path);
    if (file === undefined) throw new PackGone();
    if (!belongs(file, this.index)) throw new DamagedError("A pack and its index do not belong together");
    this.#file = file;
  }

  /** All objects, see {@link PackIndex.inOrder}. */
  protected inOrder(): Generator<PlacedObject> {
    return this.index.inOrder(this.#opened().size);
  }

  /** The cache key of a position: usually a number, because building a text takes longer than the lookup. */
  key(place: number): CacheKey {
    return place < MAX_NUMBERED_PLACE && this.#serial < MAX_NUMBERED_PACKS
      ? this.#serial * MAX_NUMBERED_PLACE + place
      : `${this.#serial}:${place}`;
  }

  /** Approximate memory of the index and the last window, in bytes. */
  get memoryBytes(): number {
    return this.index.memoryBytes + WINDOW_BYTES;
  }

  /** Closes the file. */
  close(): void {
    this.context.files.close(this.path);
    this.index.close();
    this.#lastWindow = undefined;
  }

  /**
   * Reads the header of an entry: type and size, and the base of a delta.
   *
   * @param isFar Whether neighbouring bytes are unlikely to be needed.
   */
  entry(start: number, isFar = false): Entry {
    const file = this.#opened();
    const end = this.index.entryEnd(start, file.size);
    const bytes = this.bytes(start, Math.min(ENTRY_HEADER_BYTES, end - start), isFar);
    let at = 0;
    // Three bits of type and four of size, then seven bits of size per byte. Reading past the end yields
    // zero, which ends every number.
    let byte = bytes[at++]!;
    const type = (byte >> 4) & 7;
    let size = byte & 0x0f;
    for (let scale = 16; byte >= 0x80; scale *= 128) {
      byte = bytes[at++]!;
      size += (byte & 0x7f) * scale;
    }
    let base = 0;
    if (type === OFFSET_DELTA) {
      // Seven bits per byte, highest first. Each further byte adds an offset, so that every number has only
      // one encoding.
      byte = bytes[at++]!;
      let distance = byte & 0x7f;
      while (byte >= 0x80) {
        byte = bytes[at++]!;
        distance = (distance + 1) * 128 + (byte & 0x7f);
      }
      base = start - distance;
    } else if (type === REFERENCE_DELTA) at += OID_BYTES;
    if (at > bytes.length) damaged(`The pack entry at ${start} is cut off`);
    if (!Number.isSafeInteger(size)) damaged(`The pack entry at ${start} claims ${size} bytes`);
    if (type === REFERENCE_DELTA) {
      const oid = oidFromBytes(bytes, at - OID_BYTES);
      base = this.index.find(oid) ??
        damaged(`The base ${oid} of the pack entry at ${start} is not in the pack`);
    } else if (type !== OFFSET_DELTA && KINDS[type] === undefined) {
      damaged(`The pack entry at ${start} has the unknown type ${type}`);
    }
    return { kind: KINDS[type], base, size, dataAt: start + at, end };
  }

  unpack(entry: Entry): Uint8Array {
    checkPackedSize(entry.end - entry.dataAt, entry.size);
    const packed = this.bytes(entry.dataAt, entry.end - entry.dataAt);
    const bytes = this.context.unpack(packed, entry.size);
    // Windows are too short to be released.
    releaseBytes(packed);
    return bytes;
  }

  /** The first bytes of the decompressed data, as {@link unpackStart} returns them. */
  start({ dataAt, end }: Entry, room: Uint8Array): Uint8Array {
    return unpackStart(this.bytes(dataAt, Math.min(startBytes(room.length), end - dataAt)), room);
  }

  async unpackSlowly(entry: Entry, task: Task): Promise<Uint8Array> {
    if (entry.size <= UNPACKED_AT_ONCE_BYTES) return this.unpack(entry);
    checkPackedSize(entry.end - entry.dataAt, entry.size);
    const packed = this.#read(entry.dataAt, entry.end - entry.dataAt);
    const bytes = await unpackSlowly(packed, entry.size, task);
    releaseBytes(packed);
    return bytes;
  }

  /** Bytes of the pack; valid until the next call. */
  bytes(start: number, length: number, isFar = false): Uint8Array {
    const number = Math.floor(start / WINDOW_BYTES);
    const at = start - number * WINDOW_BYTES;
    if (at + length > WINDOW_BYTES || isFar && !this.#hasWindow(number)) return this.#read(start, length);
    const window = this.#window(number).subarray(at, at + length);
    return window.length === length ? window : cutOff();
  }

  #hasWindow(number: number): boolean {
    return this.#lastWindow?.number === number ||
      this.context.windows.get(this.key(number)) !== undefined;
  }

  #window(number: number): Uint8Array {
    if (this.#lastWindow?.number === number) return this.#lastWindow.bytes;
    const { windows } = this.context;
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

  /** The open file. After reopening it is checked again, because it may have been replaced. */
  #opened(): OpenFile {
    const file = this.context.files.get(this.path);
    if (file === undefined || (file !== this.#file && !belongs(file, this.index))) throw new PackGone();
    return this.#file = file;
  }
}

function readIndex(path: string, { fileSystem, files }: StorageContext): PackIndex {
  const file = fileSystem.open(path);
  if (file === undefined) throw new PackGone();
  try {
    if (file.size > MAX_INDEX_BYTES) damaged("A pack index is too large to be read");
    const isLarge = file.size >= LARGE_INDEX_BYTES;
    return new PackIndex({ file: isLarge ? sameFile(path, files) : () => file, isLarge });
  } finally {
    file.close();
  }
}

/** Returns a function that opens a file, as long as its checksum at the end is the same. */
function sameFile(path: string, files: StorageContext["files"]): () => OpenFile {
  let known: { readonly file: OpenFile; readonly checksum: Uint8Array } | undefined;
  return () => {
    const file = files.get(path);
    if (file === undefined) throw new PackGone();
    if (file === known?.file) return file;
    const checksum = new Uint8Array(CHECKSUM_BYTES);
    file.read(checksum, Math.max(0, file.size - CHECKSUM_BYTES));
    if (known?.checksum.some((byte, i) => byte !== checksum[i])) throw new PackGone();
    known = { file, checksum };
    return file;
  };
}

/**
 * Whether a pack belongs to an index: the index contains the checksum at the end of the pack. Only a complete
 * pack has this checksum.
 */
function belongs(file: OpenFile, index: PackIndex): boolean {
  const checksum = new Uint8Array(CHECKSUM_BYTES);
  const header = new Uint8Array(PACK_HEADER_BYTES);
  if (file.size < header.length + checksum.length) return false;
  file.read(header, 0);
  file.read(checksum, file.size - checksum.length);
  const fields = new DataView(header.buffer);
  return fields.getUint32(0) === SIGNATURE && VERSIONS.includes(fields.getUint32(4)) &&
    fields.getUint32(8) === index.count &&
    checksum.every((byte, i) => byte === index.packChecksum[i]);
}

function cutOff(): never {
  throw new CutOffError("A pack is truncated");
}

/** @throws {DamagedError} */
export function damaged(message: string): never {
  throw new DamagedError(message);
}

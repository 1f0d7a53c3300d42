/** Reads the file of a pack: its entries by their offsets, and their data. */
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

/**
 * Size of the windows in which packs are read, in bytes. Larger windows slow down random reads of large
 * packs.
 */
const WINDOW_BYTES = 2 ** 16;

/** Maximum length of the type, size and base of an entry, in bytes. */
const ENTRY_HEADER_BYTES = 32;

const KINDS: readonly (ObjectKind | undefined)[] = [undefined, "commit", "tree", "blob", "tag"];
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
/** The first bytes of a pack: "PACK". */
const SIGNATURE = 0x5041434b;
/** Versions of packs. Version 3 has the same format as version 2. */
const VERSIONS = [2, 3];

/**
 * Thrown when the file of a pack was removed or replaced, for instance by `git gc`. Then packs must be listed
 * again.
 */
export class PackGone extends Error {}

/** Thrown when the file of a pack is shorter than before. It may be complete again soon. */
export class CutOffError extends DamagedError {}

/** The header of an entry, and the position of its compressed data. */
export interface Entry {
  /** Kind of the object; `undefined` for a delta. */
  readonly kind: ObjectKind | undefined;
  /** Offset of the entry of the base; 0 unless the entry is a delta. */
  readonly base: number;
  /** Size of the decompressed data in bytes. The data of a delta are its instructions. */
  readonly size: number;
  /** Offset of the compressed data. */
  readonly dataAt: number;
  /** Offset of the end of the entry. */
  readonly end: number;
}

export type WholeEntry = Entry & { readonly kind: ObjectKind };

/**
 * Upper bounds of an offset and of the number of a pack. Below both bounds, a cache key can be an exact
 * number that combines offset and pack.
 */
const MAX_NUMBERED_PLACE = 2 ** 36;
const MAX_NUMBERED_PACKS = 2 ** 17;

let packsOpened = 0;

/** The file of a pack and its index. If another use has closed the file handle, the file is opened again. */
export class PackFile {
  readonly path: string;
  /** The index, which has the offsets of the objects in the pack. */
  readonly index: PackIndex;
  protected readonly context: StorageContext;
  /** Identifies this pack in cache keys. A number is never used again, unlike the name of a file. */
  readonly #serial = packsOpened++;
  /** An open file that was verified to belong to the index. */
  #file: OpenFile | undefined;
  #lastWindow: { readonly number: number; readonly bytes: Uint8Array } | undefined;

  /**
   * Opens the pack and its index, the files `path` with the suffixes `.pack` and `.idx`.
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

  /** Yields all objects in the order of their offsets, see {@link PackIndex.inOrder}. */
  protected inOrder(): Generator<PlacedObject> {
    return this.index.inOrder(this.#opened().size);
  }

  /**
   * Returns the cache key of an offset. It is usually a number, because creating a text takes longer than a
   * lookup.
   */
  key(place: number): CacheKey {
    return place < MAX_NUMBERED_PLACE && this.#serial < MAX_NUMBERED_PACKS
      ? this.#serial * MAX_NUMBERED_PLACE + place
      : `${this.#serial}:${place}`;
  }

  /** Approximate memory of the index and the last window, in bytes. */
  get memoryBytes(): number {
    return this.index.memoryBytes + WINDOW_BYTES;
  }

  /** Closes the file of the pack, and frees the memory of a large index. */
  close(): void {
    this.context.files.close(this.path);
    this.index.close();
    this.#lastWindow = undefined;
  }

  /**
   * Reads the header of an entry: type and size, and for a delta its base.
   *
   * @param isFar Whether the bytes around the entry are probably not needed.
   */
  entry(start: number, isFar = false): Entry {
    const file = this.#opened();
    const end = this.index.entryEnd(start, file.size);
    const bytes = this.bytes(start, Math.min(ENTRY_HEADER_BYTES, end - start), isFar);
    let at = 0;
    // The first byte has three bits of type and four bits of size. Each further byte has seven bits of size.
    // Reading beyond the end yields zero, which ends every number.
    let byte = bytes[at++]!;
    const type = (byte >> 4) & 7;
    let size = byte & 0x0f;
    for (let scale = 16; byte >= 0x80; scale *= 128) {
      byte = bytes[at++]!;
      size += (byte & 0x7f) * scale;
    }
    let base = 0;
    if (type === OFFSET_DELTA) {
      // Seven bits per byte, the highest bits first. For each further byte one is added, so that every number
      // has only one encoding.
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
    // If `packed` is a part of a window, it is too short to be released.
    releaseBytes(packed);
    return bytes;
  }

  /**
   * Decompresses the first bytes of the data of an entry into `room`, and returns these bytes. See
   * {@link unpackStart}.
   */
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

  /** Returns bytes of the pack. They are valid until the next call. */
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

  /**
   * Returns the open file of the pack. If the file had to be opened again, it is verified again, because it
   * may have been replaced.
   */
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

/** Returns a function that opens a file, and throws if the checksum at the end of the file has changed. */
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
 * Checks whether a pack belongs to an index: the index contains the checksum at the end of the pack. A pack
 * that is incomplete does not have this checksum.
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

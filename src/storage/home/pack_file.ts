/** The file of a pack with its index. The file is read in windows, which are cached. */
import { DamagedError } from "../../errors.ts";
import { cacheKey, nextPackNumber } from "../../git/pack/pack_context.ts";
import {
  type CacheKey,
  CutOffError,
  type PackSource,
  type PlacedObject,
} from "../../git/pack/pack_source.ts";
import type { Oid } from "../../ids/oid.ts";
import type { OpenFile } from "../../ports/file_system.ts";
import {
  CHECKSUM_BYTES,
  LARGE_INDEX_BYTES,
  MAX_INDEX_BYTES,
  PACK_HEADER_BYTES,
  PackIndex,
} from "./pack_index.ts";
import type { StorageContext } from "./storage_context.ts";

/**
 * Size of the windows in which packs are read, in bytes. Larger windows slow down random reads of large
 * packs.
 */
const WINDOW_BYTES = 2 ** 16;

/** The first bytes of a pack: "PACK". */
const SIGNATURE = 0x5041434b;
/** Versions of packs. Version 3 has the same format as version 2. */
const VERSIONS = [2, 3];

/**
 * Thrown when the file of a pack was removed or replaced, for instance by `git gc`. Then packs must be listed
 * again.
 */
export class PackGone extends Error {}

/** The file of a pack and its index. If another use has closed the file handle, the file is opened again. */
export class PackFile implements PackSource {
  /** The path of the file. */
  readonly name: string;
  /** The index, which has the offsets of the objects in the pack. */
  readonly index: PackIndex;
  readonly #context: StorageContext;
  /** Identifies this pack in cache keys, because the name of a file may be used again. */
  readonly #number = nextPackNumber();
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
    this.name = path + ".pack";
    this.#context = context;
    this.index = readIndex(path + ".idx", context);
    const file = context.files.get(this.name);
    if (file === undefined) throw new PackGone();
    if (!belongs(file, this.index)) throw new DamagedError("A pack and its index do not belong together");
    this.#file = file;
  }

  /** Yields all objects in the order of their offsets, see {@link PackIndex.inOrder}. */
  inOrder(): Generator<PlacedObject> {
    return this.index.inOrder(this.#opened().size);
  }

  key(place: number): CacheKey {
    return cacheKey(this.#number, place);
  }

  /** Approximate memory of the index and the last window, in bytes. */
  get memoryBytes(): number {
    return this.index.memoryBytes + WINDOW_BYTES;
  }

  /** Closes the file of the pack, and frees the memory of a large index. */
  close(): void {
    this.#context.files.close(this.name);
    this.index.close();
    this.#lastWindow = undefined;
  }

  find(oid: Oid): number | undefined {
    return this.index.find(oid);
  }

  entryEnd(offset: number): number {
    return this.index.entryEnd(offset, this.#opened().size);
  }

  read(start: number, length: number, isFar = false): Uint8Array {
    const number = Math.floor(start / WINDOW_BYTES);
    const at = start - number * WINDOW_BYTES;
    if (at + length > WINDOW_BYTES || isFar && !this.#hasWindow(number)) return this.#read(start, length);
    const window = this.#window(number).subarray(at, at + length);
    return window.length === length ? window : cutOff();
  }

  #hasWindow(number: number): boolean {
    return this.#lastWindow?.number === number ||
      this.#context.windows.get(this.key(number)) !== undefined;
  }

  #window(number: number): Uint8Array {
    if (this.#lastWindow?.number === number) return this.#lastWindow.bytes;
    const { windows } = this.#context;
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
    const file = this.#context.files.get(this.name);
    if (file === undefined || (file !== this.#file && !belongs(file, this.index))) throw new PackGone();
    return this.#file = file;
  }
}

function readIndex(path: string, { fileSystem, files }: StorageContext): PackIndex {
  const file = fileSystem.open(path);
  if (file === undefined) throw new PackGone();
  try {
    if (file.size > MAX_INDEX_BYTES) throw new DamagedError("A pack index is too large to be read");
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

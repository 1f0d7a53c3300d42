/** Loose objects: one zlib stream per file, with the content `<kind> <size>\0<bytes>`. */
import { releaseBytes } from "../../bytes/bytes.ts";
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";
import type { GitObject, ObjectHeader, ObjectKind, ReadLimits } from "../../ports/storage.ts";
import type { StorageContext } from "./storage_context.ts";
import { checkObjectSize, READ_AT_ONCE_BYTES } from "../../git/objects.ts";
import { ownedObject, SlowObject } from "./slow_object.ts";
import { checkPackedSize, startBytes, unpackSlowly, unpackStart } from "../../git/unpack.ts";

/** Maximum length of a header: kind, space, sixteen digits of size, NUL. */
const MAX_HEADER_BYTES = 24;
/** First bytes of a file, which contain the header. */
const START_BYTES = startBytes(MAX_HEADER_BYTES);

const HEADER = /^(commit|tree|blob|tag) (0|[1-9][0-9]{0,15})\0/;

/** A header and its length in bytes. */
type StoredHeader = ObjectHeader & { readonly length: number };

/**
 * Reads kind and size of a loose object from the file's first bytes; `undefined` when the file does not
 * exist.
 *
 * @throws {DamagedError}
 */
export function readLooseHeader(
  { fileSystem }: Pick<StorageContext, "fileSystem">,
  directory: string,
  oid: Oid,
): ObjectHeader | undefined {
  return withFile(fileSystem, directory, oid, (file) => {
    const { kind, size } = readHeader(readBytes(file, Math.min(file.size, START_BYTES)));
    return { kind, size };
  });
}

/** Minimum cost of reading a loose object, in bytes: opening and closing the file. */
const OBJECT_WORK = 2 ** 15;

/**
 * Reads a loose object; `undefined` when the file does not exist. A slow one is read in steps.
 *
 * @throws {TooLargeError} before it is decompressed.
 * @throws {DamagedError}
 */
export function readLooseObject(
  { fileSystem, unpack, scheduler }: Pick<StorageContext, "fileSystem" | "unpack" | "scheduler">,
  directory: string,
  oid: Oid,
  limits?: ReadLimits,
): GitObject | SlowObject | undefined {
  return withFile(fileSystem, directory, oid, (file) => {
    const start = readBytes(file, Math.min(file.size, START_BYTES));
    const { kind, size, length } = readHeader(start);
    checkObjectSize({ kind, size }, limits);
    checkPackedSize(file.size, length + size);
    if (size > READ_AT_ONCE_BYTES) {
      return new SlowObject(loosePath(directory, oid), async (task) => {
        const packed = withFile(fileSystem, directory, oid, (file) => readBytes(file, file.size));
        if (packed === undefined) throw new DamagedError("A loose object has been removed");
        const bytes = (await unpackSlowly(packed, length + size, task)).subarray(length);
        releaseBytes(packed);
        return ownedObject({ kind, bytes });
      });
    }
    scheduler.countRead(OBJECT_WORK + size);
    const packed = file.size > start.length ? readBytes(file, file.size) : start;
    const bytes = unpack(packed, length + size).subarray(length);
    releaseBytes(packed);
    return ownedObject({ kind, bytes });
  });
}

/** Path of a loose object in an `objects` directory. Its folder is named by the first byte of the id. */
export function loosePath(directory: string, oid: Oid): string {
  return `${directory}/${oid.slice(0, 2)}/${oid.slice(2)}`;
}

function withFile<T>(
  fileSystem: FileSystem,
  directory: string,
  oid: Oid,
  use: (file: OpenFile) => T,
): T | undefined {
  const path = loosePath(directory, oid);
  // Most objects are in packs: `stat` is cheaper than a failing `open`.
  const file = fileSystem.stat(path) && fileSystem.open(path);
  if (file === undefined) return undefined;
  try {
    return use(file);
  } finally {
    file.close();
  }
}

function readBytes(file: OpenFile, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  if (file.read(bytes, 0) < length) throw new DamagedError("A loose object is truncated");
  return bytes;
}

function readHeader(packed: Uint8Array): StoredHeader {
  const start = unpackStart(packed, new Uint8Array(MAX_HEADER_BYTES));
  const header = HEADER.exec(String.fromCharCode(...start));
  if (header === null) throw new DamagedError("A loose object has no valid header");
  return { kind: header[1] as ObjectKind, size: Number(header[2]), length: header[0].length };
}

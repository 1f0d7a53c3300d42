/**
 * Reads loose objects. Each loose object is a file with one zlib stream, whose content is `<kind>
 * <size>\0<bytes>`.
 */
import { releaseBytes } from "../../bytes/bytes.ts";
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";
import type { GitObject, ObjectHeader, ObjectKind, ReadLimits } from "../../ports/storage.ts";
import type { StorageContext } from "./storage_context.ts";
import { checkObjectSize, READ_AT_ONCE_BYTES } from "../../git/objects.ts";
import { ownedObject, SlowObject } from "../../git/pack/slow_object.ts";
import { checkPackedSize, startBytes, unpackSlowly, unpackStart } from "../../git/unpack.ts";

/** Maximum length of a header, in bytes: kind, space, size with sixteen digits, NUL. */
const MAX_HEADER_BYTES = 24;
/** Number of bytes at the start of a file that certainly contain the header. */
const START_BYTES = startBytes(MAX_HEADER_BYTES);

const HEADER = /^(commit|tree|blob|tag) (0|[1-9][0-9]{0,15})\0/;

type StoredHeader = ObjectHeader & { readonly length: number };

/**
 * Reads kind and size of a loose object from the first bytes of its file. Returns `undefined` when the file
 * does not exist.
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

/** Cost of opening and closing the file of a loose object, in bytes that could be read in the same time. */
const OBJECT_WORK = 2 ** 15;

/**
 * Reads a loose object. Returns `undefined` when the file does not exist. Returns a slow object if the
 * content must be read in steps.
 *
 * @throws {TooLargeError} before the object is decompressed.
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

/**
 * Returns the path of a loose object in an `objects` directory. The first byte of the id names its folder.
 */
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
  // Most objects are in packs, so the file is usually missing. `stat` is cheaper than an `open` that fails.
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

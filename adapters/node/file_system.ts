/** Files through `node:fs`, synchronous. */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from "node:fs";
import type {
  DirectoryEntry,
  FileKind,
  FileStat,
  OpenFile,
  WritableFileSystem,
} from "../../src/ports/file_system.ts";
import { Descriptor } from "./descriptor.ts";
import { FileLocks, withFileLockOnce } from "./file_locks.ts";
import { fileWriting } from "./file_writing.ts";

/** A file system that keeps handles open between calls. */
export type ClosableFileSystem = WritableFileSystem & {
  /** Closes the handles. The next call opens them again. */
  readonly close: () => void;
};

/**
 * The machine's files. Nothing but regular files is read: directories, pipes and devices count as absent. No
 * handle stays open between calls; {@link createFileSystem} is faster for those who write much.
 */
export const fileSystem: WritableFileSystem = {
  read,
  list,
  stat,
  open,
  ...fileWriting,
  withFileLock: withFileLockOnce,
};

/** The machine's files for one user, such as a home API; files used for locks stay open until `close`. */
export function createFileSystem(): ClosableFileSystem {
  const locks = new FileLocks();
  return {
    ...fileSystem,
    withFileLock: (path, kind, action) => locks.withFileLock(path, kind, action),
    close: () => locks.close(),
  };
}

/**
 * Codes of errors at a path that leads to no file: nothing there, no directory on the way, a name no file can
 * have, a circle of links.
 */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EISDIR", "ENXIO"]);

/** Without waiting: a named pipe would hold the whole program until somebody writes to it. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function read(path: string): Uint8Array<ArrayBuffer> | undefined {
  return readToEnd(open(path));
}

/** Reads a file from its start to its end, and closes it. */
export function readToEnd(file: OpenFile | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (file === undefined) return undefined;
  try {
    const bytes = new Uint8Array(file.size);
    const length = file.read(bytes, 0);
    return length === bytes.length ? bytes : bytes.slice(0, length);
  } finally {
    file.close();
  }
}

function list(path: string): DirectoryEntry[] | undefined {
  const entries = unlessAbsent(() => readdirSync(path, { withFileTypes: true }));
  return entries?.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
}

function stat(path: string): FileStat | undefined {
  const found = unlessAbsent(() => lstatSync(path, { throwIfNoEntry: false }));
  return found && {
    kind: kindOf(found),
    size: found.size,
    modifiedMs: found.mtimeMs,
    inode: found.ino,
    links: found.nlink,
  };
}

function open(path: string): OpenFile | undefined {
  const descriptor = unlessAbsent(() => openSync(path, OPEN_FLAGS));
  if (descriptor === undefined) return undefined;
  try {
    const found = fstatSync(descriptor);
    if (found.isFile()) return new DescribedFile(descriptor, found.size);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  closeSync(descriptor);
  return undefined;
}

/** A file that is open under a descriptor. */
class DescribedFile implements OpenFile {
  readonly size: number;
  readonly #descriptor: Descriptor;

  constructor(descriptor: number, size: number) {
    this.#descriptor = new Descriptor(descriptor);
    this.size = size;
  }

  read(into: Uint8Array, position: number): number {
    const { number } = this.#descriptor;
    let filled = 0;
    while (filled < into.length) {
      const count = readSync(number, into, filled, into.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  close(): void {
    this.#descriptor.close();
  }
}

function kindOf(entry: Pick<Dirent, "isFile" | "isDirectory" | "isSymbolicLink">): FileKind {
  return entry.isFile()
    ? "file"
    : entry.isDirectory()
    ? "directory"
    : entry.isSymbolicLink()
    ? "link"
    : "other";
}

/** Returns the result of the call; `undefined` when it fails because there is no file to be read. */
export function unlessAbsent<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}

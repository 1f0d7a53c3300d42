/** Accesses files through `node:fs`, with synchronous calls. */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import type {
  DirectoryEntry,
  FileKind,
  FileStat,
  NewFile,
  OpenFile,
  WritableFileSystem,
} from "../../src/ports/file_system.ts";
import { withFileLock } from "./file_locks.ts";
import { promisify } from "node:util";
import { WriteError, type WriteObstacle } from "../../src/ports/write_error.ts";

/**
 * The file system of the machine. Only regular files can be read. Directories, pipes and devices are treated
 * as absent. No file descriptor stays open between calls.
 */
export const fileSystem: WritableFileSystem = {
  read,
  list,
  stat,
  open,
  readLink,
  create,
  makeDirectory,
  rename,
  link,
  renameToFree,
  remove,
  touch,
  syncDirectory,
  withFileLock,
};

/**
 * Error codes when a path does not lead to a file: the file or a parent does not exist, a parent is not a
 * directory, the name is not possible, links form a cycle, or the path leads to a directory or a device.
 */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EISDIR", "ENXIO"]);

/**
 * Flags for opening a file. Opening a named pipe does not wait, because waiting would stop the whole program.
 */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function read(path: string): Uint8Array<ArrayBuffer> | undefined {
  return readToEnd(open(path));
}

function readToEnd(file: OpenFile | undefined): Uint8Array<ArrayBuffer> | undefined {
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
    if (found.isFile()) return new DescribedFile(path, descriptor, found.size);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  closeSync(descriptor);
  return undefined;
}

function readLink(path: string): string | undefined {
  return stat(path)?.kind === "link" ? unlessAbsent(() => readlinkSync(path)) : undefined;
}

class DescribedFile implements OpenFile, NewFile {
  readonly #path: string;
  readonly size: number;
  /**
   * Set to `undefined` when the file is closed, because the system may use the same number for another file.
   */
  #descriptor: number | undefined;

  constructor(path: string, descriptor: number, size: number) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.size = size;
  }

  /** @throws {TypeError} when the file is closed. */
  get #open(): number {
    if (this.#descriptor === undefined) throw new TypeError("Cannot use a closed file");
    return this.#descriptor;
  }

  read(into: Uint8Array, position: number): number {
    const descriptor = this.#open;
    let filled = 0;
    while (filled < into.length) {
      const count = readSync(descriptor, into, filled, into.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  write(bytes: Uint8Array): void {
    const descriptor = this.#open;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      throw explained(error, this.#path);
    }
  }

  async sync(): Promise<void> {
    const descriptor = this.#open;
    await syncDescriptor(descriptor).catch((error) => {
      throw explained(error, this.#path);
    });
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
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

/** Returns the result of a call; `undefined` if the call fails because no file is at the path. */
export function unlessAbsent<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}

/** Error codes when the file or its directory does not exist. */
const NO_PLACE = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"]);

/** Obstacles to writing, by error code. */
const OBSTACLES: Readonly<Record<string, WriteObstacle>> = {
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENAMETOOLONG: "denied",
  ENOSPC: "full",
  EDQUOT: "full",
};

/** Error codes when a name is already in use, or a directory is not empty. */
const TAKEN = new Set(["EEXIST", "ENOTEMPTY", "EISDIR"]);

/** Error codes when hard links are not supported or not permitted. */
const NO_LINKS = new Set(["EPERM", "EACCES", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

/** Error codes that are ignored: a directory cannot be synchronised, or no longer exists. */
const NO_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EISDIR", "EPERM", "EACCES", "ENOENT"]);

const syncDescriptor = promisify(fsync);

function create(path: string, mode: number): NewFile | "exists" | undefined {
  return writing<NewFile | "exists">(() => new DescribedFile(path, openSync(path, "wx", mode), 0), "exists");
}

function makeDirectory(path: string): "made" | "exists" | undefined {
  return writing<"made" | "exists">(() => (mkdirSync(path), "made"), "exists");
}

function rename(path: string, newPath: string): boolean {
  return writing(() => (renameSync(path, newPath), true), false) ?? false;
}

function link(path: string, newPath: string): "made" | "exists" | "refused" | undefined {
  return writing<"made" | "exists" | "refused">(() => {
    try {
      linkSync(path, newPath);
      return "made";
    } catch (error) {
      if (NO_LINKS.has(codeOf(error))) return "refused";
      throw error;
    }
  }, "exists");
}

function renameToFree(path: string, newPath: string): boolean {
  const linked = link(path, newPath);
  if (linked === "refused") {
    return lstatSync(newPath, { throwIfNoEntry: false }) === undefined && rename(path, newPath);
  }
  if (linked === "made") remove(path);
  return linked === "made";
}

function remove(path: string): boolean {
  return writing(() => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmdirSync(path);
    else unlinkSync(path);
    return true;
  }, false) ?? false;
}

function touch(path: string): boolean {
  try {
    const now = Date.now() / 1000;
    utimesSync(path, now, now);
    return true;
  } catch (error) {
    if (NO_PLACE.has(codeOf(error)) || OBSTACLES[codeOf(error)] !== undefined) return false;
    throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY);
    await syncDescriptor(descriptor);
  } catch (error) {
    if (!NO_SYNC.has(codeOf(error))) throw explained(error, path);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Returns the result of a call that writes; `undefined` if the call fails because a file does not exist, and
 * `taken` if a name is already in use.
 */
function writing<T>(call: () => T, taken: T): T | undefined {
  try {
    return call();
  } catch (error) {
    const code = codeOf(error);
    if (TAKEN.has(code)) return taken;
    if (NO_PLACE.has(code)) return undefined;
    throw explained(error);
  }
}

/**
 * Converts an error into an error of the file system interface, if the interface has one for the error code.
 * Other errors are returned unchanged.
 */
function explained(error: unknown, path?: string): unknown {
  const obstacle = OBSTACLES[codeOf(error)];
  if (obstacle === undefined) return error;
  const where = path === undefined ? "" : `${path}: `;
  return new WriteError(obstacle, `${where}${error instanceof Error ? error.message : error}`, {
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

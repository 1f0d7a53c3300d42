/** Writing files through `node:fs`. */
import {
  closeSync,
  constants,
  fsync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import type { FileWriting, NewFile } from "../../src/ports/file_system.ts";
import { WriteError, type WriteObstacle } from "../../src/ports/write_error.ts";
import { Descriptor } from "./descriptor.ts";

/** Writes files; together with reads and file locks, it makes a `WritableFileSystem`. */
export const fileWriting: Omit<FileWriting, "withFileLock"> = {
  create,
  makeDirectory,
  rename,
  link,
  renameToFree,
  remove,
  touch,
  syncDirectory,
};

/** Codes of errors when there is no such file, or no directory for it. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"]);

/** Codes of errors when a file cannot be written, and the obstacle that each stands for. */
const OBSTACLES: Readonly<Record<string, WriteObstacle>> = {
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENAMETOOLONG: "denied",
  ENOSPC: "full",
  EDQUOT: "full",
};

/** Codes of errors when a name is taken, or a directory is not empty. */
const TAKEN = new Set(["EEXIST", "ENOTEMPTY", "EISDIR"]);

/** Codes of errors where files cannot have two names, or this process may not give them a second one. */
const NO_LINKS = new Set(["EPERM", "EACCES", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EMLINK"]);

/** Codes of errors where directories cannot be synchronised, or the directory is gone. */
const NO_SYNC = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "EISDIR", "EPERM", "EACCES", "ENOENT"]);

const syncDescriptor = promisify(fsync);

function create(path: string, mode: number): NewFile | "exists" | undefined {
  return writing<NewFile | "exists">(() => new NewDescribedFile(openSync(path, "wx", mode), path), "exists");
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
    if (ABSENT.has(codeOf(error)) || OBSTACLES[codeOf(error)] !== undefined) return false;
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

/** A file that is being written under a descriptor. */
class NewDescribedFile implements NewFile {
  readonly #path: string;
  readonly #descriptor: Descriptor;

  constructor(descriptor: number, path: string) {
    this.#descriptor = new Descriptor(descriptor);
    this.#path = path;
  }

  write(bytes: Uint8Array): void {
    const { number } = this.#descriptor;
    try {
      for (let at = 0; at < bytes.length;) at += writeSync(number, bytes, at);
    } catch (error) {
      throw explained(error, this.#path);
    }
  }

  async sync(): Promise<void> {
    const { number } = this.#descriptor;
    await syncDescriptor(number).catch((error) => {
      throw explained(error, this.#path);
    });
  }

  close(): void {
    this.#descriptor.close();
  }
}

/**
 * Returns the result of a call that writes; `undefined` when there is no such file, `taken` when it exists
 * already.
 */
function writing<T>(call: () => T, taken: T): T | undefined {
  try {
    return call();
  } catch (error) {
    const code = codeOf(error);
    if (TAKEN.has(code)) return taken;
    if (ABSENT.has(code)) return undefined;
    throw explained(error);
  }
}

/** The same failure in words of the port, where it has some. */
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

/**
 * A cache folder through `node:fs`, read and written by the machine's owner alone. A file begins with a seal,
 * by which whatever was not written under its name is told from what was: damaged files, files of another
 * version, files that were copied from another name.
 *
 * ```text
 * 8 bytes magic with the version | 8 bytes length of the content, little-endian | 32 bytes digest | content
 * digest: SHA-256 of the SHA-256 of the content, followed by the name
 * ```
 */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { chmod, type FileHandle, lstat, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { CacheFolder } from "../../mod.ts";
import { isSameBytes, joinBytes } from "../../src/bytes/bytes.ts";
import { isOwn } from "./user_id.ts";

/** Most bytes in the files of the folder, without seals: the files written longest ago make room. */
export const MAX_CACHE_BYTES = 2 ** 29;

/** Most files in the folder: a short one counts as this part of the bytes. */
export const MAX_CACHE_FILES = 2 ** 14;

/**
 * Part of the bytes after which a process looks at the files again, and makes room for as much: a look at
 * each write would cost more than the write. With several processes the folder may have as much more for each
 * further one.
 */
const LOOK_SHARE = 1 / 16;

/** Drafts older than this, in milliseconds, were left behind by a process that ended while it wrote. */
export const MAX_DRAFT_AGE_MS = 3_600_000;

/** Mode of the folder: nobody but its owner can look into it. */
const PRIVATE_MODE = 0o700;
const NAME = /^[\w-][\w.-]*$/;
/** Ends of the names of our files in the folder, and of drafts. */
const SAVED = ".xylem";
const DRAFT = ".xylem.tmp";

const MAGIC = new TextEncoder().encode("XYLEMCF\x01");
const LENGTH_AT = 8;
const DIGEST_AT = 16;
const SEAL_BYTES = 48;

/**
 * Most bytes of a content that is read together with its seal, and hashed at once: more calls would take
 * longer than the work.
 */
const SHORT_BYTES = 2 ** 18;

/** Follows no link, and waits for no other end of a named pipe: these may have taken the file's place. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * The folder at `path`, made when something is written first. Reads what was written, or `undefined`.
 *
 * @param maxBytes Most bytes of all files. A longer file is not read.
 */
export function createCacheFolder(path: string, maxBytes: number = MAX_CACHE_BYTES): CacheFolder {
  const countedBytes = (size: number) => Math.max(size, maxBytes / MAX_CACHE_FILES);
  /** Bytes written since the last look at all files, as they count. */
  let newBytes = Infinity;
  return {
    async read(name) {
      const file = join(path, checked(name) + SAVED);
      try {
        const handle = await open(file, READ_FLAGS);
        try {
          return await readSealed(handle, name, maxBytes);
        } finally {
          await handle.close();
        }
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    async write(name, bytes) {
      const file = join(path, checked(name) + SAVED);
      const draft = join(path, `${name}.${crypto.randomUUID()}${DRAFT}`);
      try {
        await makePrivateFolder(path);
        await writeSealed(draft, name, bytes);
        await rename(draft, file).catch(async (error) => {
          if (!(await lstat(file)).isDirectory()) throw error;
          await rm(file, { recursive: true, force: true });
          await rename(draft, file);
        });
      } catch (error) {
        await rm(draft, { force: true }).catch(() => {});
        throw error;
      }
      newBytes += countedBytes(bytes.length);
      if (newBytes < maxBytes * LOOK_SHARE) return;
      newBytes = 0;
      await makeRoom(path, maxBytes, countedBytes);
    },
  };
}

/** The content of a file; `undefined` when it is not what was written under this name. */
async function readSealed(
  file: FileHandle,
  name: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const found = await file.stat();
  const length = found.size - SEAL_BYTES;
  if (!found.isFile() || length < 0 || length > maxBytes) return undefined;
  const start = await readPart(file, 0, Math.min(found.size, SEAL_BYTES + SHORT_BYTES));
  // Before a long content: a file that has grown or shrunk is not read.
  if (!isSameBytes(start.subarray(0, DIGEST_AT), sealStart(length))) return undefined;
  const content = length <= SHORT_BYTES
    ? start.subarray(SEAL_BYTES)
    : await readPart(file, SEAL_BYTES, length);
  const digest = start.subarray(DIGEST_AT, SEAL_BYTES);
  return isSameBytes(digest, await sealDigest(name, content)) ? content : undefined;
}

/** Reads a part of a file; what is missing at its end is zeros. */
async function readPart(
  file: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes;
}

/** Writes a new file with its seal. */
async function writeSealed(path: string, name: string, content: Uint8Array): Promise<void> {
  const seal = new Uint8Array(SEAL_BYTES);
  seal.set(sealStart(content.length));
  seal.set(await sealDigest(name, content), DIGEST_AT);
  const file = await open(path, "wx", 0o600);
  try {
    if (content.length <= SHORT_BYTES) return await file.writeFile(joinBytes([seal, content]));
    await file.writeFile(seal);
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

function sealStart(length: number): Uint8Array {
  const start = new Uint8Array(DIGEST_AT);
  start.set(MAGIC);
  new DataView(start.buffer).setBigUint64(LENGTH_AT, BigInt(length), true);
  return start;
}

async function sealDigest(name: string, content: Uint8Array): Promise<Uint8Array> {
  const digest = content.length <= SHORT_BYTES
    ? createHash("sha256").update(content).digest()
    : new Uint8Array(await crypto.subtle.digest("SHA-256", content as Uint8Array<ArrayBuffer>));
  return createHash("sha256").update(digest).update(name).digest();
}

/**
 * Path of the command's cache folder unless told otherwise: `XDG_CACHE_HOME/xylem`, or `~/.cache/xylem`;
 * `undefined` when neither variable is set.
 */
export function usualCachePath(
  variable: (name: string) => string | undefined = variableOf,
): string | undefined {
  const cache = variable("XDG_CACHE_HOME");
  // One that is not absolute is to be ignored (XDG Base Directory Specification).
  if (cache?.startsWith("/")) return join(cache, "xylem");
  const home = variable("HOME");
  return home ? join(home, ".cache", "xylem") : undefined;
}

/** Permission bits of anybody but the owner of a file or folder. */
export const FOREIGN_BITS = 0o077;
/** Bit of folders that several users share. */
const SHARED_BIT = 0o1000;

/**
 * Makes a folder that the user alone can read. A folder of the user's own that was there before, made by
 * another program or as the parent of something else, is closed; one that users share, such as `/tmp`, stays
 * as it is.
 */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: PRIVATE_MODE });
  const { mode, uid } = await stat(path);
  const isPrivate = isOwn(uid) && (mode & SHARED_BIT) === 0;
  if (isPrivate && (mode & FOREIGN_BITS) !== 0) await chmod(path, PRIVATE_MODE);
}

function variableOf(name: string): string | undefined {
  return process.env[name];
}

function checked(name: string): string {
  if (!NAME.test(name)) {
    throw new TypeError(`Cannot keep "${name}": expected letters, digits, "-", "_" and "."`);
  }
  return name;
}

/** Removes the oldest files until there is room for new ones, and abandoned drafts. Others' files stay. */
async function makeRoom(
  path: string,
  maxBytes: number,
  countedBytes: (size: number) => number,
): Promise<void> {
  const files: { name: string; counted: number; changedMs: number }[] = [];
  let left = -maxBytes * (1 - LOOK_SHARE);
  for (const name of await readdir(path)) {
    if (!name.endsWith(SAVED) && !name.endsWith(DRAFT)) continue;
    const file = join(path, name);
    const stat = await lstat(file).catch(() => undefined);
    if (!stat?.isFile()) continue;
    const size = stat.size - SEAL_BYTES;
    // No file of ours is as long: one that is, is damaged, and pushes out no other.
    if (size > maxBytes) await rm(file, { force: true });
    else if (!name.endsWith(DRAFT)) {
      const counted = countedBytes(size);
      left += counted;
      files.push({ name, counted, changedMs: stat.mtimeMs });
    } else if (stat.mtimeMs < Date.now() - MAX_DRAFT_AGE_MS) await rm(file, { force: true });
  }
  if (left <= 0) return;
  files.sort((a, b) => a.changedMs - b.changedMs);
  for (const { name, counted } of files) {
    if (left <= 0) return;
    await rm(join(path, name), { force: true });
    left -= counted;
  }
}

/** Codes of errors where no file is: links are not followed. */
const ABSENT_CODES: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP"];

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && ABSENT_CODES.includes(error.code);
}

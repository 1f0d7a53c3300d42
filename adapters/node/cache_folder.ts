/**
 * A cache folder through `node:fs`, which only the user who runs the service can read and write. Each file
 * begins with a seal. The seal detects damaged files, files of another version, and files that were copied
 * from another name.
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

/**
 * Most bytes of all files in the folder, without seals. Beyond this, the files that were written longest ago
 * are removed.
 */
export const MAX_CACHE_BYTES = 2 ** 29;

/** Most files in the folder. Each file counts as at least `maxBytes` divided by this number. */
export const MAX_CACHE_FILES = 2 ** 14;

/**
 * After a process has written this part of `maxBytes`, it checks the files again, and removes enough old ones
 * to write as much once more. A check after each write would cost more than the write. Each further process
 * that uses the folder may add this much to its size.
 */
const CHECK_SHARE = 1 / 16;

/** A draft that is older than this, in milliseconds, was left by a process that ended while it wrote. */
export const MAX_DRAFT_AGE_MS = 3_600_000;

/** Mode of the folder: only its owner can open it. */
const PRIVATE_MODE = 0o700;
const NAME = /^[\w-][\w.-]*$/;
/** Ends of the names of our files in the folder: saved files and drafts. */
const SAVED = ".xylem";
const DRAFT = ".xylem.tmp";

const MAGIC = new TextEncoder().encode("XYLEMCF\x01");
const LENGTH_AT = 8;
const DIGEST_AT = 16;
const SEAL_BYTES = 48;

/**
 * Contents up to this many bytes are read together with their seal and hashed in one call. For these, further
 * calls would take longer than the work itself.
 */
const SHORT_BYTES = 2 ** 18;

/**
 * Does not follow links, and does not wait for the other end of a named pipe. Either may have replaced the
 * file.
 */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Opens the cache folder at `path`, which is made at the first write. Reads return the bytes that were
 * written under a name, or `undefined`.
 *
 * @param maxBytes Most bytes of all files. A longer file is not read.
 */
export function createCacheFolder(path: string, maxBytes: number = MAX_CACHE_BYTES): CacheFolder {
  const countedBytes = (size: number) => Math.max(size, maxBytes / MAX_CACHE_FILES);
  /** Bytes written since the last check of all files, where a short file counts as more than its size. */
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
      if (newBytes < maxBytes * CHECK_SHARE) return;
      newBytes = 0;
      await makeRoom(path, maxBytes, countedBytes);
    },
  };
}

/** Returns the content of a file; `undefined` when it was not written under this name. */
async function readSealed(
  file: FileHandle,
  name: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const found = await file.stat();
  const length = found.size - SEAL_BYTES;
  if (!found.isFile() || length < 0 || length > maxBytes) return undefined;
  const start = await readPart(file, 0, Math.min(found.size, SEAL_BYTES + SHORT_BYTES));
  // This check comes before a long content is read, so that a file which has grown or shrunk is not read.
  if (!isSameBytes(start.subarray(0, DIGEST_AT), sealStart(length))) return undefined;
  const content = length <= SHORT_BYTES
    ? start.subarray(SEAL_BYTES)
    : await readPart(file, SEAL_BYTES, length);
  const digest = start.subarray(DIGEST_AT, SEAL_BYTES);
  return isSameBytes(digest, await sealDigest(name, content)) ? content : undefined;
}

/** Reads a part of a file, filled up with zeros if the file ends early. */
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
 * Returns the default path of the command's cache folder: `XDG_CACHE_HOME/xylem`, or `~/.cache/xylem`;
 * `undefined` when neither variable is set.
 */
export function usualCachePath(
  variable: (name: string) => string | undefined = variableOf,
): string | undefined {
  const cache = variable("XDG_CACHE_HOME");
  // A relative path has to be ignored (XDG Base Directory Specification).
  if (cache?.startsWith("/")) return join(cache, "xylem");
  const home = variable("HOME");
  return home ? join(home, ".cache", "xylem") : undefined;
}

/** Permission bits of all users except the owner of a file or folder. */
export const FOREIGN_BITS = 0o077;
/** The sticky bit, which folders that several users share have. */
const SHARED_BIT = 0o1000;

/**
 * Makes a folder that only the user can read. If the folder exists and belongs to the user, because another
 * program made it or it is a parent of other files, its permissions are removed for all others. A folder that
 * users share, such as `/tmp`, is not changed.
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
    throw new TypeError(`Cannot save "${name}": expected letters, digits, "-", "_" and "."`);
  }
  return name;
}

/**
 * Removes the oldest files until there is room for new ones, and removes abandoned drafts. Files of other
 * programs stay.
 */
async function makeRoom(
  path: string,
  maxBytes: number,
  countedBytes: (size: number) => number,
): Promise<void> {
  const files: { name: string; counted: number; changedMs: number }[] = [];
  let left = -maxBytes * (1 - CHECK_SHARE);
  for (const name of await readdir(path)) {
    if (!name.endsWith(SAVED) && !name.endsWith(DRAFT)) continue;
    const file = join(path, name);
    const stat = await lstat(file).catch(() => undefined);
    if (!stat?.isFile()) continue;
    const size = stat.size - SEAL_BYTES;
    // Our files are never that long, so this one is damaged. It must not replace other files.
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

/** Codes of errors when there is no file. Links are not followed, so a link counts as absent. */
const ABSENT_CODES: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP"];

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && ABSENT_CODES.includes(error.code);
}

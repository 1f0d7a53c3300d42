/**
 * A cache folder through `node:fs`. Only the user who runs the service can read and write the folder. Each
 * file begins with a seal. The seal shows whether a file is damaged, has another version, or was renamed.
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
 * Maximum total size of the files in the folder without their seals, in bytes. When the files exceed this
 * size, the oldest files are removed.
 */
export const MAX_CACHE_BYTES = 2 ** 29;

/**
 * Maximum number of files in the folder. The size of each file counts as at least `maxBytes` divided by this
 * number.
 */
export const MAX_CACHE_FILES = 2 ** 14;

/**
 * Share of `maxBytes` that a process may write between two checks of all files. Each check makes room for
 * this share, because a check after each write would cost more than the write. If several processes use the
 * folder, each further process may exceed the maximum by this share.
 */
const CHECK_SHARE = 1 / 16;

/**
 * Age at which a draft is removed, in milliseconds. A draft is a file that is being written. Only a process
 * that ended during the write leaves an old draft.
 */
export const MAX_DRAFT_AGE_MS = 3_600_000;

const PRIVATE_MODE = 0o700;
const NAME = /^[\w-][\w.-]*$/;
/** Suffixes of the files that this module writes: saved files and drafts. */
const SAVED = ".xylem";
const DRAFT = ".xylem.tmp";

const MAGIC = new TextEncoder().encode("XYLEMCF\x01");
const LENGTH_AT = 8;
const DIGEST_AT = 16;
const SEAL_BYTES = 48;

/** Maximum size of a content that is read and hashed in one call, in bytes. */
const SHORT_BYTES = 2 ** 18;

/**
 * Flags for opening a file, in case another program has replaced the file. Links are not followed, and
 * opening a named pipe does not wait.
 */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Returns the cache folder at `path`. The first write makes the folder. Reading an unknown name returns
 * `undefined`.
 *
 * @param maxBytes Maximum total size of all files, in bytes. A longer file is not read.
 */
export function createCacheFolder(path: string, maxBytes: number = MAX_CACHE_BYTES): CacheFolder {
  const countedBytes = (size: number) => Math.max(size, maxBytes / MAX_CACHE_FILES);
  /** Number of bytes written since the last check of all files. */
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

/**
 * Returns the content of a file; `undefined` when the file belongs to another name, is damaged, or is too
 * long.
 */
async function readSealed(
  file: FileHandle,
  name: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const found = await file.stat();
  const length = found.size - SEAL_BYTES;
  if (!found.isFile() || length < 0 || length > maxBytes) return undefined;
  const start = await readPart(file, 0, Math.min(found.size, SEAL_BYTES + SHORT_BYTES));
  // Checked before a long content is read. The check fails if the length of the file does not match its seal.
  if (!isSameBytes(start.subarray(0, DIGEST_AT), sealStart(length))) return undefined;
  const content = length <= SHORT_BYTES
    ? start.subarray(SEAL_BYTES)
    : await readPart(file, SEAL_BYTES, length);
  const digest = start.subarray(DIGEST_AT, SEAL_BYTES);
  return isSameBytes(digest, await sealDigest(name, content)) ? content : undefined;
}

/** Reads a part of a file. If the file ends early, the rest of the result is zeros. */
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
 * Returns the default path of the cache folder: `xylem` in the folder `XDG_CACHE_HOME`, or `~/.cache/xylem`.
 * Returns `undefined` when neither `XDG_CACHE_HOME` nor `HOME` is set.
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
/** The sticky bit, which is set on folders that several users share. */
const SHARED_BIT = 0o1000;

/**
 * Makes a folder that only the user can read. If the folder already belongs to the user, removes the
 * permissions of all other users. A folder that several users share, such as `/tmp`, is not changed.
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
 * Removes the oldest files until there is room for new files, and removes old drafts. Never removes files of
 * other programs.
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
    // This module never writes such a large file, so the file is damaged.
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

/** Error codes that mean that a file does not exist. Links are not followed, so a link counts as absent. */
const ABSENT_CODES: readonly unknown[] = ["ENOENT", "ENOTDIR", "ELOOP"];

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && ABSENT_CODES.includes(error.code);
}

/**
 * A bucket in a folder. Each object is a plain file, so that a web server can serve the folder as a public
 * bucket. Symbolic links below the folder are not followed. A put writes a new file, and then renames it to
 * the path of the object.
 */
import {
  type Bucket,
  type BucketCallOptions,
  type BucketEntry,
  BucketError,
  type BucketGetOptions,
  type BucketHead,
  type BucketObject,
  type BucketPutOptions,
} from "./bucket.ts";
import {
  type DirectoryEntry,
  type FileStat,
  type FileSystem,
  isWritableFileSystem,
  type WritableFileSystem,
  WriteError,
} from "../../../src/mod.ts";
import { checkBucketKey, checkGet, checkKeyPrefix, checkPut, checkSize, isBucketKey } from "./key.ts";

/**
 * Name of the folder for the lock and for unfinished files. It cannot collide with a key, because no key
 * begins with a dot.
 */
const OWN_FOLDER = ".xylem";

/** Permissions of a new file, before the umask of the process is applied. */
const MODE = 0o644;

/**
 * Timeout of the wait for the lock of another process, in milliseconds. A process holds the lock for
 * microseconds.
 */
const LOCK_LIMIT_MS = 5_000;

/** Delay between two attempts to get the lock, in milliseconds. */
const LOCK_PAUSE_MS = 2;

/** Maximum number of attempts while other processes change the same file or its folder. */
const TRIES = 50;

/**
 * Age in milliseconds above which an unfinished file is removed, because its process must have been killed.
 */
export const UNFINISHED_AGE_MS = 3_600_000;

/** Options of {@link createFolderBucket}. */
export interface FolderBucketOptions {
  /** Objects can be put and deleted only if this is a `WritableFileSystem`. */
  readonly fileSystem: FileSystem;
  /** Returns the current time in milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * Opens a folder as a bucket. The first put creates the folder if its parent exists.
 *
 * A tag consists of mtime, length and inode. Two successive objects under a key have different mtimes,
 * because a put waits for the next millisecond if necessary. A put waits at most 50 times.
 *
 * @param root Absolute path of the folder.
 */
export function createFolderBucket(root: string, options: FolderBucketOptions): Bucket {
  return new FolderBucket(root.replace(/\/+$/, ""), options);
}

class FolderBucket implements Bucket {
  readonly #root: string;
  readonly #fileSystem: FileSystem;
  readonly #now: () => number;
  #drafts = 0;
  #prepared = false;

  constructor(root: string, { fileSystem, now = Date.now }: FolderBucketOptions) {
    this.#root = root;
    this.#fileSystem = fileSystem;
    this.#now = now;
  }

  async get(key: string, options: BucketGetOptions = {}): Promise<BucketObject | "unchanged" | undefined> {
    checkGet(key, options);
    options.signal?.throwIfAborted();
    return await withPortErrors(key, () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const head = this.#head(key);
        if (head === undefined) return undefined;
        if (head.etag === options.ifNoneMatch) return "unchanged";
        checkSize(key, head.size, options);
        const { start, end } = options.range ?? { start: 0, end: head.size };
        const bytes = this.#read(key, start, end - start);
        // Another object may have replaced this object during the read.
        if (bytes !== undefined && this.#head(key)?.etag === head.etag) return { ...head, bytes };
      }
      throw new BucketError("unavailable", `Object "${key}" changes while it is read`);
    });
  }

  async head(key: string, { signal }: BucketCallOptions = {}): Promise<BucketHead | undefined> {
    checkBucketKey(key);
    signal?.throwIfAborted();
    return await withPortErrors(key, () => this.#head(key));
  }

  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options: BucketPutOptions = {},
  ): Promise<{ readonly etag: string } | "conflict"> {
    checkPut(key, options);
    options.signal?.throwIfAborted();
    const files = this.#writable();
    return await withPortErrors(key, async () => {
      this.#prepare(files);
      const draft = await this.#writeDraft(files, bytes);
      let etag: string | undefined;
      try {
        etag = await this.#place(files, draft, key, options);
      } finally {
        // After the rename, another process may have a draft with the same name.
        if (etag === undefined || etag === "conflict") files.remove(draft);
      }
      if (etag === "conflict") return etag;
      await files.syncDirectory(parentOf(this.#pathOf(key)));
      return { etag };
    });
  }

  async delete(keys: readonly string[], { signal }: BucketCallOptions = {}): Promise<void> {
    keys.forEach(checkBucketKey);
    const files = this.#writable();
    for (const key of keys) {
      signal?.throwIfAborted();
      await withPortErrors(key, () => {
        if (this.#head(key) === undefined) return;
        files.remove(this.#pathOf(key));
        for (const folder of this.#foldersOf(key).reverse()) if (!files.remove(folder)) break;
      });
    }
  }

  async *list(prefix: string, { signal }: BucketCallOptions = {}): AsyncIterable<BucketEntry> {
    checkKeyPrefix(prefix);
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const isThere = () => this.#foldersOf(folder).every((path) => this.#isFolder(path));
    if (!await withPortErrors(prefix, isThere)) return;
    for await (const key of this.#keysBelow(folder, prefix)) {
      signal?.throwIfAborted();
      const head = await withPortErrors(key, () => this.#head(key));
      if (head !== undefined) yield { key, ...head };
    }
  }

  async conditionalPuts(): Promise<boolean> {
    const files = this.#writable();
    return await withPortErrors("", () => {
      this.#prepare(files);
      return files.withFileLock(this.#lockPath(), "exclusive", () => true) !== undefined;
    });
  }

  /** Yields the keys of the files in and below a folder that begin with `prefix`, in ascending order. */
  async *#keysBelow(folder: string, prefix: string): AsyncIterable<string> {
    const entries = await withPortErrors(folder, () => this.#fileSystem.list(`${this.#root}/${folder}`)) ??
      [];
    const nameOf = ({ name, kind }: DirectoryEntry) => `${folder}${name}${kind === "directory" ? "/" : ""}`;
    const isWanted = (name: string) =>
      name.startsWith(prefix) || name.endsWith("/") && prefix.startsWith(name);
    for (const name of entries.map(nameOf).filter(isWanted).sort()) {
      if (name.endsWith("/")) {
        if (isBucketKey(name.slice(0, -1))) yield* this.#keysBelow(name, prefix);
      } else if (isBucketKey(name)) yield name;
    }
  }

  #pathOf(key: string): string {
    return `${this.#root}/${key}`;
  }

  #lockPath(): string {
    return `${this.#root}/${OWN_FOLDER}/lock`;
  }

  /** Returns the paths of the folders that contain a key, without the root, the outermost folder first. */
  #foldersOf(key: string): string[] {
    const parts = key.split("/").slice(0, -1);
    return parts.map((_, i) => `${this.#root}/${parts.slice(0, i + 1).join("/")}`);
  }

  /** Checks whether the path is a folder, and not a symbolic link to a folder. */
  #isFolder(path: string): boolean {
    return this.#fileSystem.stat(path)?.kind === "directory";
  }

  #head(key: string): BucketHead | undefined {
    if (!this.#foldersOf(key).every((path) => this.#isFolder(path))) return undefined;
    const stat = this.#fileSystem.stat(this.#pathOf(key));
    return stat?.kind === "file" ? headOf(stat) : undefined;
  }

  /** Reads `length` bytes of a file. Returns `undefined` when the file does not exist or has fewer bytes. */
  #read(key: string, start: number, length: number): Uint8Array<ArrayBuffer> | undefined {
    const file = this.#fileSystem.open(this.#pathOf(key));
    try {
      const bytes = new Uint8Array(length);
      return file?.read(bytes, start) === length ? bytes : undefined;
    } finally {
      file?.close();
    }
  }

  #writable(): WritableFileSystem {
    if (isWritableFileSystem(this.#fileSystem)) return this.#fileSystem;
    throw new BucketError("denied", "Cannot write into a folder that was opened for reading");
  }

  /**
   * Creates `OWN_FOLDER` and the lock file, and removes unfinished files of killed processes. Runs only once.
   */
  #prepare(files: WritableFileSystem): void {
    if (this.#prepared) return;
    files.makeDirectory(this.#root);
    const own = `${this.#root}/${OWN_FOLDER}`;
    if (files.makeDirectory(own) === undefined) {
      throw new BucketError("denied", "Cannot create the folder of the bucket: create its parent first");
    }
    const lock = files.create(this.#lockPath(), MODE);
    if (typeof lock === "object") lock.close();
    for (const { name } of files.list(own) ?? []) {
      const path = `${own}/${name}`;
      if (path === this.#lockPath()) continue;
      const modifiedMs = files.stat(path)?.modifiedMs;
      if (modifiedMs !== undefined && this.#now() - modifiedMs > UNFINISHED_AGE_MS) files.remove(path);
    }
    this.#prepared = true;
  }

  /** Writes the bytes durably into a new file, and returns the path of the file. */
  async #writeDraft(files: WritableFileSystem, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    for (let tries = 0; tries < TRIES; tries++) {
      const path = `${this.#root}/${OWN_FOLDER}/${this.#now().toString(36)}-${this.#drafts++}`;
      const file = files.create(path, MODE);
      if (file === "exists") continue;
      if (file === undefined) break;
      try {
        file.write(bytes);
        await file.sync();
        return path;
      } catch (error) {
        files.remove(path);
        throw error;
      } finally {
        file.close();
      }
    }
    throw new BucketError("unavailable", "Cannot create a file in the folder of the bucket");
  }

  /**
   * Renames a finished file to the path of its key. Holds the lock of the folder during this time, if the
   * file system has locks.
   */
  async #place(
    files: WritableFileSystem,
    draft: string,
    key: string,
    options: BucketPutOptions,
  ): Promise<string | "conflict"> {
    const deadline = this.#now() + LOCK_LIMIT_MS;
    for (let tries = 0;;) {
      const place = () => this.#tryPlace(files, draft, key, options, tries < TRIES);
      const outcome = files.withFileLock(this.#lockPath(), "exclusive", place) ?? unlocked(options, place);
      if (outcome !== "busy") {
        if (outcome.value !== undefined) return outcome.value;
        tries++;
      } else if (this.#now() > deadline) {
        throw new BucketError("unavailable", "Another process holds the lock of the bucket for too long");
      }
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
      files.touch(draft);
    }
  }

  /**
   * Checks the conditions of a put, and renames the draft. Returns `undefined`, without a rename, when the
   * draft is not newer than the object that it replaces, because both objects could have the same tag.
   */
  #tryPlace(
    files: WritableFileSystem,
    draft: string,
    key: string,
    { ifMatch, ifNoneMatch }: BucketPutOptions,
    mayWait: boolean,
  ): string | "conflict" | undefined {
    const before = this.#head(key);
    if (ifNoneMatch !== undefined && before !== undefined) return "conflict";
    if (ifMatch !== undefined && before?.etag !== ifMatch) return "conflict";
    const stat = files.stat(draft);
    if (stat === undefined) {
      throw new BucketError("unavailable", `Cannot put "${key}": its unfinished file was removed`);
    }
    const head = headOf(stat);
    if (before !== undefined && mayWait && head.modifiedMs <= before.modifiedMs) return undefined;
    this.#rename(files, draft, key);
    return head.etag;
  }

  #rename(files: WritableFileSystem, draft: string, key: string): void {
    // Another process may remove a folder between its creation and the rename, because the folder is empty.
    for (let tries = 0; tries < TRIES; tries++) {
      this.#makeFolders(files, key);
      if (files.rename(draft, this.#pathOf(key))) return;
    }
    throw new BucketError("denied", `Cannot put "${key}": there is a folder of this name`);
  }

  #makeFolders(files: WritableFileSystem, key: string): void {
    for (const path of this.#foldersOf(key)) {
      files.makeDirectory(path);
      const kind = files.stat(path)?.kind;
      if (kind !== undefined && kind !== "directory") {
        throw new BucketError("denied", `Cannot put "${key}": the name of its folder is taken`);
      }
    }
  }
}

/**
 * Runs a put without a lock.
 *
 * @throws {BucketError} when the put has a condition.
 */
function unlocked<T>({ ifMatch, ifNoneMatch }: BucketPutOptions, place: () => T): { readonly value: T } {
  if (ifMatch === undefined && ifNoneMatch === undefined) return { value: place() };
  throw new BucketError("denied", "The file system of the bucket has no locks for conditional puts");
}

function headOf({ size, modifiedMs, inode }: FileStat): BucketHead {
  const ms = Math.round(modifiedMs);
  return { etag: `"${ms.toString(36)}-${size.toString(36)}-${inode.toString(36)}"`, size, modifiedMs: ms };
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Calls the file system, and converts its errors to `BucketError`. */
async function withPortErrors<T>(key: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toPortError(key, error);
  }
}

/**
 * Converts an error of the file system to `BucketError`. The message does not contain the path of the folder.
 */
function toPortError(key: string, error: unknown): unknown {
  if (error instanceof BucketError || !(error instanceof Error)) return error;
  if (error instanceof WriteError) {
    const obstacle = error.obstacle === "denied" ? "denied" : "unavailable";
    return new BucketError(obstacle, `Cannot write "${key}" in the folder of the bucket: ${error.obstacle}`);
  }
  const code = "code" in error ? String(error.code) : error.name;
  const obstacle = code === "EACCES" || code === "EPERM" ? "denied" : "unavailable";
  return new BucketError(obstacle, `Cannot use "${key}" in the folder of the bucket: ${code}`);
}

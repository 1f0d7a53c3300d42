/** Shared resources of a home's repositories: files, caches, clock and log. */
import type { Freshness } from "../../cache/file_freshness.ts";
import { LruMap } from "../../cache/lru_map.ts";
import type { Memory } from "../../cache/memory.ts";
import type { DamagedError, TooLargeError } from "../../errors.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";
import type { GitObject, ObjectKind, Ref } from "../../ports/storage.ts";
import type { Limiter } from "../../scheduling/limiter.ts";
import type { Scheduler } from "../../scheduling/scheduler.ts";
import type { RefFiles } from "./ref_files.ts";
import type { Unpack } from "../../git/unpack.ts";

/** Cache key of a position in a pack. */
export type CacheKey = number | string;

/** Resources shared by repositories. */
export interface StorageContext {
  readonly fileSystem: FileSystem;
  /** File handles of packs. */
  readonly files: OpenFiles;
  /** Windows of packs. */
  readonly windows: LruMap<CacheKey, Uint8Array>;
  /** Bases of deltas. A `SharedObject` is lent to its readers; other objects are never released. */
  readonly bases: LruMap<CacheKey, GitObject>;
  /** Kinds of the objects at the base of long delta chains, by positions of links in the chain. */
  readonly kinds: LruMap<CacheKey, ObjectKind>;
  /** Errors of objects in packs that cannot be read, if finding the damage was costly. */
  readonly damaged: LruMap<CacheKey, DamagedError | TooLargeError>;
  /** Counts the bytes that are read in a turn of the event loop. */
  readonly scheduler: Scheduler;
  /**
   * Allows one read of a slow object at a time, because each takes memory of several times the object's size.
   * It is fair among repositories.
   */
  readonly slowReads: Limiter;
  /** Files and folders of loose references. */
  readonly refFiles: RefFiles;
  /** Packed references, by the paths of their files. */
  readonly packedRefs: LruMap<string, CachedPackedRefs>;
  readonly unpack: Unpack;
  /** The clock of the file system's mtimes, in milliseconds since the Unix epoch. */
  now(): number;
  /** Logs a warning only the first time that it occurs. */
  logOnce(message: string, cause?: unknown): void;
}

/** Maximum number of packs that a storage holds open. */
const MAX_OPEN_PACKS = 64;

/**
 * Files that are opened on demand and left open. Beyond the limit, the least recently used file is closed.
 */
export class OpenFiles {
  readonly #fileSystem: FileSystem;
  readonly #files = new LruMap<string, OpenFile>(MAX_OPEN_PACKS, () => 1, (file) => file.close());

  constructor(fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
  }

  /**
   * The open file of a path; `undefined` when it does not exist. Use it at once: any later call may close it.
   */
  get(path: string): OpenFile | undefined {
    const opened = this.#files.get(path);
    if (opened !== undefined) return opened;
    const file = this.#fileSystem.open(path);
    if (file !== undefined) this.#files.set(path, file);
    return file;
  }

  close(path: string): void {
    const file = this.#files.get(path);
    this.#files.delete(path);
    file?.close();
  }

  closeAll(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }
}

/** Approximate memory of packed references: per byte of their file, and of an empty file, in bytes. */
const BYTES_PER_FILE_BYTE = 2;
const EMPTY_FILE_BYTES = 2 ** 11;

/** The packed references at the time when the file was read. */
export interface CachedPackedRefs {
  readonly refs: readonly Ref[];
  readonly freshness: Freshness;
  /** Size of the file. */
  readonly bytes: number;
}

/** Creates an empty cache of packed references, by the paths of their files. */
export function createPackedRefsCache(memory: Memory): LruMap<string, CachedPackedRefs> {
  return memory.mapOfLarge(
    "references",
    ({ bytes }) => Math.max(BYTES_PER_FILE_BYTE * bytes, EMPTY_FILE_BYTES),
  );
}

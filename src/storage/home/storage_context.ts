/** Shared resources of a home's repositories: files, caches, clock and log. */
import type { LruMap } from "../../cache/lru_map.ts";
import type { FileSystem } from "../../ports/file_system.ts";
import type { GitObject, ObjectKind } from "../../ports/storage.ts";
import type { Limiter } from "../../scheduling/limiter.ts";
import type { Scheduler } from "../../scheduling/scheduler.ts";
import type { OpenFiles } from "./open_files.ts";
import type { CachedPackedRefs } from "./packed_refs_cache.ts";
import type { RefFiles } from "./ref_files.ts";
import type { RefusedObjects } from "./slow_object.ts";
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
  /** Bases of deltas. A `SharedObject` among them is lent to its readers; nobody releases the others. */
  readonly bases: LruMap<CacheKey, GitObject>;
  /**
   * Kinds of objects at the base of long chains of deltas, by positions on the way; at most {@link maxKinds}.
   */
  readonly kinds: Map<CacheKey, ObjectKind>;
  readonly maxKinds: number;
  /** Unreadable objects of packs whose damage was costly to find. */
  readonly refused: RefusedObjects<CacheKey>;
  /** Counts what is read in a tick. */
  readonly scheduler: Scheduler;
  /**
   * Reads one slow object at a time, because each takes memory of several times its size. It is fair among
   * repositories.
   */
  readonly slowReads: Limiter;
  /** Files and folders of loose references. */
  readonly refFiles: RefFiles;
  /** Packed references, by the paths of their files. */
  readonly packedRefs: LruMap<string, CachedPackedRefs>;
  readonly unpack: Unpack;
  /** The clock of the file system's mtimes, in milliseconds since the Unix epoch. */
  now(): number;
  /** Logs a warning once, however often it occurs. */
  logOnce(message: string, cause?: unknown): void;
}

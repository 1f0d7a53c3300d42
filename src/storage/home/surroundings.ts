/** What the repositories of a home share: files, caches, clock and log. */
import type { LruMap } from "../../cache/lru_map.ts";
import type { FileSystem } from "../../ports/file_system.ts";
import type { GitObject } from "../../ports/storage.ts";
import type { OpenFiles } from "./open_files.ts";
import type { RefFiles } from "./ref_files.ts";
import type { Unpack } from "./unpack.ts";

/** What a cached piece of a pack is known by: the pack and the place in it. */
export type CacheKey = number | string;

/** The surroundings of a repository. */
export interface Surroundings {
  readonly fileSystem: FileSystem;
  /** Handles of packs. */
  readonly files: OpenFiles;
  /** Pieces of packs. */
  readonly windows: LruMap<CacheKey, Uint8Array>;
  /** Objects that others are deltas of. */
  readonly bases: LruMap<CacheKey, GitObject>;
  /** Files and folders of loose references. */
  readonly refFiles: RefFiles;
  readonly unpack: Unpack;
  /** Milliseconds since the Unix epoch, on the clock that also stamps files. */
  now(): number;
  /** Takes a warning for the operator, however often the same is found. */
  logOnce(message: string, cause?: unknown): void;
}

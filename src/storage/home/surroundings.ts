/** What the repositories of a home share: files, caches, clock and log. */
import type { LruMap } from "../../cache/lru_map.ts";
import type { FileSystem } from "../../ports/file_system.ts";
import type { GitObject, ObjectKind } from "../../ports/storage.ts";
import type { TurnBudget } from "../../time/turn_budget.ts";
import type { OpenFiles } from "./open_files.ts";
import type { CachedPackedRefs } from "./packed_refs_cache.ts";
import type { RefFiles } from "./ref_files.ts";
import type { RefusedObjects, SlowReads } from "./slow_object.ts";
import type { Unpack } from "./unpack.ts";

/** Key of a cached piece of a pack: the pack and the place in it. */
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
  /** Kinds of objects at the end of long chains of deltas, by places on the way, {@link maxKinds} at most. */
  readonly kinds: Map<CacheKey, ObjectKind>;
  readonly maxKinds: number;
  /** Objects of packs that cannot be read, as was found out at some cost. */
  readonly refused: RefusedObjects<CacheKey>;
  /** Bytes that are read at once in a turn. */
  readonly budget: TurnBudget;
  readonly slowReads: SlowReads;
  /** Files and folders of loose references. */
  readonly refFiles: RefFiles;
  /** Packed references, by the paths of their files. */
  readonly packedRefs: LruMap<string, CachedPackedRefs>;
  readonly unpack: Unpack;
  /** Milliseconds since the Unix epoch, on the clock that also stamps files. */
  now(): number;
  /** Takes a warning for the operator, however often the same is found. */
  logOnce(message: string, cause?: unknown): void;
}

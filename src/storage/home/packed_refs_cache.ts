/** The cache of packed references. */
import type { Freshness } from "../../cache/file_freshness.ts";
import type { LruMap } from "../../cache/lru_map.ts";
import type { Memory } from "../../cache/memory.ts";
import type { Ref } from "../../ports/storage.ts";

/** Approximate memory of packed references per byte of their file, and of an empty file, in bytes. */
const BYTES_PER_FILE_BYTE = 2;
const EMPTY_FILE_BYTES = 2 ** 11;

/** Packed references as they were when the file was read. */
export interface CachedPackedRefs {
  readonly refs: readonly Ref[];
  readonly freshness: Freshness;
  /** Size of the file. */
  readonly bytes: number;
}

/** Creates an empty cache of packed references, by the paths of their files. */
export function createPackedRefsCache(memory: Memory): LruMap<string, CachedPackedRefs> {
  return memory.mapOfLarge(
    "packedRefs",
    ({ bytes }) => Math.max(BYTES_PER_FILE_BYTE * bytes, EMPTY_FILE_BYTES),
  );
}

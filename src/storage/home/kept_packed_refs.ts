/** Memory for packed references. */
import { LruMap } from "../../cache/lru_map.ts";
import type { Ref } from "../../ports/storage.ts";
import type { Freshness } from "../../cache/file_freshness.ts";

/** Packed references that are kept, of all repositories together, in bytes of their files. Twice as much is taken. */
export const KEPT_PACKED_REFS_BYTES = 2 ** 26;

/** What even an empty file counts, in bytes. */
const LEAST_WEIGHT = 2 ** 10;

/** Packed references as they were when the file was read. */
export interface KeptPackedRefs {
  readonly refs: readonly Ref[];
  readonly freshness: Freshness;
  readonly bytes: number;
}

/** An empty memory for packed references, by the paths of their files. */
export function createPackedRefsMemory(): LruMap<string, KeptPackedRefs> {
  return new LruMap(KEPT_PACKED_REFS_BYTES, ({ bytes }) => Math.max(bytes, LEAST_WEIGHT));
}

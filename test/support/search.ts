/**
 * Full-text indexes for tests, in this thread, because Deno cannot start another thread without permissions.
 */
import { createSearchIndexOf } from "../../adapters/node/search_index.ts";
import type { SearchLimits } from "../../adapters/node/search_database.ts";
import type { SearchIndex } from "../../extensions/search/search_index.ts";

/** An index in memory. */
export function createTestIndex(limits?: SearchLimits): SearchIndex {
  return createSearchIndexOf({ program: undefined, limits });
}

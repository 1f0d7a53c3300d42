/**
 * The extension for searches in texts: names and descriptions of repositories, issues and patches
 * (docs/api.md, 4.15).
 */
import type { ApiExtension, Extension, RoutesOf } from "../../src/mod.ts";
import type { searchEndpoints } from "./contract.ts";
import { searchTexts } from "./routes.ts";
import { Search } from "./search.ts";
import type { SearchIndex } from "./search_index.ts";

export {
  type RankedText,
  type ScanResult,
  type SearchHit,
  type SearchIndex,
  SearchIndexError,
  type SearchKind,
  type SearchObstacle,
  type SearchPart,
  type SearchScan,
  type SearchText,
} from "./search_index.ts";
export type { ApiExtension } from "../../src/mod.ts";

export interface SearchOptions {
  /**
   * The full-text index, which the extension closes. Without an index, search requests get the status 501.
   */
  readonly index?: SearchIndex | undefined;
  /**
   * Whether another extension forwards search requests to a service that has an index; `false` by default.
   */
  readonly isElsewhere?: boolean | undefined;
}

/** Serves searches. When a client searches, the index is updated if references have changed. */
export function search({ index, isElsewhere = false }: SearchOptions): ApiExtension {
  let searches: Search | undefined;
  const routes: RoutesOf<typeof searchEndpoints> = [
    ["GET", "/api/v1/search", (call) => searchTexts(call, searches), { need: "search", isExpensive: true }],
  ];
  const extension: Extension = {
    name: "search",
    isSearchable: index !== undefined || isElsewhere,
    routes: (dialect) => dialect === "today" ? [] : routes,
    document: async (dialect) => (await import("./carried/document.ts")).DOCUMENT[dialect],
    start({ storage, cobs, evaluation, identities, graphs, environment: { log } }) {
      if (index === undefined) return;
      searches = new Search({ index, storage, cobs, evaluation, identities, graphs, log });
    },
    changed: () => searches?.expectChanges(),
    waiting: () => searches?.waiting ?? 0,
    close: () => searches?.close() ?? Promise.resolve(),
  };
  return extension;
}

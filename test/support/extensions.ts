/** All extensions of the package, as the command has them, for an API of a test. */
import type { GitProgram } from "../../extensions/git/git_program.ts";
import { origin } from "../../extensions/replicas/origin/mod.ts";
import type { SearchIndex } from "../../extensions/search/search_index.ts";
import { extensionsWithRoutes } from "../../extensions/with_routes.ts";
import type { ApiExtension } from "../../mod.ts";

/** Options of extensions. */
export interface ExtensionOptions {
  /** Whether there is a page; not by default. */
  readonly page?: boolean;
  readonly git?: GitProgram;
  readonly searchIndex?: SearchIndex;
  readonly maxEventReaders?: number;
  readonly tokenKey?: string;
}

/** The extensions for an API. */
export function allExtensions(options: ExtensionOptions = {}): readonly ApiExtension[] {
  return [
    ...extensionsWithRoutes({ ...options, search: { index: options.searchIndex } }),
    origin({ tokenKey: options.tokenKey }),
  ];
}

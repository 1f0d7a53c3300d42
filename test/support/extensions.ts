/** All extensions of the package, as the command has them, for an API of a test. */
import { archives } from "../../extensions/archives/mod.ts";
import { events } from "../../extensions/events/mod.ts";
import type { GitProgram } from "../../extensions/git/git_program.ts";
import { git } from "../../extensions/git/mod.ts";
import { page } from "../../extensions/page/mod.ts";
import { origin } from "../../extensions/replicas/origin/mod.ts";
import { search } from "../../extensions/search/mod.ts";
import type { SearchIndex } from "../../extensions/search/search_index.ts";
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
    events({ maxReaders: options.maxEventReaders }),
    search({ index: options.searchIndex }),
    archives(),
    ...(options.page === true ? [page()] : []),
    git({ program: options.git }),
    origin({ tokenKey: options.tokenKey }),
  ];
}

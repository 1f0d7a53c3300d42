/** The extensions with routes that both a service on a home and a replica have. */
import type { ApiExtension } from "../src/mod.ts";
import { archives } from "./archives/mod.ts";
import { events } from "./events/mod.ts";
import type { GitProgram } from "./git/git_program.ts";
import { git } from "./git/mod.ts";
import { page } from "./page/mod.ts";
import { search, type SearchOptions } from "./search/mod.ts";

export interface RoutedOptions {
  /** Whether browsers get the page; off by default. */
  readonly page?: boolean | undefined;
  /** Serves clones and fetches. Without it, clones and fetches get the status 501. */
  readonly git?: GitProgram | undefined;
  readonly search?: SearchOptions;
  /** Maximum number of clients that listen to changes at the same time. */
  readonly maxEventReaders?: number | undefined;
}

export function extensionsWithRoutes(options: RoutedOptions = {}): readonly ApiExtension[] {
  return [
    events({ maxReaders: options.maxEventReaders }),
    search(options.search ?? {}),
    archives(),
    ...(options.page === true ? [page()] : []),
    git({ program: options.git }),
  ];
}

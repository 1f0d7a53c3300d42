/**
 * A full-text index of names, descriptions, issues and patches. It is derived data: it may be lost at any
 * time, and is then made again from the repositories.
 */
import type { RepoId } from "../../src/mod.ts";

/** Texts of public and of private repositories are two parts, which are never stored together. */
export type SearchPart = "public" | "private";

/** Kind of an object with texts. */
export type SearchKind = "repository" | "issue" | "patch";

/** The texts of a repository, an issue or a patch. */
export interface SearchText {
  /** Unique in its repository: the kind, and for an issue or a patch a space and its id. */
  readonly key: string;
  /** Words in the title count more than those in the body. */
  readonly title: string;
  readonly body: string;
  /** State of an issue or a patch; empty for a repository. */
  readonly status: string;
}

/** A scan of some texts of a part: it finds those that contain every word. */
export interface SearchScan {
  readonly part: SearchPart;
  /** An expression of FTS5 in which every word is quoted. */
  readonly expression: string;
  /** Where to begin: 0, then {@link ScanResult.next}. */
  readonly from: number;
  /** Repositories to search; all by default. */
  readonly rids?: readonly RepoId[] | undefined;
  /** How many of the best texts to return. */
  readonly most: number;
}

/**
 * A found text before it is read. The best text has the lowest rank, which is the same in every runtime.
 * Equally good texts are in the order of their repository ids, then of their keys.
 */
export interface RankedText {
  readonly part: SearchPart;
  /** Number of the text in its part. */
  readonly row: number;
  readonly rid: RepoId;
  readonly key: string;
  readonly rank: number;
}

/** The result of a scan. */
export interface ScanResult {
  /** Number of found texts by repository. */
  readonly counts: ReadonlyMap<RepoId, number>;
  /** The best texts, the best first. */
  readonly best: readonly RankedText[];
  /** Where the next scan begins; `undefined` after the last text. */
  readonly next: number | undefined;
  /** Time that the scan took, in milliseconds. */
  readonly tookMs: number;
}

/** A found text. Its title and body are as they were put in. */
export interface SearchHit {
  readonly rid: RepoId;
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly status: string;
}

/**
 * A full-text index. Each call is bounded by the sizes that are given to it, or takes milliseconds in a
 * thread of its own. Calls reject with {@link SearchIndexError} when the index cannot be used.
 */
export interface SearchIndex {
  /** The states of the repositories, as given to {@link finish}; empty for those that are not finished. */
  states(part: SearchPart): Promise<ReadonlyMap<RepoId, string>>;
  /**
   * Adds texts of a repository, and replaces texts that have other content. Equal ones cost little.
   *
   * @returns Number of texts that were left out because of a limit.
   */
  put(part: SearchPart, rid: RepoId, texts: readonly SearchText[]): Promise<number>;
  /**
   * Removes some of the texts of a repository that have none of the given keys. When there are no more of
   * them, keeps the state of the repository.
   *
   * @returns Whether there are more to remove: call it again.
   */
  finish(part: SearchPart, rid: RepoId, keys: readonly string[], state: string): Promise<boolean>;
  /**
   * Removes some texts of a repository, and at last the repository. No trace of it remains after the
   * following calls of {@link tidy}.
   *
   * @returns Whether there are more to remove: call it again.
   */
  remove(part: SearchPart, rid: RepoId): Promise<boolean>;
  /** Erases some of what is left of removed repositories; returns whether there is more. */
  tidy(part: SearchPart): Promise<boolean>;
  /** Scans texts for some milliseconds only, so that other searches can have their turn. */
  scan(scan: SearchScan): Promise<ScanResult>;
  /** Reads found texts, in their order, without those that are gone. */
  texts(found: readonly RankedText[]): Promise<readonly SearchHit[]>;
  /** Closes the files. Calls under way and later ones reject. */
  close(): void | Promise<void>;
}

/**
 * Why an index cannot be used. `busy`: another process is changing it, or too many calls are waiting. `lost`:
 * the file of a part was damaged, removed or replaced, so its texts have to be compared again. `broken`:
 * everything else.
 */
export type SearchObstacle = "busy" | "lost" | "broken";

/** An index cannot be used. The message is for the log only: it may name files. */
export class SearchIndexError extends Error {
  override readonly name = "SearchIndexError";
  readonly obstacle: SearchObstacle;

  constructor(obstacle: SearchObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}

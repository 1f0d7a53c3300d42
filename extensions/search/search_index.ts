/**
 * A full-text index of names, descriptions, issues and patches. It is derived data: it may be lost at any
 * time, and is made again from the repositories.
 */
import type { RepoId } from "../../src/ids/rid.ts";

/** Texts of public repositories, or those of private ones. They are never stored together. */
export type SearchPart = "public" | "private";

/** Kind of a thing that has texts. */
export type SearchKind = "repository" | "issue" | "patch";

/** The texts of a repository, an issue or a patch. */
export interface SearchText {
  /** Unique in its repository: the kind, and the object id after a space if there is one. */
  readonly key: string;
  /** Changes with each of the other members. */
  readonly digest: string;
  /** Words in the title count more than those in the body. */
  readonly title: string;
  readonly body: string;
  /** State of an issue or a patch; empty for a repository. */
  readonly status: string;
}

/** A look at some of the texts in a part, for those in which every word occurs. */
export interface SearchLook {
  readonly part: SearchPart;
  /** An expression of FTS5 in which every word is quoted. */
  readonly expression: string;
  /** The place from which on texts are looked at: 0, then {@link Looked.next}. */
  readonly from: number;
  /** Only texts of these repositories are found; of all by default. */
  readonly rids?: readonly RepoId[] | undefined;
  /** Found texts that are ranked at most, the best ones. */
  readonly most: number;
}

/**
 * A found text before it is read. Its rank is the least for the best text, the same in every runtime. Of
 * equally good texts those with the smaller repository id, then the smaller key come first.
 */
export interface RankedText {
  readonly part: SearchPart;
  /** Number of the text in its part. */
  readonly row: number;
  readonly rid: RepoId;
  readonly key: string;
  readonly rank: number;
}

/** The result of a look. */
export interface Looked {
  /** Number of found texts by repository. */
  readonly counts: ReadonlyMap<RepoId, number>;
  /** The best of them, the best first. */
  readonly best: readonly RankedText[];
  /** Where the next look begins; `undefined` after the last text. */
  readonly next: number | undefined;
  /** Time that the look took, in milliseconds. */
  readonly tookMs: number;
}

/** A found text. Titles and bodies are as they were put in. */
export interface SearchHit {
  readonly rid: RepoId;
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly status: string;
}

/**
 * A full-text index. Each call takes milliseconds in a thread of its own, or is bounded by the sizes that are
 * given to it. Calls reject with {@link SearchIndexError} when the index cannot be used.
 */
export interface SearchIndex {
  /** States of the repositories as given to {@link finish}; empty for those that are not finished. */
  states(part: SearchPart): Promise<ReadonlyMap<RepoId, string>>;
  /** Digests of the texts of a repository, by key. */
  digests(part: SearchPart, rid: RepoId): Promise<ReadonlyMap<string, string>>;
  /**
   * Adds texts of a repository, in place of those with the same keys.
   *
   * @returns Number of texts that were left out because a limit was reached.
   */
  put(part: SearchPart, rid: RepoId, texts: readonly SearchText[]): Promise<number>;
  /** Removes texts of a repository by their keys. */
  drop(part: SearchPart, rid: RepoId, keys: readonly string[]): Promise<void>;
  /** Says that all texts of a repository are there, as of a state. */
  finish(part: SearchPart, rid: RepoId, state: string): Promise<void>;
  /**
   * Removes some texts of a repository, and in the end the repository. No trace of it remains after the
   * following calls of {@link tidy}.
   *
   * @returns Whether there are more texts to remove.
   */
  remove(part: SearchPart, rid: RepoId): Promise<boolean>;
  /** Erases some of what is left of removed repositories; returns whether there is more. */
  tidy(part: SearchPart): Promise<boolean>;
  /** Looks at texts for some milliseconds, so that others need not wait for the whole of a long search. */
  look(look: SearchLook): Promise<Looked>;
  /** Reads found texts, in their order; those that are gone are left out. */
  texts(found: readonly RankedText[]): Promise<readonly SearchHit[]>;
  /**
   * A text that changes when something has been lost that was put before, such as a damaged file: then the
   * states have to be compared again. Absent where nothing is lost.
   */
  edition?(): Promise<string>;
  /** Ends the use of the index. Calls that have not ended and later ones reject. Closes its files. */
  close(): void | Promise<void>;
}

/**
 * Reason for which an index could not be used. `busy`: another process is changing it, or there is too much
 * to do. `broken`: everything else.
 */
export type SearchObstacle = "busy" | "broken";

/** An index cannot be used. The message is for the log alone: it may name files. */
export class SearchIndexError extends Error {
  override readonly name = "SearchIndexError";
  readonly obstacle: SearchObstacle;

  constructor(obstacle: SearchObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}

/**
 * The interface of a full-text index of the names and descriptions of repositories, and of issues and
 * patches. The index is derived data. It may be lost at any time, and is then made again from the
 * repositories.
 */
import type { RepoId } from "../../src/mod.ts";

/**
 * One of the two parts of the index. Texts of public repositories and texts of private repositories are never
 * stored together.
 */
export type SearchPart = "public" | "private";

/** Kind of object to which a text belongs. */
export type SearchKind = "repository" | "issue" | "patch";

/** The texts of a repository, an issue or a patch. */
export interface SearchText {
  /**
   * Key that is unique within the repository. It is the kind, and for an issue or a patch also a space and
   * its id.
   */
  readonly key: string;
  /** Title. Terms in the title count more than terms in the body. */
  readonly title: string;
  readonly body: string;
  /** State of an issue or a patch; empty for a repository. */
  readonly status: string;
}

/** Parameters of a scan of some texts of a part. The scan finds the texts that contain every term. */
export interface SearchScan {
  readonly part: SearchPart;
  /** An expression of FTS5 in which every term is quoted. */
  readonly expression: string;
  /** Row after which the scan begins. It is 0 for the first scan, and then {@link ScanResult.next}. */
  readonly from: number;
  /** Repositories whose texts are searched; by default the texts of all repositories. */
  readonly rids?: readonly RepoId[] | undefined;
  /** Maximum number of the best texts that are returned. */
  readonly most: number;
}

/**
 * A found text before its content is read. The best text has the lowest rank, which is the same on every
 * runtime. Equally good texts are in the order of their repository ids, and then of their keys.
 */
export interface RankedText {
  readonly part: SearchPart;
  /** Number that identifies the text within its part of the index. */
  readonly row: number;
  readonly rid: RepoId;
  readonly key: string;
  readonly rank: number;
}

/** The result of a scan. */
export interface ScanResult {
  /** Number of found texts in each repository. */
  readonly counts: ReadonlyMap<RepoId, number>;
  /** The best texts, with the best text first. */
  readonly best: readonly RankedText[];
  /** Row after which the next scan begins; `undefined` after the last text. */
  readonly next: number | undefined;
  /** Duration of the scan, in milliseconds. */
  readonly tookMs: number;
}

/** A found text. Its title and body are the same as when they were put into the index. */
export interface SearchHit {
  readonly rid: RepoId;
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly status: string;
}

/**
 * A full-text index. The work of each call is limited by sizes that the caller gives. Otherwise, the call
 * takes milliseconds in the index's own thread. Calls reject with {@link SearchIndexError} when the index
 * cannot be used.
 */
export interface SearchIndex {
  /**
   * Returns the state of each repository, as it was given to {@link finish}. The state is empty while
   * {@link finish} has not finished the repository.
   */
  states(part: SearchPart): Promise<ReadonlyMap<RepoId, string>>;
  /**
   * Adds texts of a repository, and replaces texts whose content has changed. Texts that the index already
   * contains cost little.
   *
   * @returns the number of texts that were left out because of a limit.
   */
  put(part: SearchPart, rid: RepoId, texts: readonly SearchText[]): Promise<number>;
  /**
   * Removes some of the texts of a repository whose keys are not among the given keys. When all such texts
   * are removed, stores the state of the repository.
   *
   * @returns whether more texts have to be removed. If so, call this method again.
   */
  finish(part: SearchPart, rid: RepoId, keys: readonly string[], state: string): Promise<boolean>;
  /**
   * Removes some texts of a repository. After the last text, removes the repository itself. The following
   * calls of {@link tidy} erase all remaining traces of the repository.
   *
   * @returns whether more texts have to be removed. If so, call this method again.
   */
  remove(part: SearchPart, rid: RepoId): Promise<boolean>;
  /** Erases some of the remaining traces of removed repositories. Returns whether more traces are left. */
  tidy(part: SearchPart): Promise<boolean>;
  /** Scans texts for only some milliseconds, so that other searches can scan in between. */
  scan(scan: SearchScan): Promise<ScanResult>;
  /** Reads found texts in the given order, and leaves out texts that have been removed. */
  texts(found: readonly RankedText[]): Promise<readonly SearchHit[]>;
  /** Closes the files. Running and later calls reject. */
  close(): void | Promise<void>;
}

/**
 * The reason why an index cannot be used. `busy` means that another process is changing the index, or too
 * many calls are waiting. `lost` means that the file of a part was damaged, removed or replaced, so its texts
 * have to be compared again. `broken` means any other reason.
 */
export type SearchObstacle = "busy" | "lost" | "broken";

/**
 * The error when an index cannot be used. The message is for the log only, because it may contain file names.
 */
export class SearchIndexError extends Error {
  override readonly name = "SearchIndexError";
  readonly obstacle: SearchObstacle;

  constructor(obstacle: SearchObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}

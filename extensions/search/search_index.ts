/**
 * The interface of a full-text index of the names and descriptions of repositories, and of issues and
 * patches. The index may be lost at any time, and is then made again from the repositories.
 */
import type { RepoId } from "../../src/mod.ts";

/** One of the two parts of the index. Texts of public and private repositories are stored separately. */
export type SearchPart = "public" | "private";

export type SearchKind = "repository" | "issue" | "patch";

/** The text of a repository, an issue or a patch. */
export interface SearchText {
  /**
   * Unique key within the repository: `repository`, or the kind, a space and the id of the issue or patch.
   */
  readonly key: string;
  /** Terms in the title count more than terms in the body. */
  readonly title: string;
  readonly body: string;
  /** State of an issue or a patch; empty for a repository. */
  readonly status: string;
}

/** Parameters of a scan. A scan searches some texts of a part for texts that contain every term. */
export interface SearchScan {
  readonly part: SearchPart;
  /** An FTS5 expression in which every term is quoted. */
  readonly expression: string;
  /** Row after which the scan begins: 0 for the first scan, then {@link ScanResult.next}. */
  readonly from: number;
  /** Repositories whose texts are searched; by default the texts of all repositories. */
  readonly rids?: readonly RepoId[] | undefined;
  /** Maximum number of the best texts that are returned. */
  readonly most: number;
}

/**
 * A found text before its content is read. Texts are ordered by rank, the lowest first, then by repository id
 * and key.
 */
export interface RankedText {
  readonly part: SearchPart;
  /** Number that identifies the text within its part of the index. */
  readonly row: number;
  readonly rid: RepoId;
  readonly key: string;
  readonly rank: number;
}

export interface ScanResult {
  /** Number of found texts in each repository. */
  readonly counts: ReadonlyMap<RepoId, number>;
  /** The best texts, the best first. */
  readonly best: readonly RankedText[];
  /** Row after which the next scan begins; `undefined` after the last text. */
  readonly next: number | undefined;
  /** Duration of the scan, in milliseconds. */
  readonly tookMs: number;
}

/** A found text with its content. */
export interface SearchHit {
  readonly rid: RepoId;
  readonly key: string;
  readonly title: string;
  readonly body: string;
  readonly status: string;
}

/**
 * A full-text index. Each call does a limited amount of work. Calls reject with {@link SearchIndexError} when
 * the index cannot be used.
 */
export interface SearchIndex {
  /**
   * Returns the state of each repository that {@link finish} stored. The state is empty until `finish` has
   * stored one.
   */
  states(part: SearchPart): Promise<ReadonlyMap<RepoId, string>>;
  /**
   * Adds texts of a repository, and replaces texts whose content has changed. Unchanged texts cost little.
   *
   * @returns the number of texts that were left out because of a limit.
   */
  put(part: SearchPart, rid: RepoId, texts: readonly SearchText[]): Promise<number>;
  /**
   * Removes some texts of a repository whose keys are not among the given keys. When no such texts are left,
   * stores the state of the repository.
   *
   * @returns whether more texts have to be removed. If so, call this method again.
   */
  finish(part: SearchPart, rid: RepoId, keys: readonly string[], state: string): Promise<boolean>;
  /**
   * Removes some texts of a repository, and finally the repository. Later calls of {@link tidy} erase the
   * remaining traces of the repository.
   *
   * @returns whether more texts have to be removed. If so, call this method again.
   */
  remove(part: SearchPart, rid: RepoId): Promise<boolean>;
  /** Erases some remaining traces of removed texts. Returns whether more traces are left. */
  tidy(part: SearchPart): Promise<boolean>;
  /** Scans texts for some milliseconds, so that other searches can scan in between. */
  scan(scan: SearchScan): Promise<ScanResult>;
  /** Reads the content of found texts, in the given order. Leaves out texts that have been removed. */
  texts(found: readonly RankedText[]): Promise<readonly SearchHit[]>;
  /** Closes the files. Running and later calls reject. */
  close(): void | Promise<void>;
}

/**
 * Reason why an index cannot be used. `busy`: another process is changing the index, or too many calls are
 * waiting. `lost`: the file of a part was damaged, removed or replaced, so all texts have to be added again.
 * `broken`: any other reason.
 */
export type SearchObstacle = "busy" | "lost" | "broken";

/** Thrown when the index cannot be used. The message may contain file names, so it is only for the log. */
export class SearchIndexError extends Error {
  override readonly name = "SearchIndexError";
  readonly obstacle: SearchObstacle;

  constructor(obstacle: SearchObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}

/**
 * The objects database of the Radicle programs: the file from which `rad` and today's services read issues and patches, one row each. Nothing
 * fills a missing row there, so whoever writes an object keeps its row. A database is no part of the truth: objects stand without it.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "./storage.ts";

/**
 * What rows look like, by the first release of `rad` whose rows look so: `0.10` (database version 1), `1.0` (version 1 as
 * well, told apart by the rows that are there), `1.1` (version 2), `newest` (version 3).
 */
export type RowForm = "0.10" | "1.0" | "1.1" | "newest";

/** The kinds of objects that have rows. */
export type CachedType = "xyz.radicle.issue" | "xyz.radicle.patch";

/** An object that has a row, or shall have one. */
export interface CachedObject {
  readonly rid: RepoId;
  readonly type: CachedType;
  readonly id: Oid;
}

/** The row of an object. */
export interface CachedRow {
  readonly form: RowForm;
  /** JSON; `undefined` when there is no row. */
  readonly text: string | undefined;
}

/**
 * An objects database. Calls take a moment at most: where they would have to wait for another program, they throw {@link CobCacheError} `busy`
 * instead, and the caller tries again. They throw it, too, when a database is there but cannot be used.
 */
export interface CobCache {
  /** The row of an object; `undefined` when there is no database, and so nothing to keep. */
  read(object: CachedObject): Awaitable<CachedRow | undefined>;
  /**
   * Puts a row in the place of one that was read, if it still is what it was then.
   *
   * @returns Whether it was. If not, nothing has changed: somebody else knows more, so read and evaluate again.
   */
  replace(object: CachedObject, before: CachedRow, text: string): Awaitable<boolean>;
  /**
   * The objects whose rows may be behind, of some that are given with an entry each: they have no row, or one that does not mention the entry.
   * None when there is no database.
   */
  findBehind(rid: RepoId, type: CachedType, entries: ReadonlyMap<Oid, Oid>): Awaitable<readonly Oid[]>;
}

/**
 * Why a database could not be used: another program holds its lock (`busy`); it is of no version or shape that is known here, and was left
 * alone (`foreign`); it is damaged, may not be written to, or its disk is full (`broken`).
 */
export type CobCacheObstacle = "busy" | "foreign" | "broken";

/** Thrown when nothing was read or written. The message is for the log alone: it may name files. */
export class CobCacheError extends Error {
  override readonly name = "CobCacheError";
  readonly obstacle: CobCacheObstacle;

  constructor(obstacle: CobCacheObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}

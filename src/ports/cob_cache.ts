/**
 * The objects database (`cobs/cache.db`) of the Radicle programs: `rad` and today's services read issues and
 * patches from it, one row each. They never fill in a missing row, so every writer of an object updates its
 * row. The database is derived data: objects are valid without it.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "./storage.ts";

/**
 * Form of the rows, named after the first release of `rad` that writes it: `0.10` (database version 1), `1.0`
 * (also version 1, recognized by the rows present), `1.1` (version 2), `newest` (version 3).
 */
export type RowForm = "0.10" | "1.0" | "1.1" | "newest";

/** Object types that have rows. */
export type CachedType = "xyz.radicle.issue" | "xyz.radicle.patch";

/** The key of a row. */
export interface CachedObject {
  readonly rid: RepoId;
  readonly type: CachedType;
  readonly id: Oid;
}

/** The row of an object, or its absence. */
export interface CachedRow {
  readonly form: RowForm;
  /** JSON; `undefined` when there is no row. */
  readonly text: string | undefined;
}

/**
 * An objects database. Calls are short. If a call would have to wait for another program, it throws
 * {@link CobCacheError} `busy`, and the caller retries. The same error, with another reason, reports a
 * database that cannot be used.
 */
export interface CobCache {
  /** Reads the row of an object; `undefined` when there is no database and therefore nothing to update. */
  read(object: CachedObject): Awaitable<CachedRow | undefined>;
  /**
   * Replaces a row if it is still equal to `before`.
   *
   * @returns Whether the row was replaced. If not, nothing has changed, and another program has a newer
   *   state: read and evaluate again.
   */
  replace(object: CachedObject, before: CachedRow, text: string): Awaitable<boolean>;
  /**
   * Finds the objects whose rows may be outdated: the row is missing, or it does not contain the given entry
   * of the object. Empty when there is no database.
   */
  findBehind(rid: RepoId, type: CachedType, entries: ReadonlyMap<Oid, Oid>): Awaitable<readonly Oid[]>;
}

/**
 * Reason for which a database could not be used. `busy`: another program holds its lock. `foreign`: its
 * version or schema is unknown, and it was left alone. `broken`: it is damaged or read-only, or the disk is
 * full.
 */
export type CobCacheObstacle = "busy" | "foreign" | "broken";

/** Nothing was read or written. The message is only for the log: it may name files. */
export class CobCacheError extends Error {
  override readonly name = "CobCacheError";
  readonly obstacle: CobCacheObstacle;

  constructor(obstacle: CobCacheObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}

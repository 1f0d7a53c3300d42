/**
 * The objects database (`cobs/cache.db`) of the Radicle programs, in which each issue and patch has one row.
 * `rad` and `radicle-httpd` read issues and patches from this database, and never add a missing row. Every
 * program that writes an issue or patch must therefore also write its row. The database is derived data,
 * which an issue or patch does not need to be valid.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "./storage.ts";

/**
 * Format of the rows, named after the first release of `rad` that writes the format: `0.10` (database version
 * 1), `1.0` (also version 1, recognized by the existing rows), `1.1` (version 2), `newest` (version 3).
 */
export type RowForm = "0.10" | "1.0" | "1.1" | "newest";

/** Types of the objects that have rows. */
export type CachedType = "xyz.radicle.issue" | "xyz.radicle.patch";

/** Identifies the issue or patch of a row. */
export interface CachedObject {
  readonly rid: RepoId;
  readonly type: CachedType;
  readonly id: Oid;
}

/** The row of an object. If the object has no row, `text` is `undefined`. */
export interface CachedRow {
  readonly form: RowForm;
  /** JSON text of the row; `undefined` when there is no row. */
  readonly text: string | undefined;
}

/**
 * An objects database. Calls are short. If a call would have to wait for another program, it throws a
 * {@link CobCacheError} with `busy`, and the caller retries. If the database cannot be used, the call throws
 * a {@link CobCacheError} with another obstacle.
 */
export interface CobCache {
  /**
   * Reads the row of an object. Returns `undefined` when there is no database and therefore nothing to
   * update.
   */
  read(object: CachedObject): Awaitable<CachedRow | undefined>;
  /**
   * Replaces a row if it is still equal to `before`.
   *
   * @returns Whether the row was replaced. If not, nothing has changed, and another program has written a
   *   newer state. The caller must then read and evaluate the object again.
   */
  replace(object: CachedObject, before: CachedRow, text: string): Awaitable<boolean>;
  /**
   * Finds the objects whose rows may be outdated, because the row is missing or does not contain the entry
   * that `entries` gives for the object. Returns an empty list when there is no database.
   */
  findBehind(rid: RepoId, type: CachedType, entries: ReadonlyMap<Oid, Oid>): Awaitable<readonly Oid[]>;
}

/**
 * Reason why a database could not be used. `busy`: another program holds its lock. `foreign`: its version or
 * schema is unknown. `broken`: it is damaged or read-only, or the disk is full.
 */
export type CobCacheObstacle = "busy" | "foreign" | "broken";

/**
 * The database could not be used, and nothing was read or written. The message is only for the log, because
 * it may contain file names.
 */
export class CobCacheError extends Error {
  override readonly name = "CobCacheError";
  readonly obstacle: CobCacheObstacle;

  constructor(obstacle: CobCacheObstacle, message: string, options?: ErrorOptions) {
    super(message, options);
    this.obstacle = obstacle;
  }
}

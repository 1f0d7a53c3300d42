/**
 * Manages the two parts of a full-text index (public and private texts), in files or in memory. A damaged
 * file is removed and made again. If files cannot be used, the index is in memory.
 */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { RepoId } from "../../src/ids/rid.ts";
import { messageOf } from "../../src/errors.ts";
import {
  type RankedText,
  type ScanResult,
  type SearchHit,
  type SearchIndex,
  SearchIndexError,
  type SearchPart,
  type SearchScan,
} from "../../extensions/search/search_index.ts";
import {
  FILE_LIMITS,
  isDamage,
  MEMORY_LIMITS,
  SearchDatabase,
  type SearchLimits,
} from "./search_database.ts";
import { isBusy } from "./sqlite.ts";

export interface SearchPlace {
  /**
   * Path of the files without the suffix `.public.db` or `.private.db`. By default, the index is in memory.
   */
  readonly path?: string | undefined;
  /** Limits of each part; {@link FILE_LIMITS} or {@link MEMORY_LIMITS} by default. */
  readonly limits?: SearchLimits | undefined;
}

/** Result of a search in a part that does not exist. */
const NOTHING: ScanResult = { counts: new Map(), best: [], next: undefined, tookMs: 0 };

export type SearchCalls = Omit<SearchIndex, "close">;

/** An index in two SQLite databases, for public and for private texts. Its calls block the calling thread. */
export class SqliteSearchIndex implements SearchIndex {
  readonly #place: SearchPlace;
  readonly #warn: (message: string, cause: unknown) => void;
  readonly #open = new Map<SearchPart, SearchDatabase>();
  #isInMemory: boolean;

  /** @param warn Called when a file is damaged, or cannot be used. */
  constructor(place: SearchPlace, warn: (message: string, cause: unknown) => void) {
    this.#place = place;
    this.#warn = warn;
    this.#isInMemory = place.path === undefined;
  }

  states(part: SearchPart): Promise<ReadonlyMap<RepoId, string>> {
    return this.#ifThere(part, (database) => database.states(), new Map());
  }

  put(part: SearchPart, rid: RepoId, texts: Parameters<SearchDatabase["put"]>[1]): Promise<number> {
    return this.#with(part, (database) => database.put(rid, texts));
  }

  finish(part: SearchPart, rid: RepoId, keys: readonly string[], state: string): Promise<boolean> {
    return this.#with(part, (database) => database.finish(rid, keys, state));
  }

  remove(part: SearchPart, rid: RepoId): Promise<boolean> {
    return this.#ifThere(part, (database) => database.remove(rid), false);
  }

  /**
   * Erases traces of removed texts ({@link SearchDatabase.tidy}). If no private repository is left, removes
   * the file of private texts.
   */
  tidy(part: SearchPart): Promise<boolean> {
    const tidy = (database: SearchDatabase) => {
      if (part === "public" || !database.isEmpty || this.#isInMemory) return database.tidy();
      this.#open.delete(part);
      database.close();
      this.#remove(part);
      return false;
    };
    return this.#ifThere(part, tidy, false);
  }

  scan({ part, ...scan }: SearchScan): Promise<ScanResult> {
    const scanIn = (database: SearchDatabase) => {
      const result = database.scan(scan);
      return { ...result, best: result.best.map((text) => ({ ...text, part })) };
    };
    return this.#ifThere(part, scanIn, NOTHING);
  }

  async texts(found: readonly RankedText[]): Promise<readonly SearchHit[]> {
    const hits: SearchHit[] = [];
    for (const text of found) {
      const hit = await this.#with(text.part, (database) => database.hit(text));
      if (hit !== undefined) hits.push(hit);
    }
    return hits;
  }

  close(): void {
    for (const database of this.#open.values()) database.close();
    this.#open.clear();
  }

  /** Runs a step on a part. If the part does not exist, returns `otherwise`. */
  async #ifThere<T>(part: SearchPart, step: (database: SearchDatabase) => T, otherwise: T): Promise<T> {
    const path = this.#pathOf(part);
    const isThere = path === undefined ? this.#open.has(part) : existsSync(path);
    if (!isThere && this.#open.has(part)) this.#forgetGone(part);
    return isThere ? await this.#with(part, step) : otherwise;
  }

  /** Runs a step on a part. Makes the part if it does not exist, and removes the part if it is damaged. */
  async #with<T>(part: SearchPart, step: (database: SearchDatabase) => T): Promise<T> {
    try {
      return step(await this.#database(part));
    } catch (error) {
      if (error instanceof SearchIndexError) throw error;
      const isLost = isDamage(error);
      if (isLost) this.#removeDamaged(part, error);
      const obstacle = isLost ? "lost" : isBusy(error) ? "busy" : "broken";
      throw new SearchIndexError(obstacle, `Cannot use the search index: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  async #database(part: SearchPart): Promise<SearchDatabase> {
    const open = this.#open.get(part);
    if (open?.isThere) return open;
    if (open !== undefined) this.#forgetGone(part);
    const database = await this.#openPart(part).catch((error) => {
      if (!isDamage(error)) throw error;
      this.#removeDamaged(part, error);
      return this.#openPart(part);
    });
    this.#open.set(part, database);
    return database;
  }

  async #openPart(part: SearchPart): Promise<SearchDatabase> {
    const path = this.#pathOf(part);
    if (path !== undefined) {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        return await SearchDatabase.open(path, this.#place.limits ?? FILE_LIMITS);
      } catch (error) {
        if (isDamage(error) || isBusy(error)) throw error;
        this.#warn("The search index is in memory, because its files cannot be used", error);
        this.#isInMemory = true;
        for (const part of [...this.#open.keys()]) this.#forget(part);
      }
    }
    return await SearchDatabase.open(undefined, this.#place.limits ?? MEMORY_LIMITS[part]);
  }

  #pathOf(part: SearchPart): string | undefined {
    return this.#isInMemory ? undefined : `${this.#place.path}.${part}.db`;
  }

  #removeDamaged(part: SearchPart, cause: unknown): void {
    this.#warn(`The search index of ${part} texts is rebuilt, because its file is damaged`, cause);
    this.#forget(part);
    this.#remove(part);
  }

  /**
   * Closes an open part whose file was removed or replaced. For private texts this is no error, because
   * another process removes the file when no private texts are left.
   *
   * @throws {SearchIndexError} with the obstacle `lost` for public texts.
   */
  #forgetGone(part: SearchPart): void {
    this.#forget(part);
    if (part === "private") return;
    throw new SearchIndexError("lost", `The file of ${part} texts in the search index is gone`);
  }

  #forget(part: SearchPart): void {
    try {
      this.#open.get(part)?.close();
    } catch {
      // Closing a damaged file may fail.
    }
    this.#open.delete(part);
  }

  #remove(part: SearchPart): void {
    const path = this.#pathOf(part);
    if (path !== undefined) SearchDatabase.remove(path);
  }
}

/** Calls the method of an index that a message names. */
export function callOf(
  index: SearchCalls,
  name: keyof SearchCalls,
  values: readonly unknown[],
): Promise<unknown> {
  return (index[name] as (...values: unknown[]) => Promise<unknown>).apply(index, [...values]);
}

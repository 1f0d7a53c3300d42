/**
 * The two parts of a full-text index, as files or in memory. A damaged file is made again; where there can be
 * no file, the index is in memory.
 */
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { RepoId } from "../../src/ids/rid.ts";
import { messageOf } from "../../src/errors.ts";
import {
  type Looked,
  type RankedText,
  type SearchHit,
  type SearchIndex,
  SearchIndexError,
  type SearchLook,
  type SearchPart,
} from "../../extensions/search/search_index.ts";
import {
  FILE_LIMITS,
  isDamage,
  MEMORY_LIMITS,
  SearchDatabase,
  type SearchLimits,
} from "./search_database.ts";
import { isBusy } from "./sqlite.ts";

/** Place and limits of an index. */
export interface SearchPlace {
  /** Path of the files, to which the name of the part and `.db` are added; in memory by default. */
  readonly path?: string | undefined;
  /** Limits of each part; {@link FILE_LIMITS} or {@link MEMORY_LIMITS} by default. */
  readonly limits?: SearchLimits | undefined;
}

/** Result of a look at no texts. */
const NOTHING: Looked = { counts: new Map(), best: [], next: undefined, tookMs: 0 };

/** Calls of an index, by name. */
export type SearchCalls = Omit<SearchIndex, "close">;

/** An index in SQLite: two parts, each a database. Its calls are done in the calling thread. */
export class SqliteSearchIndex implements SearchIndex {
  readonly #place: SearchPlace;
  readonly #warn: (message: string, cause: unknown) => void;
  readonly #open = new Map<SearchPart, SearchDatabase>();
  /** Set when files cannot be used. */
  #isInMemory: boolean;
  /** Distinguishes this index from those of other threads. */
  readonly #name = crypto.randomUUID();
  #losses = 0;

  /** @param warn Gets a line for the log when a file is damaged, or cannot be used. */
  constructor(place: SearchPlace, warn: (message: string, cause: unknown) => void) {
    this.#place = place;
    this.#warn = warn;
    this.#isInMemory = place.path === undefined;
  }

  states(part: SearchPart): Promise<ReadonlyMap<RepoId, string>> {
    return this.#ifThere(part, (database) => database.states(), new Map());
  }

  digests(part: SearchPart, rid: RepoId): Promise<ReadonlyMap<string, string>> {
    return this.#ifThere(part, (database) => database.digests(rid), new Map());
  }

  put(part: SearchPart, rid: RepoId, texts: Parameters<SearchDatabase["put"]>[1]): Promise<number> {
    return this.#with(part, (database) => database.put(rid, texts));
  }

  drop(part: SearchPart, rid: RepoId, keys: readonly string[]): Promise<void> {
    return this.#ifThere(part, (database) => database.drop(rid, keys), undefined);
  }

  finish(part: SearchPart, rid: RepoId, state: string): Promise<void> {
    return this.#with(part, (database) => database.finish(rid, state));
  }

  remove(part: SearchPart, rid: RepoId): Promise<boolean> {
    return this.#ifThere(part, (database) => database.remove(rid), false);
  }

  /** The file of private texts is removed with the last private repository. */
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

  look({ part, ...look }: SearchLook): Promise<Looked> {
    const lookIn = (database: SearchDatabase) => {
      const looked = database.look(look);
      return { ...looked, best: looked.best.map((text) => ({ ...text, part })) };
    };
    return this.#ifThere(part, lookIn, NOTHING);
  }

  /** Another one after a part has been lost that was open. */
  edition(): Promise<string> {
    return Promise.resolve(`${this.#name} ${this.#losses}`);
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

  /** As {@link #with}, but a part that is not there yet is not made. */
  async #ifThere<T>(part: SearchPart, step: (database: SearchDatabase) => T, otherwise: T): Promise<T> {
    const path = this.#pathOf(part);
    const isThere = path === undefined ? this.#open.has(part) : existsSync(path);
    if (!isThere && this.#open.has(part)) this.#forget(part);
    return isThere ? await this.#with(part, step) : otherwise;
  }

  /** Does something with a part. After damage the part is made anew, and it is done once more. */
  async #with<T>(part: SearchPart, step: (database: SearchDatabase) => T): Promise<T> {
    for (let attempt = 0;; attempt++) {
      try {
        return step(await this.#database(part));
      } catch (error) {
        if (isDamage(error) && attempt === 0) {
          this.#warn(`The search index of ${part} texts is made anew, because its file is damaged`, error);
          this.#forget(part);
          this.#remove(part);
          continue;
        }
        const obstacle = isBusy(error) ? "busy" : "broken";
        throw new SearchIndexError(obstacle, `Cannot use the search index: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }
  }

  async #database(part: SearchPart): Promise<SearchDatabase> {
    const open = this.#open.get(part);
    if (open?.isThere) return open;
    // Another process has made the file anew, or removed it.
    if (open !== undefined) this.#forget(part);
    const database = await this.#openPart(part);
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

  /** Closes a part that is lost. What was put into it has to be put again. */
  #forget(part: SearchPart): void {
    this.#losses++;
    try {
      this.#open.get(part)?.close();
    } catch {
      // A damaged file may refuse that, too.
    }
    this.#open.delete(part);
  }

  /** Removes the files of a part. */
  #remove(part: SearchPart): void {
    const path = this.#pathOf(part);
    if (path !== undefined) SearchDatabase.remove(path);
  }
}

/** Calls an index by name. */
export function callOf(
  index: SearchCalls,
  name: keyof SearchCalls,
  values: readonly unknown[],
): Promise<unknown> {
  return (index[name] as (...values: unknown[]) => Promise<unknown>).apply(index, [...values]);
}

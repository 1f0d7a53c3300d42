/** Runs searches in the full-text index. A search first waits until the index is up to date. */
import { Limiter, messageOf, type RepoId, type Task, UnavailableError } from "../../src/mod.ts";
import { type SearchHit, SearchIndexError, type SearchPart } from "./search_index.ts";
import { PartUpdates, type PartUpdatesOptions } from "./part_updates.ts";
import { type QueryResult, runQuery } from "./query.ts";
import { toExpression, wordsOf } from "./words.ts";

/** Maximum number of simultaneous searches. Further searches are refused. */
export const MAX_SEARCHES = 32;
/** Maximum number of simultaneous searches of one client. */
export const MAX_SEARCHES_OF_CLIENT = 8;
/** Key of the owner in the queue. The owner has no priority. */
const OWNER = "owner";
/**
 * Maximum number of attempts of a search. A search is tried again when a part of the index is lost during the
 * search.
 */
const TRIES = 2;
/** Value of `Retry-After` for a refused search, in seconds. */
const RETRY_SECONDS = 2;

const PARTS: readonly SearchPart[] = ["public", "private"];

export type SearchesOptions = Omit<PartUpdatesOptions, "logFailure">;

export interface SearchFor {
  /** The search terms, with at most `MAX_QUERY_CHARACTERS` characters. */
  readonly query: string;
  readonly offset: number;
  readonly limit: number;
  /** Key of the client (`clientKey`); `undefined` for the owner. */
  readonly client?: string | undefined;
  readonly task: Task;
  /** Whether texts of private repositories are searched. */
  readonly isOwner: boolean;
  /** Checks whether the client may read a repository now. */
  isVisible(rid: RepoId): Promise<boolean>;
}

export interface Found {
  /** Number of all found texts. */
  readonly total: number;
  /** The texts on the requested page. */
  readonly hits: readonly SearchHit[];
  /** Whether all texts were searched, and the index contained all changes from before the search. */
  readonly isComplete: boolean;
  /** The words of the query that were searched. */
  readonly words: readonly string[];
}

export class Search {
  readonly #options: SearchesOptions;
  readonly #parts: Readonly<Record<SearchPart, PartUpdates>>;
  readonly #searches = new Limiter({ atOnce: MAX_SEARCHES, ofKey: MAX_SEARCHES_OF_CLIENT }, {
    waiting: 0,
    refusal: tooMany,
  });
  /** Runs one scan of the index at a time. The client that has used the least time gets the next turn. */
  readonly #turns = new Limiter({ atOnce: 1 });
  #isClosed = false;
  #lastFailure = "";

  constructor(options: SearchesOptions) {
    this.#options = options;
    const logFailure = (error: unknown) => this.#logFailure(error);
    const updatesOf = (part: SearchPart) => new PartUpdates(part, { ...options, logFailure });
    this.#parts = { public: updatesOf("public"), private: updatesOf("private") };
  }

  get waiting(): number {
    return this.#turns.waiting;
  }

  /**
   * Finds texts. Waits for a limited time until changes are indexed ({@link PartUpdates.waitForChanges}).
   *
   * @throws {UnavailableError} when too many searches are waiting, or the index cannot be used now.
   */
  async find(wanted: SearchFor): Promise<Found> {
    const words = wordsOf(wanted.query);
    const expression = toExpression(words);
    if (expression === undefined) return { total: 0, hits: [], isComplete: true, words };
    if (this.#isClosed) throw tooMany();
    const found = await this.#searches.run(() => this.#findNow(expression, wanted), {
      keys: [wanted.client],
    });
    return { ...found, words };
  }

  async #findNow(expression: string, wanted: SearchFor): Promise<Omit<Found, "words">> {
    // Clients other than the owner never wait for the private part of the index, because the duration would
    // show that private texts have changed.
    const parts = wanted.isOwner ? PARTS : PARTS.slice(0, 1);
    if (!wanted.isOwner) void this.#parts.private.waitForChanges();
    for (let attempt = 1;; attempt++) {
      const areCurrent = await Promise.all(parts.map((part) => this.#parts[part].waitForChanges()));
      try {
        const { isWhole, ...found } = await this.#query(expression, parts, wanted);
        return { ...found, isComplete: isWhole && !areCurrent.includes(false) };
      } catch (error) {
        if (!(error instanceof SearchIndexError)) throw error;
        if (error.obstacle !== "busy") this.#beginAnew();
        if (error.obstacle === "lost" && attempt < TRIES) continue;
        this.#logFailure(error);
        throw unavailable("The search index cannot be used now");
      }
    }
  }

  #query(
    expression: string,
    parts: readonly SearchPart[],
    { client, ...wanted }: SearchFor,
  ): Promise<QueryResult> {
    const keys = [client ?? OWNER];
    return runQuery(this.#options.index, {
      ...wanted,
      expression,
      parts,
      isVisible: (rid) => wanted.isVisible(rid),
      inTurn: (work) => this.#turns.run(work, { keys }),
    });
  }

  /** Call this method when data has been written. The next search compares the references again. */
  expectChanges(): void {
    for (const part of PARTS) this.#parts[part].expectChanges();
  }

  /** Ends the updates, and closes the index. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Closing the index ends its running calls, so that the updates do not have to wait for these calls.
    await Promise.all([...PARTS.map((part) => this.#parts[part].close()), this.#options.index.close()]);
  }

  /** The index may have lost texts, so the next search compares all repositories. */
  #beginAnew(): void {
    for (const part of PARTS) this.#parts[part].beginAnew();
  }

  #logFailure(error: unknown): void {
    const message = messageOf(error);
    if (this.#isClosed || message === this.#lastFailure) return;
    this.#lastFailure = message;
    this.#options.log("warn", "The search index could not be used", error);
  }
}

function tooMany(): UnavailableError {
  return unavailable("Too many searches are waiting");
}

function unavailable(message: string): UnavailableError {
  return new UnavailableError(message, { retryAfterSeconds: RETRY_SECONDS });
}

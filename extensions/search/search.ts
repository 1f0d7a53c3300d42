/** Search: answers queries from the full-text index, after bringing it up to date. */
import { Limiter, messageOf, type RepoId, type Task, UnavailableError } from "../../src/mod.ts";
import { type SearchHit, SearchIndexError, type SearchPart } from "./search_index.ts";
import { PartUpdates, type PartUpdatesOptions } from "./part_updates.ts";
import { type QueryResult, runQuery } from "./query.ts";
import { toExpression, wordsOf } from "./words.ts";

/** Searches at a time. One more is refused. */
export const MAX_SEARCHES = 32;
/** The same of one client. */
export const MAX_SEARCHES_OF_CLIENT = 8;
/** The owner takes turns with other clients like one of them. */
const OWNER = "owner";
/** Tries of a search when a part of the index was damaged meanwhile. */
const TRIES = 2;
/** `Retry-After` of a refused search, in seconds. */
const RETRY_SECONDS = 2;

const PARTS: readonly SearchPart[] = ["public", "private"];

/** The parts of the service that a search needs. */
export type SearchesOptions = Omit<PartUpdatesOptions, "logFailure">;

/** A request for texts. */
export interface SearchFor {
  /** The words, at most `MAX_QUERY_CHARACTERS` characters. */
  readonly query: string;
  readonly offset: number;
  readonly limit: number;
  /** Key of the client (`clientKey`); `undefined` for the owner. */
  readonly client?: string | undefined;
  readonly task: Task;
  /** Whether texts of private repositories are searched. */
  readonly isOwner: boolean;
  /** Whether the client may read a repository now. */
  isVisible(rid: RepoId): Promise<boolean>;
}

/** The result of a search. */
export interface Found {
  /** Number of all found texts. */
  readonly total: number;
  /** The texts on the page. */
  readonly hits: readonly SearchHit[];
  /**
   * Whether the index had all changes that the references showed when the search began, and there was time
   * for all texts.
   */
  readonly isComplete: boolean;
  /** The words of the query that count. */
  readonly words: readonly string[];
}

/** Searches of a service. */
export class Search {
  readonly #options: SearchesOptions;
  readonly #parts: Readonly<Record<SearchPart, PartUpdates>>;
  readonly #searches = new Limiter({ atOnce: MAX_SEARCHES, ofKey: MAX_SEARCHES_OF_CLIENT }, {
    waiting: 0,
    refusal: tooMany,
  });
  /** Scans the index, one at a time. The client that has used the least time has the next one. */
  readonly #turns = new Limiter({ atOnce: 1 });
  #isClosed = false;
  #lastFailure = "";

  constructor(options: SearchesOptions) {
    this.#options = options;
    const logFailure = (error: unknown) => this.#logFailure(error);
    const updatesOf = (part: SearchPart) => new PartUpdates(part, { ...options, logFailure });
    this.#parts = { public: updatesOf("public"), private: updatesOf("private") };
  }

  /** Number of scans of the index that wait for their turn. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /**
   * Finds texts. Waits for changes to be indexed, but not for long ({@link PartUpdates.waitForChanges}).
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
    // Strangers never wait for the private part: how long they wait must not show that it changes.
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

  /** Says that something has been written: the next search compares the references again. */
  expectChanges(): void {
    for (const part of PARTS) this.#parts[part].expectChanges();
  }

  /** Ends updates, and closes the index. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // Together: the calls that updates wait for end when the index closes.
    await Promise.all([...PARTS.map((part) => this.#parts[part].close()), this.#options.index.close()]);
  }

  /** Has the next search compare everything, since the index may have lost texts. */
  #beginAnew(): void {
    for (const part of PARTS) this.#parts[part].beginAnew();
  }

  /** Logs a failure, unless it is the same as the last one. */
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

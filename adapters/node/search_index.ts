/**
 * A full-text index through `node:sqlite` in a separate thread, because a call may take longer than other
 * requests may wait.
 */
import type { Environment } from "../../src/ports/environment.ts";
import { type SearchIndex, SearchIndexError } from "../../extensions/search/search_index.ts";
import type { SearchObstacle } from "../../extensions/search/search_index.ts";
import { Limiter } from "../../src/scheduling/limiter.ts";
import type { RunningWorker, StartWorker } from "../../src/ports/workers.ts";
import type { SearchCalls, SearchPlace, SqliteSearchIndex } from "./search_parts.ts";
import type { FromSearchThread, SearchWorkerData, ToSearchThread } from "./search_thread.ts";
import { programNextTo, startThread, type WorkerProgram } from "./workers.ts";

export interface SearchIndexOptions extends SearchPlace {
  readonly log?: Environment["log"];
  /** Returns the program of the thread. Without a program, the calls run in the current thread. */
  readonly program?: (() => WorkerProgram) | undefined;
}

/**
 * Timeout of a call, in milliseconds. After the timeout, the thread is ended, and the next call starts
 * another thread.
 */
export const CALL_LIMIT_MS = 20_000;
/** Timeout for closing the files, in milliseconds. After the timeout, the thread is ended. */
export const CLOSE_LIMIT_MS = 1000;
/** Maximum number of waiting calls. Further calls are refused. */
export const MAX_WAITING_CALLS = 64;

const CALLS: readonly (keyof SearchCalls)[] = [
  "states",
  "put",
  "finish",
  "remove",
  "tidy",
  "scan",
  "texts",
];

/** Creates an index in files or in memory. The first call of the index starts its thread. */
export function createSearchIndex(options: SearchIndexOptions = {}): SearchIndex {
  return createSearchIndexOf({ program: () => programNextTo(import.meta.url), ...options });
}

/**
 * Creates an index whose thread runs the given program. Without a program, the calls run in the current
 * thread.
 */
export function createSearchIndexOf(
  { path, limits, log = () => {}, program }: SearchIndexOptions,
): SearchIndex {
  const place = { path, limits };
  const warn = (message: string, cause: unknown) => log("warn", message, cause);
  const data: SearchWorkerData = { search: place };
  const thread = program && new SearchThread((events) => startThread(program(), data, events), warn);
  let local: SqliteSearchIndex | undefined;
  let isClosed = false;
  const calls = new Limiter({ atOnce: 1 }, {
    waiting: MAX_WAITING_CALLS,
    refusal: () => new SearchIndexError("busy", "Too many calls wait for the search index"),
  });

  async function call(name: keyof SearchCalls, values: readonly unknown[]): Promise<unknown> {
    if (isClosed) throw new SearchIndexError("broken", "The search index is closed");
    if (await thread?.isUsable()) return await thread!.call(name, values);
    const { callOf, SqliteSearchIndex } = await import("./search_parts.ts");
    if (isClosed) throw new SearchIndexError("broken", "The search index is closed");
    return await callOf(local ??= new SqliteSearchIndex(place, warn), name, values);
  }

  const named = CALLS.map((name) => [name, (...values: unknown[]) => calls.run(() => call(name, values))]);
  return {
    ...Object.fromEntries(named) as SearchCalls,
    async close() {
      isClosed = true;
      local?.close();
      await thread?.close();
    },
  };
}

/** Runs the calls of an index in a thread, one call at a time. */
class SearchThread {
  readonly #startWorker: StartWorker;
  readonly #warn: (message: string, cause: unknown) => void;
  #call: PromiseWithResolvers<unknown> | undefined;
  #worker: RunningWorker | undefined;
  #ended = Promise.withResolvers<void>();
  /** Resolves with `true` if the thread could be started, and otherwise with `false`. */
  #started: Promise<boolean> | undefined;

  constructor(startWorker: StartWorker, warn: (message: string, cause: unknown) => void) {
    this.#startWorker = startWorker;
    this.#warn = warn;
  }

  /** Starts the thread if necessary, and returns whether the thread runs. */
  isUsable(): Promise<boolean> {
    return this.#started ??= this.#start();
  }

  async call(name: keyof SearchCalls, values: readonly unknown[]): Promise<unknown> {
    const worker = this.#worker;
    if (worker === undefined) throw new SearchIndexError("broken", "The thread has ended");
    const { promise } = this.#call = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => {
      this.#warn(`A search took longer than ${CALL_LIMIT_MS} ms and was stopped`, undefined);
      this.#end(worker, "broken", "A search takes too long");
      worker.terminate();
    }, CALL_LIMIT_MS);
    try {
      worker.hold(true);
      worker.post({ name, values } satisfies ToSearchThread);
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#call = undefined;
      if (this.#worker === worker) worker.hold(false);
    }
  }

  /** Makes the thread close its files after the current call. The promise of the current call rejects. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#end(worker, "broken", "The search index is closed");
    worker.post("close" satisfies ToSearchThread);
    const timer = setTimeout(() => worker.terminate(), CLOSE_LIMIT_MS);
    await this.#ended.promise;
    clearTimeout(timer);
  }

  #start(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let worker: RunningWorker | undefined;
    let isReady = false;
    const ended = this.#ended = Promise.withResolvers<void>();
    const fail = (cause: unknown) => {
      if (this.#worker === worker) {
        this.#warn("Searches slow down other requests, because the search thread cannot be started", cause);
      }
      resolve(false);
    };
    try {
      worker = this.#startWorker({
        message: (message) => {
          const event = message as FromSearchThread;
          if (event.kind === "closed") return worker?.terminate();
          if (worker === undefined || this.#worker !== worker) return;
          if (event.kind !== "ready") return this.#take(event);
          isReady = true;
          worker.hold(false);
          resolve(true);
        },
        end: (cause) => {
          ended.resolve();
          if (!isReady) fail(cause);
          else if (worker !== undefined) {
            this.#end(worker, "lost", "The thread of the search index has ended");
          }
        },
      });
      this.#worker = worker;
    } catch (error) {
      fail(error);
    }
    return promise;
  }

  #take(event: Exclude<FromSearchThread, { kind: "ready" | "closed" }>): void {
    if (event.kind === "warning") return this.#warn(event.message, event.cause);
    if (event.kind === "done") this.#call?.resolve(event.value);
    else this.#call?.reject(new SearchIndexError(event.obstacle, event.message));
  }

  #end(worker: RunningWorker, obstacle: SearchObstacle, reason: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    this.#started = undefined;
    this.#call?.reject(new SearchIndexError(obstacle, reason));
  }
}

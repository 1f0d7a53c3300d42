/**
 * Sends streams of changes to readers, which are clients that listen to changes. The service is checked for
 * changes while readers are connected, and for {@link LINGER_MS} afterwards, because readers that lose their
 * connection connect again.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import {
  Limiter,
  type RepoId,
  startSystemTimer,
  type StartTimer,
  startUnrefTimer,
  Task,
  UnavailableError,
} from "../../src/mod.ts";
import { EventLogs, type Interest } from "./log.ts";
import { DEFAULT_MAX_READERS, MAX_READERS_OF_PEER } from "./places.ts";
import { Reader, type ReaderStream } from "./reader.ts";
import { Watcher, type WatcherOptions } from "./watcher.ts";

/** Minimum interval between two checks for all changes, in milliseconds. */
const CHECK_MS = 400;
/** Minimum interval between two checks, as a multiple of the duration of the last check. */
const CHECK_SHARE = 4;
/**
 * Maximum interval between two checks, in milliseconds. Without this maximum, the interval would be too long
 * after the machine was suspended during a check.
 */
const MAX_PAUSE_MS = 30_000;
/**
 * Delay from a hint that a repository has changed to the check of the repository, in milliseconds, because
 * several changes often come at once.
 */
export const HINT_MS = 50;
/**
 * Maximum number of repositories with a hint. Further hints are dropped, because the next check of all
 * repositories finds their changes.
 */
const MAX_HINTS = 1000;
/** Time for which the checks continue after the last reader has left, in milliseconds. */
export const LINGER_MS = 60_000;
/** Maximum time that a reader waits for the first check before its stream begins, in milliseconds. */
const FIRST_CHECK_MS = 500;
/** Interval between two comments in a stream, in milliseconds. Comments keep the connection open. */
const COMMENT_MS = 15_000;
/** Value of `Retry-After` when there are too many readers, in seconds. */
const RETRY_SECONDS = 15;
/** Length of the random name of an event log, in bytes. */
const NAME_BYTES = 8;

export interface LiveChangesOptions extends WatcherOptions {
  /** Maximum number of readers at a time; {@link DEFAULT_MAX_READERS} by default. */
  readonly maxReaders?: number | undefined;
  /** Returns the time of a monotonic clock, in milliseconds. */
  readonly now?: () => number;
  readonly startTimer?: StartTimer;
}

/** A reader, and the events that the reader requests. */
export interface ReaderOptions extends Interest {
  readonly isOwner: boolean;
  /** Id of the last event that the reader has received. */
  readonly lastId?: string | undefined;
  /** Key of the client for limits; `undefined` for the owner. */
  readonly peer?: string | undefined;
}

interface Started {
  readonly logs: EventLogs;
  readonly watcher: Watcher;
}

export class LiveChanges {
  readonly #options: LiveChangesOptions;
  readonly #now: () => number;
  readonly #startTimer: StartTimer;
  readonly #places: Limiter;
  readonly #task = new Task("background");
  readonly #readers = new Set<Reader>();
  #started: Started | undefined;
  #running: Promise<void> | undefined;
  /** Whether the first check is complete. From then on, the logs contain all changes. */
  #isCurrent = false;
  #current = Promise.withResolvers<void>();
  readonly #hints = new Set<RepoId>();
  #wake: () => void = () => {};
  #lastReaderMs = -Infinity;
  #stopComments: (() => void) | undefined;
  #isClosed = false;

  constructor(options: LiveChangesOptions) {
    this.#options = options;
    const { maxReaders = DEFAULT_MAX_READERS, now, startTimer } = options;
    this.#now = now ?? (() => performance.now());
    // While readers are connected, the timers keep the process running. A reader in the same process has no
    // socket that would keep it running.
    this.#startTimer = startTimer ??
      ((...timer) => (this.#readers.size > 0 ? startSystemTimer : startUnrefTimer)(...timer));
    this.#places = new Limiter({ atOnce: maxReaders, ofKey: MAX_READERS_OF_PEER });
  }

  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Opens a stream of events. The stream ends when the client leaves or does not read, and when the service
   * closes.
   *
   * @throws {UnavailableError} when there are too many readers.
   */
  async open({ isOwner, lastId, peer, ...interest }: ReaderOptions): Promise<ReaderStream> {
    const leave = this.#isClosed ? undefined : this.#places.tryEnter({ keys: [peer] });
    if (leave === undefined) {
      throw new UnavailableError("Too many clients read events", { retryAfterSeconds: RETRY_SECONDS });
    }
    this.#lastReaderMs = this.#now();
    const { logs, watcher } = this.#started ??= this.#start();
    this.#running ??= this.#run(watcher);
    if (!this.#isCurrent) await this.#waitForLook();
    const reader = new Reader(isOwner ? logs.owner : logs.strangers, interest, () => {
      this.#readers.delete(reader);
      this.#lastReaderMs = this.#now();
      leave();
    });
    this.#readers.add(reader);
    // A timer that was started without readers does not keep the process running, so it is replaced.
    if (this.#readers.size === 1) this.#wake();
    // Before the first check is complete, `begin` is not called. The reader then begins with a `reset` event.
    if (this.#isCurrent) reader.begin(lastId);
    if (this.#isClosed) reader.end();
    this.#stopComments ??= this.#startTimer(COMMENT_MS, () => void this.#comment());
    return reader.open();
  }

  /** Checks a repository soon, because its references may have changed. */
  expect(rid: RepoId): void {
    if (this.#running === undefined || this.#hints.size >= MAX_HINTS) return;
    if (this.#hints.size === 0) this.#startTimer(HINT_MS, () => this.#wake());
    this.#hints.add(rid);
  }

  /** Ends all streams. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end();
    this.#stopComments?.();
    this.#wake();
    await this.#running;
  }

  /**
   * Creates the logs and the watcher for the first reader. The constructor cannot create them, because some
   * hosts (workerd) provide no random bytes before the first request.
   */
  #start(): Started {
    const logs = new EventLogs(() => bytesToHex(crypto.getRandomValues(new Uint8Array(NAME_BYTES))));
    return { logs, watcher: new Watcher(this.#options, logs) };
  }

  /** Checks for changes until no reader has been connected for {@link LINGER_MS}. */
  async #run(watcher: Watcher): Promise<void> {
    const unsubscribe = this.#subscribeToNode(watcher);
    let nextCheckMs = this.#now();
    while (!this.#isClosed && this.#isWanted()) {
      const hints = [...this.#hints];
      this.#hints.clear();
      if (this.#now() >= nextCheckMs) nextCheckMs = await this.#check(watcher);
      else for (const rid of hints) await watcher.checkOne(rid, this.#task);
      await this.#forEachReader((reader) => reader.wake());
      if (!this.#isClosed) await this.#wait(this.#hints.size > 0 ? HINT_MS : nextCheckMs - this.#now());
    }
    unsubscribe();
    this.#isCurrent = false;
    this.#current = Promise.withResolvers();
    this.#running = undefined;
  }

  /** Checks all repositories. Returns the time of the next check, in milliseconds. */
  async #check(watcher: Watcher): Promise<number> {
    const startedMs = this.#now();
    const wasComplete = await watcher.check(this.#task);
    if (wasComplete && !this.#isCurrent) this.#becomeCurrent();
    const endedMs = this.#now();
    const shareMs = watcher.areChecksBounded ? 0 : CHECK_SHARE * (endedMs - startedMs);
    return endedMs + Math.min(Math.max(CHECK_MS, shareMs), MAX_PAUSE_MS);
  }

  /** Listens to events of the node, if the node sends events. Returns a function that stops listening. */
  #subscribeToNode(watcher: Watcher): () => void {
    const ending = new AbortController();
    const nodeIs = (state: "running" | "stopped") => {
      watcher.nodeIs(state);
      for (const reader of this.#readers) reader.wake();
    };
    const watch = async () =>
      await this.#options.node.watchChanges?.({
        onOpen: () => nodeIs("running"),
        onStopped: () => nodeIs("stopped"),
        onChange: (rid) => {
          if (rid !== undefined) this.expect(rid);
        },
      }, ending.signal);
    // Without events of the node, the checks still find the changes.
    watch().catch((error) => this.#options.report("warn", "Cannot follow the changes of the node", error));
    return () => ending.abort();
  }

  #isWanted(): boolean {
    return this.#readers.size > 0 || this.#now() - this.#lastReaderMs < LINGER_MS;
  }

  #becomeCurrent(): void {
    this.#isCurrent = true;
    this.#current.resolve();
    for (const reader of this.#readers) {
      if (!reader.hasBegun) reader.reset();
    }
  }

  async #waitForLook(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const stop = (this.#options.startTimer ?? startSystemTimer)(FIRST_CHECK_MS, late.resolve);
    await Promise.race([this.#current.promise, late.promise]);
    stop();
  }

  async #wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = this.#startTimer(Math.max(1, ms), resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
    });
    this.#wake = () => {};
  }

  async #forEachReader(work: (reader: Reader) => void): Promise<void> {
    const task = new Task();
    for (const reader of this.#readers) {
      work(reader);
      await task.yield();
    }
  }

  async #comment(): Promise<void> {
    this.#stopComments = undefined;
    await this.#forEachReader((reader) => reader.comment());
    if (this.#isClosed || this.#readers.size === 0) return;
    this.#stopComments ??= this.#startTimer(COMMENT_MS, () => void this.#comment());
  }
}

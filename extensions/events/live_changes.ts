/**
 * Live changes: opens the streams of readers, and checks for changes while there are readers and for a while
 * after the last one, since readers that lose their connection come back.
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

/** Time between two checks for all changes, in milliseconds. */
const CHECK_MS = 400;
/** The same as a multiple of the time that the last check took, for large homes. */
const CHECK_SHARE = 4;
/** Longest time between two checks, in milliseconds, even if the machine was suspended during a check. */
const MAX_PAUSE_MS = 30_000;
/** Time from a hint to the check, in milliseconds: several changes often come at once. */
export const HINT_MS = 50;
/** Most repositories with a hint. The next check for all changes finds what others have. */
const MAX_HINTS = 1000;
/** Time for which checks go on after the last reader has left, in milliseconds. */
export const LINGER_MS = 60_000;
/** Longest wait for the first check before a reader is answered, in milliseconds. */
const FIRST_CHECK_MS = 500;
/** Time between two comments, in milliseconds. */
const COMMENT_MS = 15_000;
/** `Retry-After` when there are too many readers, in seconds. */
const RETRY_SECONDS = 15;
/** Length of the random name of a log. */
const NAME_BYTES = 8;

/** The parts of the service that live changes need. */
export interface LiveChangesOptions extends WatcherOptions {
  /** Readers at a time; {@link DEFAULT_MAX_READERS} by default. */
  readonly maxReaders?: number | undefined;
  /** Milliseconds, by a clock that never goes back. */
  readonly now?: () => number;
  readonly startTimer?: StartTimer;
}

/** A reader, and the events that it wants. */
export interface ReaderOptions extends Interest {
  readonly isOwner: boolean;
  /** Id of the last event that it has got. */
  readonly lastId?: string | undefined;
  /** Key of the client; `undefined` for the owner. */
  readonly peer?: string | undefined;
}

/** Parts that exist since the first reader. */
interface Started {
  readonly logs: EventLogs;
  readonly watcher: Watcher;
}

/** The live changes of a service. */
export class LiveChanges {
  readonly #options: LiveChangesOptions;
  readonly #now: () => number;
  readonly #startTimer: StartTimer;
  readonly #places: Limiter;
  /** Checks give way to requests. */
  readonly #task = new Task("background");
  readonly #readers = new Set<Reader>();
  #started: Started | undefined;
  #running: Promise<void> | undefined;
  /** Whether the logs have all changes since the checks began. */
  #isCurrent = false;
  /** Resolves when {@link #isCurrent} becomes true. */
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
    // Timers keep the process alive for a reader in the same process, which has no socket.
    this.#startTimer = startTimer ??
      ((...timer) => (this.#readers.size > 0 ? startSystemTimer : startUnrefTimer)(...timer));
    this.#places = new Limiter({ atOnce: maxReaders, ofKey: MAX_READERS_OF_PEER });
  }

  /** Number of readers. */
  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Opens a stream of events. It ends when the client leaves or does not read, and when the service closes.
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
    // The timer of the next check was started without a reader: it does not keep the process alive.
    if (this.#readers.size === 1) this.#wake();
    // Without a check so far, the reader begins with a `reset` after the first one.
    if (this.#isCurrent) reader.begin(lastId);
    if (this.#isClosed) reader.end();
    this.#stopComments ??= this.#startTimer(COMMENT_MS, () => void this.#comment());
    return reader.open();
  }

  /** Says that references of a repository have changed. */
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

  /** Not in the constructor: some hosts (workerd) give no random bytes before the first request. */
  #start(): Started {
    const logs = new EventLogs(() => bytesToHex(crypto.getRandomValues(new Uint8Array(NAME_BYTES))));
    return { logs, watcher: new Watcher(this.#options, logs) };
  }

  /** Checks for changes until there was no reader for a while. */
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

  /** Checks for all changes. Returns when to check again, in milliseconds. */
  async #check(watcher: Watcher): Promise<number> {
    const startedMs = this.#now();
    const wasComplete = await watcher.check(this.#task);
    if (wasComplete && !this.#isCurrent) this.#becomeCurrent();
    const endedMs = this.#now();
    const shareMs = watcher.areChecksBounded ? 0 : CHECK_SHARE * (endedMs - startedMs);
    return endedMs + Math.min(Math.max(CHECK_MS, shareMs), MAX_PAUSE_MS);
  }

  /** Listens to the node, if it reports changes, until the returned function is called. */
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
    // Checks find what the node does not report.
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

  /** Waits for some milliseconds, or until {@link #wake} is called. */
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

/**
 * Live changes: the readers, and when it is looked for changes. Nothing is looked at while nobody listens,
 * but for a while after the last reader: those who lose their connection come back.
 */
import { bytesToHex } from "@noble/hashes/utils.js";
import { startSystemTimer, type StartTimer, startUnrefTimer } from "../../src/async/timer.ts";
import { UnavailableError } from "../../src/errors.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { CacheFolder } from "../../src/ports/cache_folder.ts";
import { Limiter } from "../../src/scheduling/limiter.ts";
import { Task } from "../../src/scheduling/task.ts";
import {
  decodeLog,
  DEFAULT_MAX_READERS,
  encodeLog,
  EventLogs,
  type Interest,
  MAX_SAVED_LENGTH,
} from "./log.ts";
import { Reader, type ReaderStream } from "./reader.ts";
import { Watcher, type WatcherDependencies } from "./watcher.ts";

/** Readers of one client. */
export const MAX_READERS_OF_PEER = 100;
/** Time between two looks at everything, in milliseconds. */
export const LOOK_MS = 400;
/** The same as a multiple of the time that the last look took, in large homes. */
const LOOK_SHARE = 4;
/** Longest time between two looks, in milliseconds: a machine that stood still must not make it long. */
const MAX_PAUSE_MS = 30_000;
/** Time after which what somebody says has changed is looked at, in milliseconds: several changes at once. */
export const HINT_MS = 50;
/** Repositories that are said to have changed; more are found by looking at all. */
const MAX_HINTS = 1000;
/** Time for which changes are looked for after the last reader has left, in milliseconds. */
export const LINGER_MS = 60_000;
/** Longest wait for the first look before a reader is answered, in milliseconds. */
const FIRST_LOOK_MS = 500;
/** Time between two comments, in milliseconds. */
export const COMMENT_MS = 15_000;
/** Least time between two saves of the logs, in milliseconds. */
const SAVE_MS = 15_000;
/** `Retry-After` of a reader for whom there is no place, in seconds. */
const RETRY_SECONDS = 15;
/** Hexadecimal digits of a run's name are twice as many. */
const NAME_BYTES = 8;

/** Parts of the service that live changes need. */
export interface LiveChangesDependencies extends WatcherDependencies {
  /** Readers at a time; {@link DEFAULT_MAX_READERS} by default. */
  readonly maxReaders?: number | undefined;
  /** Place of the logs for the next process. */
  readonly cacheFolder?: CacheFolder | undefined;
  /** Name of their file there, of letters, digits and `-`: other homes have other ones. */
  readonly logName: () => string;
  /** Milliseconds, by a clock that never goes back. */
  readonly now?: () => number;
  readonly startTimer?: StartTimer;
}

/** Where a reader comes from. */
export interface ReaderOptions extends Interest {
  readonly isOwner: boolean;
  /** Id of the last event that it has got. */
  readonly lastId?: string | undefined;
  /** Key of the client; none for the owner. */
  readonly peer?: string | undefined;
}

/** The logs, and who fills them. */
interface Started {
  readonly logs: EventLogs;
  readonly watcher: Watcher;
}

/** The live changes of a service. */
export class LiveChanges {
  readonly #dependencies: LiveChangesDependencies;
  readonly #now: () => number;
  readonly #startTimer: StartTimer;
  readonly #places: Limiter;
  /** All looks, and what is loaded and saved. */
  readonly #task = new Task("background");
  readonly #readers = new Set<Reader>();
  #starting: Promise<Started> | undefined;
  #running: Promise<void> | undefined;
  /** Resolves when everything has been looked at since the looks began. */
  #current = Promise.withResolvers<void>();
  #isCurrent = false;
  readonly #hints = new Set<RepoId>();
  #hasHints = false;
  #wake: () => void = () => {};
  #lastReaderMs = -Infinity;
  #savedEnd = 0;
  #savedMs = -Infinity;
  #stopComments: (() => void) | undefined;
  #isClosed = false;

  constructor(dependencies: LiveChangesDependencies) {
    this.#dependencies = dependencies;
    const { maxReaders = DEFAULT_MAX_READERS, now, startTimer } = dependencies;
    this.#now = now ?? (() => performance.now());
    // A reader in the same process has nothing else that keeps it alive.
    this.#startTimer = startTimer ??
      ((...timer) => (this.#readers.size > 0 ? startSystemTimer : startUnrefTimer)(...timer));
    this.#places = new Limiter({ atOnce: maxReaders, ofKey: MAX_READERS_OF_PEER });
  }

  /** Number of readers. */
  get readers(): number {
    return this.#readers.size;
  }

  /**
   * Opens a stream of events. It ends when the client leaves or takes nothing, and when the service closes.
   *
   * @throws {UnavailableError} when there are too many readers.
   */
  async open({ isOwner, lastId, peer, ...interest }: ReaderOptions): Promise<ReaderStream> {
    const leave = this.#isClosed ? undefined : this.#places.tryEnter({ keys: [peer] });
    if (leave === undefined) {
      throw new UnavailableError("Too many clients listen", { retryAfterSeconds: RETRY_SECONDS });
    }
    this.#lastReaderMs = this.#now();
    const { logs } = await (this.#starting ??= this.#start());
    this.#running ??= this.#run();
    if (!this.#isCurrent) await this.#waitForLook();
    const reader = new Reader(isOwner ? logs.owner : logs.strangers, interest, () => {
      this.#readers.delete(reader);
      this.#lastReaderMs = this.#now();
      leave();
    });
    this.#readers.add(reader);
    // Until the first one came, the next look did not keep the process alive.
    if (this.#readers.size === 1) this.#wake();
    // Otherwise it begins with a `reset` when everything has been looked at.
    if (this.#isCurrent) reader.begin(lastId);
    if (this.#isClosed) reader.end();
    this.#stopComments ??= this.#startTimer(COMMENT_MS, () => void this.#comment());
    return reader.open();
  }

  /** Says that references of a repository have changed. */
  expect(rid: RepoId): void {
    if (this.#running === undefined || this.#hints.size >= MAX_HINTS) return;
    this.#hints.add(rid);
    if (this.#hasHints) return;
    this.#hasHints = true;
    this.#startTimer(HINT_MS, () => this.#wake());
  }

  /** Ends all streams, and saves the logs. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const reader of this.#readers) reader.end();
    this.#stopComments?.();
    this.#wake();
    await this.#running;
  }

  async #start(): Promise<Started> {
    const saved = await this.#load();
    const makeName = () => bytesToHex(crypto.getRandomValues(new Uint8Array(NAME_BYTES)));
    const logs = new EventLogs(makeName, saved?.logs);
    return { logs, watcher: new Watcher(this.#dependencies, logs, saved?.states) };
  }

  /** Looks for changes until nobody has listened for a while. */
  async #run(): Promise<void> {
    const { logs, watcher } = await this.#starting!;
    const stopHearing = this.#hear(watcher);
    let nextLookMs = this.#now();
    while (!this.#isClosed && this.#isWanted()) {
      const hints = [...this.#hints];
      this.#hints.clear();
      this.#hasHints = false;
      // First: lists that are read after it have what has changed.
      await watcher.lookAtTold(this.#task);
      const startedMs = this.#now();
      if (startedMs >= nextLookMs) {
        const hasSeen = await watcher.lookAtAll(this.#task);
        const lookPauseMs = Math.max(LOOK_MS, LOOK_SHARE * (this.#now() - startedMs));
        nextLookMs = this.#now() + Math.min(lookPauseMs, MAX_PAUSE_MS);
        if (hasSeen && !this.#isCurrent) this.#becomeCurrent();
      } else for (const rid of hints) await watcher.lookAt(rid, this.#task);
      await this.#forEachReader((reader) => reader.wake());
      if (this.#now() - this.#savedMs >= SAVE_MS) await this.#save({ logs, watcher });
      const pauseMs = nextLookMs - this.#now();
      if (!this.#isClosed && !this.#hasHints) {
        await this.#wait(watcher.isTold ? Math.min(pauseMs, LOOK_MS) : pauseMs);
      } else if (!this.#isClosed) await this.#wait(HINT_MS);
    }
    stopHearing();
    this.#isCurrent = false;
    this.#current = Promise.withResolvers();
    this.#running = undefined;
    await this.#save({ logs, watcher });
  }

  /** Hears the node, if it can be heard, until the returned function is called. */
  #hear(watcher: Watcher): () => void {
    const ending = new AbortController();
    const tellOfNode = (state: "running" | "stopped") => {
      watcher.tellOfNode(state);
      for (const reader of this.#readers) reader.wake();
    };
    const hear = async () =>
      await this.#dependencies.node.hearChanges?.({
        onOpen: () => tellOfNode("running"),
        onStopped: () => tellOfNode("stopped"),
        onChange: (rid) => void (rid !== undefined && this.expect(rid)),
      }, ending.signal);
    // Looks at everything find what a node does not tell.
    hear().catch((error) => this.#dependencies.report("warn", "Cannot hear the node", error));
    return () => ending.abort();
  }

  #isWanted(): boolean {
    return this.#readers.size > 0 || this.#now() - this.#lastReaderMs < LINGER_MS;
  }

  #becomeCurrent(): void {
    this.#isCurrent = true;
    this.#current.resolve();
    for (const reader of this.#readers) if (!reader.hasBegun) reader.reset();
  }

  async #waitForLook(): Promise<void> {
    const late = Promise.withResolvers<void>();
    const stop = (this.#dependencies.startTimer ?? startSystemTimer)(FIRST_LOOK_MS, late.resolve);
    await Promise.race([this.#current.promise, late.promise]);
    stop();
  }

  /** Waits for some milliseconds, or until there is something to look at. */
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

  async #forEachReader(tell: (reader: Reader) => void): Promise<void> {
    const task = new Task();
    for (const reader of this.#readers) {
      tell(reader);
      await task.yield();
    }
  }

  async #comment(): Promise<void> {
    this.#stopComments = undefined;
    await this.#forEachReader((reader) => reader.comment());
    if (this.#isClosed || this.#readers.size === 0) return;
    this.#stopComments ??= this.#startTimer(COMMENT_MS, () => void this.#comment());
  }

  async #load() {
    const { cacheFolder, logName } = this.#dependencies;
    try {
      const bytes = await cacheFolder?.read(logName());
      return bytes && await decodeLog(bytes, this.#task);
    } catch {
      // The logs begin anew, as without a folder.
      return undefined;
    }
  }

  /** Saves the logs, if they have changed. */
  async #save({ logs, watcher }: Started): Promise<void> {
    const { cacheFolder, logName } = this.#dependencies;
    this.#savedMs = this.#now();
    const { end } = logs;
    if (cacheFolder === undefined || end === this.#savedEnd) return;
    try {
      await cacheFolder.write(
        logName(),
        await encodeLog({ logs: logs.state(MAX_SAVED_LENGTH), states: watcher.states }, this.#task),
      );
      this.#savedEnd = end;
    } catch {
      // The next process begins anew.
    }
  }
}

/**
 * Limits concurrent work, in total and for each key, such as a client or a repository. Further work waits in
 * a queue. The queue prefers work whose keys have recently used the least time, and then the oldest work.
 */
import { scheduler } from "./scheduler.ts";

/** Half-life of the recorded time that a key has used, in milliseconds. */
export const USE_HALF_LIFE_MS = 10_000;
/** Maximum number of keys whose used time is recorded. */
export const MAX_USED_KEYS = 1000;

/** Key of all clients that cannot be distinguished. All of these clients together count as one client. */
export const TOGETHER = "together";

export interface Concurrency {
  /** Maximum number of running works; unlimited by default. */
  readonly atOnce?: number;
  /**
   * Maximum number of running works per key. Does not apply to {@link TOGETHER}, because this key may stand
   * for any number of clients.
   */
  readonly ofKey?: number;
}

export interface LimiterOptions {
  /**
   * Maximum number of waiting works; unlimited by default. When the queue is full, the latest work of the key
   * with the most waiting works is refused.
   */
  readonly waiting?: number;
  /** Timeout of waiting work, in milliseconds; unlimited by default. */
  readonly waitMs?: number;
  /**
   * Time after which running or waiting work is treated as lost, in milliseconds; unlimited by default. Some
   * hosts (workerd) drop the work and the timers of a request after its response was sent.
   */
  readonly lostMs?: number;
  readonly refusal?: () => Error;
  /** Returns the time in milliseconds. The default is the monotonic clock of the runtime. */
  readonly now?: () => number;
}

/** Work that needs a slot. */
export interface WorkRequest {
  /** Keys of the work, such as its repository and its client, without duplicates. */
  readonly keys?: readonly (string | undefined)[];
  /** Aborted when the requester no longer waits. Running work continues. */
  readonly signal?: AbortSignal | undefined;
}

/** Ends the work, and frees its slot. Further calls have no effect. */
export type Leave = () => void;

interface Work {
  readonly keys: readonly string[];
  readonly begin: (leave: Leave) => void;
  readonly refuse: (error: unknown) => void;
  /** Time at which the work began to wait or to run. */
  sinceMs: number;
  stopWatching?: () => void;
}

interface Running {
  count: number;
  /** Sum of the start times of all running works of a key. */
  sinceMs: number;
}

interface Use {
  readonly ms: number;
  readonly atMs: number;
}

export class Limiter {
  readonly #bounds: () => Concurrency;
  readonly #options: LimiterOptions;
  readonly #now: () => number;
  readonly #waiting = new Set<Work>();
  readonly #running = new Set<Work>();
  readonly #ofKey = new Map<string, Running>();
  readonly #used = new Map<string, Use>();

  /** @param bounds The limits, or a function that returns the current limits whenever work may begin. */
  constructor(bounds: Concurrency | (() => Concurrency), options: LimiterOptions = {}) {
    this.#bounds = typeof bounds === "function" ? bounds : () => bounds;
    this.#options = options;
    this.#now = options.now ?? scheduler.now;
  }

  get running(): number {
    this.#forgetLost();
    return this.#running.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs work as soon as a slot is free, but never synchronously.
   *
   * @throws The error of `refusal` when the work is refused, the signal's reason, or any error of `work`.
   */
  async run<T>(work: () => Promise<T>, request: WorkRequest = {}): Promise<T> {
    const leave = await this.enter(request);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  /**
   * Waits for a slot. The caller must call the returned function when the work has ended.
   *
   * @throws The error of `refusal` when the work is refused, or the signal's reason.
   */
  enter(request: WorkRequest = {}): Promise<Leave> {
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    this.add(request, resolve, reject);
    return promise;
  }

  /** Takes a free slot. Returns `undefined` if no slot is free. */
  tryEnter({ keys = [] }: WorkRequest = {}): Leave | undefined {
    this.#forgetLost();
    const work = { keys: known(keys), begin() {}, refuse() {}, sinceMs: 0 };
    return this.#mayBegin(work, this.#bounds()) ? this.#begin(work) : undefined;
  }

  /**
   * Does the same as {@link enter}, but calls `begin` or `refuse` synchronously instead of settling a
   * promise.
   */
  add({ keys = [], signal }: WorkRequest, begin: Work["begin"], refuse: Work["refuse"]): void {
    if (signal?.aborted) return refuse(signal.reason);
    const { waiting = Infinity, waitMs } = this.#options;
    const work: Work = { keys: known(keys), begin, refuse, sinceMs: this.#now() };
    this.#waiting.add(work);
    this.beginNext();
    if (this.#waiting.size > waiting) this.#refuse(this.#latestOfMost(), this.#refusal());
    if (!this.#waiting.has(work)) return;
    const abort = () => this.#refuse(work, signal?.reason);
    signal?.addEventListener("abort", abort);
    const timer = waitMs === undefined
      ? undefined
      : setTimeout(() => this.#refuse(work, this.#refusal()), waitMs);
    work.stopWatching = () => {
      signal?.removeEventListener("abort", abort);
      clearTimeout(timer);
    };
  }

  /** Begins waiting work while slots are free. Call this method when a limit has increased. */
  beginNext(): void {
    this.#forgetLost();
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.begin(this.#begin(next));
  }

  /** Checks whether waiting work could begin within other limits. */
  couldBegin(bounds: Concurrency): boolean {
    return this.#next(bounds) !== undefined;
  }

  /** Refuses all work in the queue. */
  refuseWaiting(error: Error): void {
    for (const work of this.#waiting) this.#refuse(work, error);
  }

  #next(bounds: Concurrency = this.#bounds()): Work | undefined {
    if (this.#running.size >= (bounds.atOnce ?? Infinity)) return undefined;
    let next: Work | undefined;
    let least = Infinity;
    const now = this.#now();
    for (const work of this.#waiting) {
      if (!this.#mayBegin(work, bounds)) continue;
      const used = this.#usedMs(work, now);
      if (used < least) {
        next = work;
        least = used;
      }
      if (least === 0) break;
    }
    return next;
  }

  #mayBegin({ keys }: Work, { atOnce = Infinity, ofKey = Infinity }: Concurrency): boolean {
    for (const key of keys) {
      if (key !== TOGETHER && (this.#ofKey.get(key)?.count ?? 0) >= ofKey) return false;
    }
    return this.#running.size < atOnce;
  }

  #begin(work: Work): Leave {
    this.#waiting.delete(work);
    work.stopWatching?.();
    work.sinceMs = this.#now();
    this.#running.add(work);
    for (const key of work.keys) {
      const { count, sinceMs } = this.#ofKey.get(key) ?? { count: 0, sinceMs: 0 };
      this.#ofKey.set(key, { count: count + 1, sinceMs: sinceMs + work.sinceMs });
    }
    return () => this.#end(work) && this.beginNext();
  }

  /** Returns `false` when the work had ended before. */
  #end(work: Work): boolean {
    if (!this.#running.delete(work)) return false;
    const now = this.#now();
    for (const key of work.keys) {
      const { count, sinceMs } = this.#ofKey.get(key)!;
      if (count === 1) this.#ofKey.delete(key);
      else this.#ofKey.set(key, { count: count - 1, sinceMs: sinceMs - work.sinceMs });
      const ms = this.#pastMs(key, now) + now - work.sinceMs;
      this.#used.delete(key);
      this.#used.set(key, { ms, atMs: now });
    }
    for (const key of this.#used.keys()) {
      if (this.#used.size <= MAX_USED_KEYS) break;
      this.#used.delete(key);
    }
    return true;
  }

  #usedMs({ keys }: Work, now: number): number {
    let used = 0;
    for (const key of keys) {
      const { count, sinceMs } = this.#ofKey.get(key) ?? { count: 0, sinceMs: 0 };
      used += this.#pastMs(key, now) + count * now - sinceMs;
    }
    return used;
  }

  #pastMs(key: string, now: number): number {
    const { ms, atMs } = this.#used.get(key) ?? { ms: 0, atMs: now };
    return ms * 2 ** ((atMs - now) / USE_HALF_LIFE_MS);
  }

  #latestOfMost(): Work {
    const counts = new Map<string, number>();
    for (const { keys } of this.#waiting) {
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const crowdOf = ({ keys }: Work) => keys.reduce((sum, key) => sum + counts.get(key)!, 0);
    return [...this.#waiting].reduce((most, work) => crowdOf(work) >= crowdOf(most) ? work : most);
  }

  #refuse(work: Work, error: unknown): void {
    if (!this.#waiting.delete(work)) return;
    work.stopWatching?.();
    work.refuse(error);
  }

  #refusal(): Error {
    return this.#options.refusal?.() ?? new Error("Too much work waits");
  }

  #forgetLost(): void {
    const lostAtMs = this.#now() - (this.#options.lostMs ?? Infinity);
    for (const work of this.#running) {
      if (work.sinceMs >= lostAtMs) break;
      this.#end(work);
    }
    for (const work of this.#waiting) {
      if (work.sinceMs >= lostAtMs) break;
      this.#waiting.delete(work);
    }
  }
}

function known(keys: readonly (string | undefined)[]): string[] {
  return keys.filter((key) => key !== undefined);
}

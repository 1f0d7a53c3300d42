/**
 * Limits concurrent work, of all requesters and of each. Work beyond the limits waits in a bounded queue that
 * is fair: the next work is that whose keys have used the least time lately, the oldest of these.
 */
import { scheduler } from "./scheduler.ts";

/** Half-life of the time that a key has used, in milliseconds. */
export const USE_HALF_LIFE_MS = 10_000;
/** Most keys of which the used time is recorded. */
export const MAX_USED_KEYS = 1000;

/** Key of all clients that cannot be told apart. They take turns with others as one client. */
export const TOGETHER = "together";

/** Bounds of concurrent work. */
export interface Concurrency {
  /** Most work at a time; without a bound by default. */
  readonly atOnce?: number;
  /** The same of each key but {@link TOGETHER}, which may stand for any number of clients. */
  readonly ofKey?: number;
}

/** Options of a limiter. */
export interface LimiterOptions {
  /**
   * Most work in the queue, without a bound by default. When it is full, the latest work of the keys with the
   * most work in it is refused.
   */
  readonly waiting?: number;
  /** Longest time in the queue, in milliseconds; endless by default. */
  readonly waitMs?: number;
  /**
   * Time after which work that has begun or waits is taken for lost, in milliseconds; endless by default.
   * Some hosts (workerd) drop the work of a request that has been answered, timers included.
   */
  readonly lostMs?: number;
  /** Creates the error of work that is refused. */
  readonly refusal?: () => Error;
  /** Clock in milliseconds; by default that of the runtime, which never goes back. */
  readonly now?: () => number;
}

/** A requester of a place. */
export interface WorkRequest {
  /** Keys of the work, such as its repository and its client; without duplicates. */
  readonly keys?: readonly (string | undefined)[];
  /** Aborted when the requester no longer waits. Has no effect on work that has begun. */
  readonly signal?: AbortSignal | undefined;
}

/** Ends the work; further calls have no effect. */
export type Leave = () => void;

/** Work in the queue or under way. */
interface Work {
  readonly keys: readonly string[];
  readonly begin: (leave: Leave) => void;
  readonly refuse: (error: unknown) => void;
  /** Since when it waits, or is under way. */
  sinceMs: number;
  /** Removes the timer and the listener of work in the queue. */
  stopWatching?: () => void;
}

/** Work of a key that is under way. */
interface Running {
  count: number;
  /** Sum of the start times. */
  sinceMs: number;
}

/** Time that a key has used up to a point in time. */
interface Use {
  readonly ms: number;
  readonly atMs: number;
}

/** A limiter of concurrent work. */
export class Limiter {
  readonly #bounds: () => Concurrency;
  readonly #options: LimiterOptions;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #waiting = new Set<Work>();
  readonly #running = new Set<Work>();
  readonly #ofKey = new Map<string, Running>();
  readonly #used = new Map<string, Use>();

  /** @param bounds A function for bounds that change: it is called whenever work may begin. */
  constructor(bounds: Concurrency | (() => Concurrency), options: LimiterOptions = {}) {
    this.#bounds = typeof bounds === "function" ? bounds : () => bounds;
    this.#options = options;
    this.#now = options.now ?? scheduler.now;
  }

  /** Amount of work under way. */
  get running(): number {
    this.#forgetLost();
    return this.#running.size;
  }

  /** Amount of work in the queue. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Runs work as soon as there is a place for it, but never within this call.
   *
   * @throws The refusal; the signal's reason; what `work` throws.
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
   * Waits for a place. The returned function must be called in the end.
   *
   * @throws The refusal; the signal's reason.
   */
  enter(request: WorkRequest = {}): Promise<Leave> {
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    this.add(request, resolve, reject);
    return promise;
  }

  /** Takes a place if there is one now. */
  tryEnter({ keys = [] }: WorkRequest = {}): Leave | undefined {
    this.#forgetLost();
    const work = { keys: known(keys), begin() {}, refuse() {}, sinceMs: 0 };
    return this.#mayBegin(work, this.#bounds()) ? this.#begin(work) : undefined;
  }

  /** As {@link enter}, with functions that are called at the very moment. */
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

  /** Begins the work for which there are places. To be called when a bound has risen. */
  beginNext(): void {
    this.#forgetLost();
    for (let next = this.#next(); next !== undefined; next = this.#next()) next.begin(this.#begin(next));
  }

  /** Whether work in the queue could begin within other bounds. */
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

  /** Returns `false` when the work has ended before. */
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

  /** Time that the keys of work have used. */
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

  /** Ends what is lost, the oldest first. */
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

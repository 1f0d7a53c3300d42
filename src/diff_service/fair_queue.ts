/**
 * A bounded, fair queue. Each item belongs to groups, such as its repository and its peer. The next item is
 * the one whose groups have used the least time lately. When the queue is full, an item of the group with the
 * most items is refused.
 */
import { smallTable } from "../cache/memory.ts";
import type { RepoId } from "../ids/rid.ts";

/** Half-life of the time that a group has used, in milliseconds. */
export const USE_HALF_LIFE_MS = 10_000;

/** An item of the queue. */
export interface Queued {
  /** Names of its groups, without duplicates. */
  readonly groups: readonly string[];
}

/** Time that a group has used up to a point in time. */
interface Use {
  readonly ms: number;
  readonly atMs: number;
}

/** Running items of a group. */
interface Running {
  count: number;
  /** Sum of their start times. */
  startedMs: number;
}

/** Orders waiting items, and records the time that running ones use. */
export class FairQueue<T extends Queued> {
  readonly #limit: number;
  readonly #now: () => number;
  /** Waiting items, the oldest first. */
  readonly #waiting = new Set<T>();
  readonly #running = new Map<string, Running>();
  readonly #startedMs = new Map<T, number>();
  readonly #used = smallTable<string, Use>("usedByGroups");

  /**
   * @param limit Most waiting items.
   * @param now The clock, in milliseconds.
   */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Number of waiting items. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Waiting items, the oldest first. */
  values(): Iterable<T> {
    return this.#waiting;
  }

  /**
   * Adds an item.
   *
   * @returns The item to be refused if the queue is full: the latest of the items whose groups have the most
   *   waiting items.
   */
  add(work: T): T | undefined {
    this.#waiting.add(work);
    if (this.#waiting.size <= this.#limit) return undefined;
    const crowds = new Map<string, number>();
    for (const { groups } of this.#waiting) {
      for (const group of groups) crowds.set(group, (crowds.get(group) ?? 0) + 1);
    }
    let refused = work;
    let most = -1;
    for (const candidate of this.#waiting) {
      const crowd = candidate.groups.reduce((sum, group) => sum + crowds.get(group)!, 0);
      if (crowd < most) continue;
      most = crowd;
      refused = candidate;
    }
    this.#waiting.delete(refused);
    return refused;
  }

  /** Removes an item; returns `false` when it is not waiting. */
  delete(work: T): boolean {
    return this.#waiting.delete(work);
  }

  /** Removes all waiting items. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Removes and returns the next item among those that `may` accepts. */
  next(may: (work: T) => boolean = () => true): T | undefined {
    let next: T | undefined;
    let least = Infinity;
    for (const work of this.#waiting) {
      if (!may(work)) continue;
      const used = work.groups.reduce((sum, group) => sum + this.#usedMs(group), 0);
      if (used >= least) continue;
      least = used;
      next = work;
    }
    if (next !== undefined) this.#waiting.delete(next);
    return next;
  }

  /** Whether the groups of an item have no running item. */
  isNew({ groups }: T): boolean {
    return groups.every((group) => !this.#running.has(group));
  }

  /** Records the start of an item: from now on its groups use time. */
  begin(work: T): void {
    const now = this.#now();
    this.#startedMs.set(work, now);
    for (const group of work.groups) {
      const running = this.#running.get(group) ?? { count: 0, startedMs: 0 };
      running.count++;
      running.startedMs += now;
      this.#running.set(group, running);
    }
  }

  /** Records the end of an item. */
  end(work: T): void {
    const startedMs = this.#startedMs.get(work);
    if (startedMs === undefined) return;
    this.#startedMs.delete(work);
    const now = this.#now();
    for (const group of work.groups) {
      const running = this.#running.get(group)!;
      running.count--;
      running.startedMs -= startedMs;
      if (running.count === 0) this.#running.delete(group);
      this.#used.set(group, { ms: this.#pastMs(group, now) + now - startedMs, atMs: now });
    }
  }

  #usedMs(group: string): number {
    const now = this.#now();
    const running = this.#running.get(group);
    return this.#pastMs(group, now) + (running ? running.count * now - running.startedMs : 0);
  }

  #pastMs(group: string, now: number): number {
    const used = this.#used.get(group);
    return used === undefined ? 0 : used.ms * 2 ** ((used.atMs - now) / USE_HALF_LIFE_MS);
  }
}

/** Groups of a diff: its repository, and its peer if that is known. */
export function groupsOf(rid: RepoId, peer: string | undefined): readonly string[] {
  return peer === undefined ? [rid] : [rid, peer];
}

/**
 * A bounded, fair queue. Work belongs to groups, such as its repository and the peer that asks for it. Next
 * is the work whose groups have used the least time of late. When the queue is full, the most crowded groups
 * lose a place.
 */
import { smallTable } from "../cache/memory.ts";
import type { RepoId } from "../ids/rid.ts";

/** Half-life of the time that a group has used, in milliseconds. */
export const USE_HALF_LIFE_MS = 10_000;

/** Work that waits for its turn. */
export interface Queued {
  /** Names of the groups that it belongs to, each once. */
  readonly groups: readonly string[];
}

/** Time that a group has used, as of a moment. */
interface Use {
  readonly ms: number;
  readonly atMs: number;
}

/** Work of a group that is being done. */
interface Running {
  count: number;
  /** Sum of the moments at which it began. */
  startedMs: number;
}

/** Orders work that waits, and keeps account of work that is done. */
export class FairQueue<T extends Queued> {
  readonly #limit: number;
  readonly #now: () => number;
  /** In the order in which it came. */
  readonly #waiting = new Set<T>();
  readonly #running = new Map<string, Running>();
  readonly #startedMs = new Map<T, number>();
  readonly #used = smallTable<string, Use>("usedByGroups");

  /**
   * @param limit Work that may wait.
   * @param now The clock, milliseconds.
   */
  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** Number of waiting items. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Work that waits, the oldest first. */
  values(): Iterable<T> {
    return this.#waiting;
  }

  /**
   * Adds work.
   *
   * @returns What has to be refused because the queue is full: the new work, or the latest of a group that
   * has more waiting.
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

  /** Takes work out; false when it does not wait any more. */
  delete(work: T): boolean {
    return this.#waiting.delete(work);
  }

  /** Takes out all work. */
  clear(): void {
    this.#waiting.clear();
  }

  /** Takes out the work that is next, among that for which `may` says so. */
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

  /** Whether no work of its groups is being done. */
  isNew({ groups }: T): boolean {
    return groups.every((group) => !this.#running.has(group));
  }

  /** Work is begun: from now on its groups use time. */
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

  /** Work has ended. */
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

/** Groups of a diff: its repository, and the peer that asks for it where peers can be told apart. */
export function groupsOf(rid: RepoId, peer: string | undefined): readonly string[] {
  return peer === undefined ? [rid] : [rid, peer];
}

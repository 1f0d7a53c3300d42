/**
 * Repositories that were public and are not any more. They are looked for again for some time: another
 * publisher that began when they were public, and ended before it could look, may have put something back.
 */
import type { RepoId } from "../../ids/rid.ts";

/** Pause before a repository is looked for the first time, in milliseconds; each pause is twice the last. */
export const FIRST_LOOK_MS = 1_000;
/** A repository is forgotten when the wait would be longer: a round looks at all by then. In milliseconds. */
export const LONGEST_WAIT_MS: number = 10 * 60_000;
/** Most repositories; of more, the ones that came first are forgotten. */
export const MAX_TOMBSTONES = 10_000;

/** The repositories, and when each is looked for. */
export class Tombstones {
  readonly #waits = new Map<RepoId, { readonly dueMs: number; readonly waitMs: number }>();

  readonly #firstLookMs: number;

  /** @param firstLookMs Replaces {@link FIRST_LOOK_MS}. */
  constructor(firstLookMs: number = FIRST_LOOK_MS) {
    this.#firstLookMs = firstLookMs;
  }

  /** All of them, in the order in which they came. */
  rids(): IterableIterator<RepoId> {
    return this.#waits.keys();
  }

  has(rid: RepoId): boolean {
    return this.#waits.has(rid);
  }

  add(rid: RepoId, nowMs: number): void {
    this.#waits.delete(rid);
    this.#waits.set(rid, { dueMs: nowMs + this.#firstLookMs, waitMs: this.#firstLookMs });
    if (this.#waits.size <= MAX_TOMBSTONES) return;
    for (const [first] of this.#waits) {
      this.#waits.delete(first);
      break;
    }
  }

  /** Forgets a repository: it is public again. */
  delete(rid: RepoId): void {
    this.#waits.delete(rid);
  }

  /** The repositories that are to be looked for now. Each is due again after twice the time. */
  due(nowMs: number): readonly RepoId[] {
    const due: RepoId[] = [];
    for (const [rid, { dueMs, waitMs }] of this.#waits) {
      if (dueMs > nowMs) continue;
      due.push(rid);
      if (2 * waitMs > LONGEST_WAIT_MS) this.#waits.delete(rid);
      else this.#waits.set(rid, { dueMs: nowMs + 2 * waitMs, waitMs: 2 * waitMs });
    }
    return due;
  }
}

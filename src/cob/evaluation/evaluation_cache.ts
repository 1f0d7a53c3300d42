/**
 * Caches evaluations of the objects of one type, under all rules, for as long as their references stay the
 * same.
 */
import type { LruMap } from "../../cache/lru_map.ts";
import type { Memory } from "../../cache/memory.ts";
import type { Oid } from "../../ids/oid.ts";
import { Limiter } from "../../scheduling/limiter.ts";
import type { Evaluation } from "./evaluation.ts";
import { isSameList } from "../entry/fields.ts";
import { TAG_BYTES } from "./text_budget.ts";

/**
 * Approximate memory of an entry of an object besides its texts, in bytes. A cached object weighs its texts,
 * this for each entry, and {@link TAG_BYTES} for each label and assignee.
 */
export const ENTRY_WEIGHT = 256;

/** The result of evaluating an object, failures included. */
export interface CachedEvaluation<S> {
  /** Targets of the object's references, ascending. */
  readonly targets: readonly Oid[];
  /** Absent when the evaluation failed. */
  readonly evaluation: Evaluation<S> | undefined;
  /**
   * Version of the repository's objects. While it is the same, a failed or incomplete evaluation is not
   * repeated.
   */
  readonly objectsVersion?: number | undefined;
  /** Whether the result was saved by another process, and is the one that the saved list has. */
  readonly isSaved?: boolean;
}

/** The cache shared by all stores of one type. */
export interface EvaluationCache<S> {
  /** By number of the store, repository and object. */
  readonly evaluations: LruMap<string, CachedEvaluation<S>>;
  /** Runs evaluations of large objects one after the other. */
  readonly large: Limiter;
}

/** An empty cache. `countTags` returns the number of labels and assignees in a state. */
export function createEvaluationCache<S>(
  memory: Memory,
  countTags: (state: S) => number,
): EvaluationCache<S> {
  const weigh = ({ evaluation }: CachedEvaluation<S>) =>
    evaluation === undefined
      ? ENTRY_WEIGHT
      : ENTRY_WEIGHT * evaluation.size + TAG_BYTES * countTags(evaluation.state) + evaluation.texts.bytes;
  return { evaluations: memory.map("objects", weigh), large: new Limiter({ atOnce: 1 }) };
}

/**
 * Whether a cached result holds for the targets `now`: they are the same, or only targets are gone that
 * further entries were built on.
 */
export function holdsFor({ targets, evaluation }: CachedEvaluation<unknown>, now: readonly Oid[]): boolean {
  return isSameList(targets, now) ||
    evaluation !== undefined && evaluation.isWhole && now.length < targets.length &&
      now.every((oid) => targets.includes(oid)) && evaluation.tips.every((oid) => now.includes(oid));
}

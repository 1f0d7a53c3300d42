/**
 * Finds the ground that a new entry is to stand on. Several generations of programs may work on a home, and each has
 * rules of its own: the entry must count under all of them, and lose no entry of the node's own reference under any.
 */
import { ApiError } from "../../errors.ts";
import type { CommitIndex } from "../../git/commit_index.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Repository } from "../../ports/storage.ts";
import type { Evaluation } from "../evaluation/evaluation.ts";
import { findSharedTips, MAX_ENTRIES } from "../entry/graph.ts";
import type { Op } from "../op.ts";
import type { ObjectStore } from "../evaluation/store.ts";

/** An object as one set of rules evaluates it. */
export interface View<A, O extends Op<A>, S> {
  readonly store: ObjectStore<A, O, S>;
  readonly evaluation: Evaluation<S>;
}

/** The ground for a new entry of an object. */
export interface Ground<A, O extends Op<A>, S> {
  /** The object under each set of rules, in the order of the stores. */
  readonly views: readonly [View<A, O, S>, ...View<A, O, S>[]];
  /** The entries that it is to be written on top of, ascending. Every entry that all rules count is among or below them. */
  readonly tips: readonly Oid[];
}

/** An object that is to be changed. */
export interface Site {
  readonly repository: Repository;
  readonly index: CommitIndex;
  readonly object: Oid;
  /** The entry that the node's own reference leads to. */
  readonly own: Oid | undefined;
  readonly log: Environment["log"];
}

/**
 * Finds the ground for a new entry. Where the rules agree on the tips, these are it. Where they do not, a stranger
 * has written an entry that only some of the rules count: the new one stands beside it, on the newest entries that
 * all of them count. Takes as long as an evaluation then.
 *
 * @param stores The objects under each set of rules in force, those that clients see first.
 * @throws {ApiError} `notFound` when the object is not there; `conflict` when some of the rules do not count it, it is
 * full, or the entry would make an entry unreachable that the node's own reference reaches.
 */
export async function findGround<A, O extends Op<A>, S>(
  stores: readonly [ObjectStore<A, O, S>, ...ObjectStore<A, O, S>[]],
  site: Site,
): Promise<Ground<A, O, S>> {
  const { repository, index, object, own } = site;
  const [store, ...others] = stores;
  const evaluation = await store.get(repository, index, object, own);
  if (evaluation === undefined) throw new ApiError("notFound", "Not Found");
  const views: [View<A, O, S>, ...View<A, O, S>[]] = [{ store, evaluation }];
  for (const other of others) {
    const evaluation = await other.get(repository, index, object, own);
    if (evaluation === undefined) {
      throw new ApiError("conflict", `By ${rulesOf(other)} there is no such object`);
    }
    views.push({ store: other, evaluation });
  }
  if (views.some(({ evaluation }) => evaluation.size >= MAX_ENTRIES)) {
    throw new ApiError("conflict", "The object has too many entries");
  }
  const isAgreed = views.every((view) => standsOn(view.evaluation, evaluation.tips));
  const tips = isAgreed ? evaluation.tips : findSharedTips(
    await Promise.all(views.map(({ store, evaluation }) => store.graph(repository, evaluation.tips))),
  );
  if (own === undefined) return { views, tips };
  const doubtful = views.filter(({ evaluation }) => !evaluation.kept.includes(own));
  // Tips that are not those of a view need not lead to all that it counts.
  for (const { store } of isAgreed ? doubtful : new Set([...doubtful, ...views])) {
    await checkLoss(store, site, own, tips);
  }
  return { views, tips };
}

/** Whether `tips` are all the tips of an evaluation. */
export function standsOn({ tips: all }: Pick<Evaluation<unknown>, "tips">, tips: readonly Oid[]): boolean {
  return all.length === tips.length && all.every((tip, i) => tip === tips[i]);
}

/** Refuses a ground from which `own` could not be reached, whatever the rules make of that entry: programs may count it. */
async function checkLoss<A, O extends Op<A>, S>(
  store: ObjectStore<A, O, S>,
  { repository, object, log }: Site,
  own: Oid,
  tips: readonly Oid[],
): Promise<void> {
  const lost = await store.findLost(repository, own, tips);
  if (lost === undefined) return;
  const { rid } = repository;
  log("warn", `Refused a change of ${store.typeName} ${object} of ${rid}: it would lose entry ${lost}`);
  throw new ApiError(
    "conflict",
    `The change would lose entry ${lost}: the node's own reference holds it, but it does not count by ` +
      `${rulesOf(store)}; change the object once with rad, then that reference holds what rad accepts`,
  );
}

function rulesOf({ rules }: Pick<ObjectStore<never, never, never>, "rules">): string {
  return `the rules of ${rules.generation}`;
}

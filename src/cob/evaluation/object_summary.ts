/**
 * The properties of issues and patches that lists need, and the order of lists in the API (specification,
 * 4.3.1, 4.4.1).
 */
import { memoize } from "../../cache/memory.ts";
import type { Did, NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";

/** Properties by which lists are filtered, ordered and counted. */
export interface ObjectSummary {
  readonly id: Oid;
  readonly author: NodeId;
  /** Time when the object was created, in seconds since the epoch. */
  readonly timeSeconds: number;
  readonly title: string;
  readonly state: { readonly status: string };
  readonly labels: readonly string[];
  readonly assignees: readonly (NodeId | Did)[];
}

type Ordered = Pick<ObjectSummary, "timeSeconds" | "state">;

/** Sorted objects of each list, by status. Cached, because each page of a list needs the sorted objects. */
const selectionsOf = memoize((_list: readonly Ordered[]) => new Map<string, readonly Ordered[]>());

/**
 * Returns the objects of a list that have the given status, or all objects if the status is `all`. The newest
 * object comes first. Objects with equal times stay in the order of the list.
 */
export function newestFirst<T extends Ordered>(list: readonly T[], status: string): readonly T[] {
  const lists = selectionsOf(list) as Map<string, readonly T[]>;
  let sorted = lists.get(status);
  if (sorted === undefined) {
    sorted = list.filter(({ state }) => status === "all" || state.status === status)
      .sort((a, b) => b.timeSeconds - a.timeSeconds);
    lists.set(status, sorted);
  }
  return sorted;
}

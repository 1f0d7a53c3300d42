/** Lists of objects in the order of the API (4.3.1, 4.4.1). */
import { memoize } from "../../cache/memory.ts";

/** An object in a list. */
export interface Listed {
  /** Time of opening, seconds since the epoch. */
  readonly timeSeconds: number;
  readonly state: { readonly status: string };
}

/** Selections of a list by the state: each request for a page needs one. */
const selectionsOf = memoize((_list: readonly Listed[]) => new Map<string, readonly Listed[]>());

/**
 * The objects of a list in one of the states, or in `all` states: newest first, and for equal times in the
 * order of the list.
 */
export function newestFirst<T extends Listed>(list: readonly T[], status: string): readonly T[] {
  const lists = selectionsOf(list) as Map<string, readonly T[]>;
  let sorted = lists.get(status);
  if (sorted === undefined) {
    sorted = list.filter(({ state }) => status === "all" || state.status === status)
      .sort((a, b) => b.timeSeconds - a.timeSeconds);
    lists.set(status, sorted);
  }
  return sorted;
}

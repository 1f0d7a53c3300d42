/** Lists of objects as clients go through them. */

/** An object in a list. */
export interface Listed {
  /** When it was opened, seconds since the epoch. */
  readonly timeSeconds: number;
  readonly state: { readonly status: string };
}

/** What was made of lists, by the state, for as long as somebody has the list: each request for a page needs it. */
const known = new WeakMap<readonly Listed[], Map<string, readonly Listed[]>>();

/** The objects of a list that are in one of the states there are, or in `all` of them: the newest first, else in the order of the list. */
export function newestFirst<T extends Listed>(list: readonly T[], status: string): readonly T[] {
  let lists = known.get(list) as Map<string, readonly T[]> | undefined;
  if (lists === undefined) known.set(list, lists = new Map<string, readonly T[]>());
  let sorted = lists.get(status);
  if (sorted === undefined) {
    sorted = list.filter(({ state }) => status === "all" || state.status === status)
      .sort((a, b) => b.timeSeconds - a.timeSeconds);
    lists.set(status, sorted);
  }
  return sorted;
}

/** The times of commits, as clients see them (4.2.5). */
import { memoize } from "../cache/memory.ts";

/** The JSON of a list of times in seconds since the epoch; computed once per list. */
export const activityText: (times: readonly number[]) => string = memoize((activity) =>
  JSON.stringify({ activity })
);

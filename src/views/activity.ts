/** When commits were made, as clients see it (4.2.5). */
import { memoize } from "../cache/memoize.ts";

/** The JSON of a list of times, seconds since the epoch; made of each list once. */
export const activityText: (times: readonly number[]) => string = memoize((activity) =>
  JSON.stringify({ activity })
);

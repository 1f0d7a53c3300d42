/** Common parts of requests by today's clients. */
import type { RowOf } from "../call.ts";
import type { todayEndpoints } from "../../contract/today.ts";

/** A row of the table of today's routes. */
export type TodayRow = RowOf<typeof todayEndpoints[number]>;

/** Items of a page of repositories at most: more are not an error. */
export const MAX_PER_PAGE = 100;

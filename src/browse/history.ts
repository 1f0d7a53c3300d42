/** Pages of a history, and the commits between two others (4.2.2, 4.2.4). */
import type { CommitIndex } from "../git/commit_index.ts";
import { TimeSlices } from "../async/time_slices.ts";

/** Commits of a page of history, where neither a page nor a time is asked for. */
export const DEFAULT_COMMITS = 30;
/** Rows of a walk that are passed over in one go: some milliseconds at most. */
const ROWS_AT_ONCE = 1024;

/** The commits of a history that are wanted. */
export interface HistoryRange {
  readonly page: number;
  /** Commits of a page; all by default. */
  readonly perPage: number | undefined;
  /** Bounds of commit times, in seconds: the first inclusive, the second exclusive. */
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** A range with its size: all commits that match are on the first page when only a bound of time is given. */
export function historyRange(
  { page, perPage, since, until }: {
    readonly page: number;
    readonly perPage?: number | undefined;
    readonly since?: number | undefined;
    readonly until?: number | undefined;
  },
): HistoryRange {
  const isBounded = since !== undefined || until !== undefined;
  return { page, perPage: perPage ?? (isBounded ? undefined : DEFAULT_COMMITS), since, until };
}

/** The rows of a range of the history of a commit. */
export async function* selectRows(
  index: CommitIndex,
  tip: number,
  { page, perPage: limit = Infinity, since = -Infinity, until = Infinity }: HistoryRange,
): AsyncGenerator<number> {
  let skip = page === 0 ? 0 : page * limit;
  let left = limit;
  const slices = new TimeSlices();
  const walk = index.walk(tip);
  for (let position = 0;; position++) {
    const row = walk.at(position);
    if (row === undefined || left === 0 || skip === Infinity) return;
    if (position % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await slices.next();
    const time = index.timeOf(row);
    if (time < since || time >= until) continue;
    if (skip > 0) {
      skip--;
    } else {
      left--;
      yield row;
    }
  }
}

/** The rows of the history of `to` up to `from`, which is left out; all of them where it is no ancestor. */
export function* rowsBetween(index: CommitIndex, from: number, to: number): Generator<number> {
  for (const row of index.walk(to)) {
    if (row === from) return;
    yield row;
  }
}

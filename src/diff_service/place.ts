/**
 * Where a diff, or the `files` of one, is made: in the thread that answers requests, by a worker, or in
 * batches by both at the same time.
 */
import { type BudgetLimits, LARGEST_DIFF } from "../diff/budget.ts";
import type { DiffCost } from "../diff/plan.ts";

/** Where something is made. */
export type Place = "here" | "worker" | "both";

/** Amounts of work that is being done, or waits. */
export interface Load {
  /** Diffs in this thread. */
  readonly here: number;
  /** Jobs of each worker; `undefined` where it is not known, infinite while no worker is ready. */
  readonly worker: number | undefined;
}

/**
 * The most that this thread makes. Most such diffs pause once or never. A search of moved files by
 * libgit2, which cannot be interrupted, takes some milliseconds.
 */
export const MOST_HERE: DiffCost = {
  fileBytes: 2 ** 20,
  largestBytes: 2 ** 17,
  comparedBytes: 2 ** 16,
};

/**
 * Jobs of a worker up to which it gets small diffs, too, while this thread has more of them: so the diffs of
 * a page of history are made on several processors.
 */
export const MAX_SHARED_JOBS = 4;

/**
 * Bytes of files above which both make a diff while they are idle, and up to which they do: less takes a few
 * milliseconds, more is made in parts.
 */
export const [BOTH_FROM_BYTES, BOTH_MOST_BYTES] = [2 ** 18, 4 * 2 ** 20];
/** Bytes of the files in a batch of such a diff, unless it has one file. A larger file is for the worker. */
export const BOTH_BATCH_BYTES = 2 ** 17;

/**
 * Limits of a diff in this thread, beyond which a worker makes it. It gets the plan; where blobs are too
 * many, the differing files alone; where trees are too large, nothing. It also makes what turns out to take
 * many time slices, and texts whose lines only libgit2 compares.
 */
export const HERE: BudgetLimits = {
  ...LARGEST_DIFF,
  treeBytes: 2 ** 20,
  blobs: 4096,
  engineLines: 0,
  enginePairs: 2 ** 16,
  pauses: 50,
};

/** Most files of a plan that is handed to a worker: some 2 MB, which wait with the job. */
export const MOST_HANDED_FILES = 8192;

/** Chooses the place by the cost, and by the load. */
export function placeOf({ fileBytes, largestBytes, comparedBytes }: DiffCost, load: Load): Place {
  const { worker = Infinity, here } = load;
  const isForBoth = fileBytes > BOTH_FROM_BYTES && fileBytes <= BOTH_MOST_BYTES;
  if (isForBoth && worker === 0 && here === 0) return "both";
  if (fileBytes > MOST_HERE.fileBytes || largestBytes > MOST_HERE.largestBytes) return "worker";
  if (comparedBytes > MOST_HERE.comparedBytes) return "worker";
  return worker < MAX_SHARED_JOBS && worker < here ? "worker" : "here";
}

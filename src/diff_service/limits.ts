/** Limits of what the thread that answers requests does for diffs, and of what it shares with a worker. */
import type { BudgetLimits } from "../diff/budget.ts";

/**
 * Limits of a diff in this thread. Most such diffs pause once or never. libgit2 searches moved files
 * for some milliseconds at most, and compares no lines, because it gets only such searches as take long.
 */
export const SMALL_DIFF: BudgetLimits = {
  treeBytes: 2 ** 20,
  fileBytes: 2 ** 20,
  blobBytes: 2 ** 17,
  renameBytes: 2 ** 20,
  engineBytes: 2 ** 16,
  engineLines: 0,
  pauses: 50,
};
/** Limits of the contents of files that are made in this thread: some milliseconds of work. */
export const SMALL_FILES: BudgetLimits = { ...SMALL_DIFF, blobBytes: SMALL_DIFF.fileBytes };

/**
 * Jobs of a worker up to which it gets small diffs, too, while this thread has more of them: so the diffs of
 * a page of history are made on several processors.
 */
export const MAX_SHARED_JOBS = 4;

/**
 * Bytes of files above which an idle service makes a diff, or `files`, on two processors: here and in a
 * worker. Less is done in a few milliseconds.
 */
export const SHARED_FROM_BYTES = 2 ** 18;
/** Bytes of files up to which a diff is shared. A larger one is streamed while workers make its parts. */
export const MAX_SHARED_BYTES = 4 * 2 ** 20;
/**
 * Bytes of `files` that are held when they were made together with the diff: the contents of the largest
 * shared diff, unless most of its characters have to be escaped.
 */
export const MAX_MEMBERS_BYTES = 2 * MAX_SHARED_BYTES;
/** Bytes of files in a piece of shared work: few milliseconds. */
export const SHARED_PIECE_BYTES = 2 ** 17;
/** Limits of the plan of a diff that is shared. */
export const SHARED_PLAN: BudgetLimits = {
  ...SMALL_DIFF,
  fileBytes: MAX_SHARED_BYTES,
  blobBytes: MAX_SHARED_BYTES,
};

/** Limits of the files of a diff that an idle thread makes alone. */
export const ALONE: Pick<BudgetLimits, "fileBytes" | "blobBytes"> = {
  ...SMALL_DIFF,
  fileBytes: SHARED_FROM_BYTES,
};

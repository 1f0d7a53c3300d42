/**
 * The budget of one diff: bytes of trees and files, work of libgit2, and pauses. All steps of a diff use the
 * same budget, and check sizes before they read contents.
 */
import { TooLargeError } from "../errors.ts";
import type { Task } from "../scheduling/task.ts";

/** Maximum size of the trees and paths of one diff, in bytes. */
export const MAX_TREE_BYTES = 256 * 2 ** 20;
/** Maximum total size of the files of one diff, both sides together, in bytes. */
export const MAX_DIFF_BYTES = 2 ** 30;
/** Maximum size of the files that are compared with each other to find moved and copied files, in bytes. */
export const MAX_RENAME_BYTES = 256 * 2 ** 20;
/**
 * Maximum number of different pieces in memory during the search for moved and copied files. A piece is
 * usually a line, and takes up to 28 bytes.
 */
export const MAX_RENAME_PIECES = 2 ** 22;
/** Maximum size of the files that libgit2 compares to find moved and copied files, in bytes. */
export const MAX_ENGINE_BYTES = 48 * 2 ** 20;
/** Maximum number of lines of a text that libgit2 compares. A comparison of this size takes two seconds. */
export const MAX_ENGINE_LINES = 2 ** 18;

/** Minimum cost of an object, in bytes. Finding an object takes as long as comparing this many bytes. */
export const MIN_OBJECT_COST = 1024;

export interface BudgetLimits {
  /** Size of trees and paths, in bytes. Each pair of folders counts as at least {@link MIN_OBJECT_COST}. */
  readonly treeBytes: number;
  /** Number of files that differ. */
  readonly files: number;
  /** Size of both sides of all files, in bytes. */
  readonly fileBytes: number;
  /** Size of one blob, in bytes. */
  readonly blobBytes: number;
  /** Number of lines of one text. Each line takes up to half a microsecond, without a pause. */
  readonly textLines: number;
  /** Size of the files that are compared with each other to find moved and copied files, in bytes. */
  readonly renameBytes: number;
  /** Number of different pieces in memory ({@link MAX_RENAME_PIECES}). */
  readonly renamePieces: number;
  /** Size of the files that libgit2 compares to find moved and copied files, in bytes. */
  readonly engineBytes: number;
  /** Number of lines of a text that libgit2 compares, without a pause. */
  readonly engineLines: number;
  /** Number of file pairs that libgit2 searches, without a pause. Each pair takes 60 ns. */
  readonly enginePairs: number;
  /** Number of pauses. Other work must wait for one time slice of the diff before each pause. */
  readonly pauses: number;
}

/** Maximum amounts for any diff. */
export const LARGEST_DIFF: BudgetLimits = {
  treeBytes: MAX_TREE_BYTES,
  files: MAX_DIFF_BYTES / MIN_OBJECT_COST,
  fileBytes: MAX_DIFF_BYTES,
  blobBytes: Infinity,
  textLines: Infinity,
  renameBytes: MAX_RENAME_BYTES,
  renamePieces: MAX_RENAME_PIECES,
  engineBytes: MAX_ENGINE_BYTES,
  engineLines: MAX_ENGINE_LINES,
  enginePairs: Infinity,
  pauses: Infinity,
};

/**
 * Maximum amounts for diffs in the thread that responds to requests, if there are workers. Most such diffs
 * pause at most once. libgit2 takes at most a few milliseconds without a pause.
 */
export const SMALL_DIFF: BudgetLimits = {
  ...LARGEST_DIFF,
  treeBytes: 2 ** 20,
  files: 512,
  fileBytes: 2 ** 20,
  blobBytes: 2 ** 17,
  textLines: 2 ** 14,
  renameBytes: 2 ** 16,
  engineLines: 0,
  enginePairs: 2 ** 16,
  pauses: 50,
};

/** Thrown when a diff exceeds a limit of its budget. The diff may succeed with a larger budget. */
export class OverBudgetError extends TooLargeError {}

const EXCESS = {
  files: (most: number) => `This diff has more than ${most} files`,
  fileBytes: (most: number) => `The files of this diff have more than ${most} bytes`,
  blobBytes: (most: number) => `A file of this diff has more than ${most} bytes`,
  textLines: (most: number) => `A text of this diff has more than ${most} lines`,
  renameBytes: (most: number) => `The search for moved files would compare more than ${most} bytes`,
  renamePieces: (most: number) => `The search for moved files would compare more than ${most} lines`,
  engineBytes: (most: number) => `The search for moved files would compare more than ${most} bytes`,
  engineLines: (most: number) => `A text differs much in more than ${most} lines`,
  enginePairs: (most: number) => `The search for moved files would compare more than ${most} pairs`,
  pauses: (most: number) => `Making this diff takes more than ${most} pauses`,
} as const satisfies Partial<Record<keyof BudgetLimits, (most: number) => string>>;

/** The remaining budget of one diff. Methods throw {@link OverBudgetError} when a limit is exceeded. */
export class Budget {
  readonly limits: BudgetLimits;
  readonly #task: Pick<Task, "yield"> | undefined;
  /** Approximate size of the trees and blobs that have been read so far, in bytes. */
  readBytes = 0;
  #treeBytesLeft: number;
  #pauses = 0;

  /** @param task Decides when the diff pauses. Without a task, the diff never pauses. */
  constructor(limits: BudgetLimits = LARGEST_DIFF, task?: Pick<Task, "yield">) {
    this.limits = limits;
    this.#task = task;
    this.#treeBytesLeft = limits.treeBytes;
  }

  /** Maximum size of the trees that may still be read, in bytes. */
  get treeBytesLeft(): number {
    return this.#treeBytesLeft;
  }

  spendTreeBytes(bytes: number): void {
    this.readBytes += bytes;
    this.#treeBytesLeft -= bytes;
    if (this.#treeBytesLeft < 0) throw new OverBudgetError("Trees are too large to be compared");
  }

  /** Throws when an amount exceeds a limit. Call this method before the work. */
  check(limit: keyof typeof EXCESS, amount: number): void {
    const most = this.limits[limit];
    if (amount > most) throw new OverBudgetError(EXCESS[limit](most));
  }

  /** Pauses if the task requires a pause. Call this method between short steps, and await its result. */
  yield(): Promise<void> | undefined {
    const pause = this.#task?.yield();
    if (pause !== undefined) this.check("pauses", ++this.#pauses);
    return pause;
  }
}

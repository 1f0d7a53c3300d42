/**
 * The budget of one diff: bytes of trees and of files, work of libgit2, and pauses. All steps of a diff
 * spend from the same budget, and check sizes before they read contents.
 */
import { TooLargeError } from "../errors.ts";
import type { Task } from "../scheduling/task.ts";

/** Most bytes of trees and paths of one diff. */
export const MAX_TREE_BYTES = 256 * 2 ** 20;
/** Most bytes of both sides of all files of one diff. */
export const MAX_DIFF_BYTES = 2 ** 30;
/** Most bytes of files that are compared with each other to find moved and copied ones. */
export const MAX_RENAME_BYTES = 256 * 2 ** 20;
/**
 * Most different pieces, usually lines, of the texts that are held while others are compared with them: the
 * old texts or the added ones. A piece takes up to 28 bytes.
 */
export const MAX_RENAME_PIECES = 2 ** 22;
/** Most bytes of files that libgit2 compares to find moved and copied ones. */
export const MAX_ENGINE_BYTES = 48 * 2 ** 20;
/** Most lines of a text that libgit2 compares, which takes two seconds. */
export const MAX_ENGINE_LINES = 2 ** 18;

/** Least bytes that an object counts for: finding it takes as long as comparing this many bytes. */
export const MIN_OBJECT_COST = 1024;

/** Limits of one diff. */
export interface BudgetLimits {
  /** Bytes of trees that are read and of paths; a pair of folders counts {@link MIN_OBJECT_COST} or more. */
  readonly treeBytes: number;
  /** Files that differ. */
  readonly files: number;
  /** Bytes of both sides of all files. */
  readonly fileBytes: number;
  /** Bytes of one blob. */
  readonly blobBytes: number;
  /** Lines of one text. Comparing and rendering it takes up to half a microsecond a line, in one step. */
  readonly textLines: number;
  /** Bytes of files that are compared with each other to find moved and copied ones. */
  readonly renameBytes: number;
  /** Different pieces of the texts that are held in this search, see {@link MAX_RENAME_PIECES}. */
  readonly renamePieces: number;
  /** Bytes of files that libgit2 compares to find moved and copied ones. */
  readonly engineBytes: number;
  /** Lines of a text that libgit2 compares. It cannot be interrupted. */
  readonly engineLines: number;
  /** Pairs of files among which libgit2 finds moved ones, in 60 ns each. It cannot be interrupted. */
  readonly enginePairs: number;
  /** Pauses of the task. Other work waits for one slice of the diff before each pause. */
  readonly pauses: number;
}

/** Limits of the largest possible diff. */
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
 * Limits of a diff that is made in the thread that answers requests although there are workers. Most such
 * diffs pause once or never. Work of libgit2, which cannot be interrupted, takes a few milliseconds at most.
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

/** The diff exceeds a limit of its budget. It may succeed with a larger budget. */
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

/** The unspent budget of one diff. All methods throw {@link OverBudgetError} when a limit is exceeded. */
export class Budget {
  readonly limits: BudgetLimits;
  readonly #task: Pick<Task, "yield"> | undefined;
  /** Bytes of trees and blobs read so far, approximately. */
  readBytes = 0;
  #treeBytesLeft: number;
  #pauses = 0;

  /** @param task Decides when the diff pauses; without it there are no pauses. */
  constructor(limits: BudgetLimits = LARGEST_DIFF, task?: Pick<Task, "yield">) {
    this.limits = limits;
    this.#task = task;
    this.#treeBytesLeft = limits.treeBytes;
  }

  /** Bytes of trees that may still be read. */
  get treeBytesLeft(): number {
    return this.#treeBytesLeft;
  }

  spendTreeBytes(bytes: number): void {
    this.readBytes += bytes;
    this.#treeBytesLeft -= bytes;
    if (this.#treeBytesLeft < 0) throw new OverBudgetError("Trees are too large to be compared");
  }

  /** To be called before the work that the amount stands for. */
  check(limit: keyof typeof EXCESS, amount: number): void {
    const most = this.limits[limit];
    if (amount > most) throw new OverBudgetError(EXCESS[limit](most));
  }

  /** Pauses if the task has to. To be awaited between short steps. */
  yield(): Promise<void> | undefined {
    const pause = this.#task?.yield();
    if (pause !== undefined) this.check("pauses", ++this.#pauses);
    return pause;
  }
}

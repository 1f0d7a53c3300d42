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
 * Most different pieces, which are lines in the main, of the texts that are held while others are compared
 * with them: the old or the added ones. Up to 28 bytes each are held.
 */
export const MAX_RENAME_PIECES = 2 ** 22;
/** Most bytes of files among which libgit2 finds the moved and copied ones. */
export const MAX_ENGINE_BYTES = 48 * 2 ** 20;
/** Most lines of a text that libgit2 compares, which takes it two seconds. */
export const MAX_ENGINE_LINES = 2 ** 18;

/** Bytes that an object counts for at least, because finding it takes as long as comparing so many bytes. */
export const MIN_OBJECT_COST = 1024;

/** Limits of one diff. */
export interface BudgetLimits {
  /** Bytes of trees read and paths made, {@link MIN_OBJECT_COST} for each pair of folders at least. */
  readonly treeBytes: number;
  /** Files that differ. */
  readonly files: number;
  /** Bytes of both sides of all files. */
  readonly fileBytes: number;
  /** Bytes of any one blob. */
  readonly blobBytes: number;
  /** Bytes of files that are compared with each other to find moved and copied ones. */
  readonly renameBytes: number;
  /** Different pieces of the texts of one side among them, which are held. */
  readonly renamePieces: number;
  /** Bytes of files among which libgit2 finds the moved and copied ones. */
  readonly engineBytes: number;
  /** Lines of a text that libgit2 compares, which cannot be interrupted. */
  readonly engineLines: number;
  /** Pairs of files among which libgit2 finds moved ones: 60 ns each, which cannot be interrupted. */
  readonly enginePairs: number;
  /** Pauses of its task: others wait for so many pieces of its work. */
  readonly pauses: number;
}

/** Limits of the largest possible diff. */
export const LARGEST_DIFF: BudgetLimits = {
  treeBytes: MAX_TREE_BYTES,
  files: MAX_DIFF_BYTES / MIN_OBJECT_COST,
  fileBytes: MAX_DIFF_BYTES,
  blobBytes: Infinity,
  renameBytes: MAX_RENAME_BYTES,
  renamePieces: MAX_RENAME_PIECES,
  engineBytes: MAX_ENGINE_BYTES,
  engineLines: MAX_ENGINE_LINES,
  enginePairs: Infinity,
  pauses: Infinity,
};

/**
 * Limits of a diff that the thread that answers requests makes although there are workers. Most such diffs
 * pause once or never. It runs nothing of libgit2 that takes more than some milliseconds, because libgit2
 * cannot be interrupted.
 */
export const SMALL_DIFF: BudgetLimits = {
  ...LARGEST_DIFF,
  treeBytes: 2 ** 20,
  files: 512,
  fileBytes: 2 ** 20,
  blobBytes: 2 ** 17,
  renameBytes: 2 ** 16,
  engineLines: 0,
  enginePairs: 2 ** 16,
  pauses: 50,
};

/** A limit of the budget is exceeded. The same diff may succeed with a larger budget. */
export class OverBudgetError extends TooLargeError {}

/** Message when a limit is exceeded. */
const EXCESS = {
  files: (most: number) => `This diff has more than ${most} files`,
  fileBytes: (most: number) => `The files of this diff have more than ${most} bytes`,
  blobBytes: (most: number) => `A file of this diff has more than ${most} bytes`,
  renameBytes: (most: number) => `The search for moved files would compare more than ${most} bytes`,
  renamePieces: (most: number) => `The search for moved files would compare more than ${most} lines`,
  engineBytes: (most: number) => `The search for moved files would compare more than ${most} bytes`,
  engineLines: (most: number) => `A text differs much in more than ${most} lines`,
  enginePairs: (most: number) => `Moved files would be looked for in more than ${most} pairs`,
  pauses: (most: number) => `This diff pauses more than ${most} times`,
} as const satisfies Partial<Record<keyof BudgetLimits, (most: number) => string>>;

/** The unspent budget of one diff. All methods throw {@link OverBudgetError} when a limit is exceeded. */
export class Budget {
  readonly limits: BudgetLimits;
  readonly #task: Pick<Task, "yield"> | undefined;
  /** Bytes of trees and blobs that were read so far, approximately. */
  readBytes = 0;
  #treeBytesLeft: number;
  #pauses = 0;

  /** @param task Without it the diff runs without pauses. */
  constructor(limits: BudgetLimits = LARGEST_DIFF, task?: Pick<Task, "yield">) {
    this.limits = limits;
    this.#task = task;
    this.#treeBytesLeft = limits.treeBytes;
  }

  /** Bytes of trees that may still be read. */
  get treeBytesLeft(): number {
    return this.#treeBytesLeft;
  }

  /** Spends bytes of trees and paths. */
  spendTreeBytes(bytes: number): void {
    this.readBytes += bytes;
    this.#treeBytesLeft -= bytes;
    if (this.#treeBytesLeft < 0) throw new OverBudgetError("Trees are too large to be compared");
  }

  /** Checks an amount against its limit, before the work that it stands for. */
  check(limit: keyof typeof EXCESS, amount: number): void {
    const most = this.limits[limit];
    if (amount > most) throw new OverBudgetError(EXCESS[limit](most));
  }

  /** A place where the task may pause: to be awaited between short steps. */
  yield(): Promise<void> | undefined {
    const pause = this.#task?.yield();
    if (pause !== undefined) this.check("pauses", ++this.#pauses);
    return pause;
  }
}

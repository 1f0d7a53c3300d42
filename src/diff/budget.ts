/**
 * The budget of one diff: bytes of trees and of files, work of libgit2, and time slices. Every step of a diff
 * spends from the same budget, sizes before contents, and there is one error for a budget that is spent.
 */
import { TooLargeError } from "../errors.ts";

/** Bytes of trees and paths of one diff. */
export const MAX_TREE_BYTES = 256 * 2 ** 20;
/** Bytes of both sides of all files of one diff. */
export const MAX_DIFF_BYTES = 2 ** 30;
/** Bytes of texts that are compared in search of moved and copied files. */
export const MAX_RENAME_BYTES = 256 * 2 ** 20;
/** Bytes of texts among which libgit2 looks for moved and copied files. */
export const MAX_ENGINE_BYTES = 48 * 2 ** 20;
/** Lines of a text that libgit2 compares, which takes it two seconds. */
export const MAX_ENGINE_LINES = 2 ** 18;

/** Bytes that even an empty object counts: to find one takes as long as to compare so many. */
export const MIN_OBJECT_COST = 1024;

/** Limits of one diff. */
export interface BudgetLimits {
  /** Bytes of trees read and paths made, {@link MIN_OBJECT_COST} for each pair of folders at least. */
  readonly treeBytes: number;
  /** Bytes of both sides of all files, {@link MIN_OBJECT_COST} for each blob at least. */
  readonly fileBytes: number;
  /** Bytes of any one blob. */
  readonly blobBytes: number;
  /** Bytes of texts that are compared in search of moved and copied files. */
  readonly renameBytes: number;
  /** Bytes of texts among which libgit2 looks for moved and copied files. */
  readonly engineBytes: number;
  /** Lines of a text that libgit2 compares. Nothing can interrupt it. */
  readonly engineLines: number;
  /** Time slices; only a budget with a `nextSlice` counts them. */
  readonly slices: number;
}

/** Limits of the largest diff that is made at all. */
export const LARGEST_DIFF: BudgetLimits = {
  treeBytes: MAX_TREE_BYTES,
  fileBytes: MAX_DIFF_BYTES,
  blobBytes: Infinity,
  renameBytes: MAX_RENAME_BYTES,
  engineBytes: MAX_ENGINE_BYTES,
  engineLines: MAX_ENGINE_LINES,
  slices: Infinity,
};

/** Ends a time slice when it is over: a promise for the beginning of the next one, else `undefined`. */
export type NextSlice = () => Promise<void> | undefined;

/** The budget is spent. With a larger budget the same diff may be made. */
export class OverBudgetError extends TooLargeError {}

/** The rest of one diff's budget. All methods throw {@link OverBudgetError} when a limit is exceeded. */
export class Budget {
  readonly limits: BudgetLimits;
  readonly #nextSlice: NextSlice | undefined;
  #treeBytesLeft: number;
  #slicesLeft: number;

  /** @param nextSlice Lets other work of this thread go on between steps; without it nothing waits. */
  constructor(limits: BudgetLimits = LARGEST_DIFF, nextSlice?: NextSlice) {
    this.limits = limits;
    this.#nextSlice = nextSlice;
    this.#treeBytesLeft = limits.treeBytes;
    this.#slicesLeft = limits.slices - 1;
  }

  /** Bytes of trees that may still be read. */
  get treeBytesLeft(): number {
    return this.#treeBytesLeft;
  }

  /** Spends bytes of trees and paths. */
  spendTreeBytes(bytes: number): void {
    this.#treeBytesLeft -= bytes;
    if (this.#treeBytesLeft < 0) throw new OverBudgetError("Trees are too large to be compared");
  }

  /** Checks the size of a blob. */
  checkBlob(bytes: number): void {
    const { blobBytes } = this.limits;
    if (bytes > blobBytes) throw new OverBudgetError(`A file of this diff has more than ${blobBytes} bytes`);
  }

  /** Checks the bytes of all files together, as far as they are known. */
  checkFiles(bytes: number): void {
    const { fileBytes } = this.limits;
    if (bytes <= fileBytes) return;
    throw new OverBudgetError(`The files of this diff have more than ${fileBytes} bytes`);
  }

  /** Checks the bytes of all texts that are to be compared in search of moved and copied files. */
  checkRenames(bytes: number): void {
    if (bytes > this.limits.renameBytes) throw this.#tooMuchForEngine();
  }

  /** Checks the bytes of texts among which libgit2 is to look for moved and copied files. */
  checkEngineBytes(bytes: number): void {
    if (bytes > this.limits.engineBytes) throw this.#tooMuchForEngine();
  }

  /** Checks the lines of a text that libgit2 is to compare. */
  checkEngineLines(lines: number): void {
    const { engineLines } = this.limits;
    if (lines > engineLines) {
      throw new OverBudgetError(`A text differs much in more than ${engineLines} lines`);
    }
  }

  /**
   * Lets other work go on when a time slice is over; to be awaited between steps that are short themselves.
   */
  nextSlice(): Promise<void> | undefined {
    const wait = this.#nextSlice?.();
    if (wait !== undefined && this.#slicesLeft-- <= 0) {
      throw new OverBudgetError(`This diff takes more than ${this.limits.slices} time slices`);
    }
    return wait;
  }

  #tooMuchForEngine(): OverBudgetError {
    return new OverBudgetError(`Moved files are looked for in more than ${this.limits.engineBytes} bytes`);
  }
}

/**
 * Freshness of what was read from a file or directory: when an unchanged time stamp proves that nothing has
 * changed.
 */
import type { FileStat } from "../ports/file_system.ts";

/**
 * How long after a change another one may get the same time stamp, in milliseconds: file systems count in
 * steps, of two seconds at worst, and clocks of a network's machines differ a little.
 */
export const SETTLING_MS = 3000;

/** The metadata of a file or directory just before it was read: tells later whether it must be read again. */
export class Freshness {
  readonly #stat: FileStat | undefined;
  readonly #isSettled: boolean;

  /**
   * @param stat Metadata before the content was read; `undefined` when there was no such file.
   * @param nowMs The time at that moment, milliseconds since the epoch.
   */
  constructor(stat: FileStat | undefined, nowMs: number) {
    this.#stat = stat;
    // A symbolic link's own stamp says nothing of what it leads to.
    this.#isSettled = stat === undefined || (stat.kind !== "link" && stat.modifiedMs < nowMs - SETTLING_MS);
  }

  /** Whether the content that was read is certainly unchanged, given the metadata now. */
  holds(stat: FileStat | undefined): boolean {
    return this.#isSettled && !this.isOver(stat);
  }

  /** Whether there certainly was a change, given the metadata now. */
  isOver(stat: FileStat | undefined): boolean {
    const earlier = this.#stat;
    return stat?.inode !== earlier?.inode || stat?.size !== earlier?.size ||
      stat?.modifiedMs !== earlier?.modifiedMs ||
      stat?.kind !== earlier?.kind;
  }
}

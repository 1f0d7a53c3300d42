/** When an unchanged time stamp proves that a file or directory is unchanged. */
import type { FileStat } from "../../ports/file_system.ts";

/**
 * How long after a change another one may get the same time stamp, in milliseconds: file systems count in steps, of two
 * seconds at worst, and clocks of a network's machines differ a little.
 */
export const SETTLING_MS = 3000;

/** What was known of a file or directory just before it was read: enough to tell later whether it must be read again. */
export class Freshness {
  readonly #stat: FileStat | undefined;
  readonly #isSettled: boolean;

  /**
   * @param stat What was there, before it was read.
   * @param nowMs The time at that moment, milliseconds since the epoch.
   */
  constructor(stat: FileStat | undefined, nowMs: number) {
    this.#stat = stat;
    // A symbolic link's own stamp says nothing of what it leads to.
    this.#isSettled = stat === undefined || (stat.kind !== "link" && stat.modifiedMs < nowMs - SETTLING_MS);
  }

  /** Whether what was read then is certainly still so, given what is there now. */
  holds(stat: FileStat | undefined): boolean {
    return this.#isSettled && !this.isOver(stat);
  }

  /** Whether there certainly was a change, given what is there now. */
  isOver(stat: FileStat | undefined): boolean {
    const known = this.#stat;
    return stat?.inode !== known?.inode || stat?.size !== known?.size ||
      stat?.modifiedMs !== known?.modifiedMs ||
      stat?.kind !== known?.kind;
  }
}

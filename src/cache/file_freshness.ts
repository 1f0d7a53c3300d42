/** Decides by metadata whether the cached content of a file or directory is still valid. */
import type { FileStat } from "../ports/file_system.ts";

/**
 * Period after a change in which a second change may get the same mtime, in milliseconds. Some file systems
 * store mtimes in steps of two seconds, and the clocks of machines in a network differ a little.
 */
export const SETTLING_MS = 3000;

/** Metadata of a file or directory, taken just before the content was read. */
export class Freshness {
  readonly #stat: FileStat | undefined;
  readonly #isSettled: boolean;

  /**
   * @param stat Metadata before the content was read; `undefined` when the file did not exist.
   * @param nowMs Time when the metadata was read, in milliseconds since the Unix epoch.
   */
  constructor(stat: FileStat | undefined, nowMs: number) {
    this.#stat = stat;
    // The mtime of a symbolic link does not change with its target.
    this.#isSettled = stat === undefined || (stat.kind !== "link" && stat.modifiedMs < nowMs - SETTLING_MS);
  }

  /** Checks whether the content is certainly unchanged, given the current metadata. */
  holds(stat: FileStat | undefined): boolean {
    return this.#isSettled && !this.isOver(stat);
  }

  /** Checks whether the content has certainly changed, given the current metadata. */
  isOver(stat: FileStat | undefined): boolean {
    const earlier = this.#stat;
    return stat?.inode !== earlier?.inode || stat?.size !== earlier?.size ||
      stat?.modifiedMs !== earlier?.modifiedMs ||
      stat?.kind !== earlier?.kind;
  }
}

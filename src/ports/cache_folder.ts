/**
 * A folder for derived data that is slow to compute, such as the index of a long history. The folder may be
 * emptied at any time, and several processes may use the folder at the same time.
 */
import type { Awaitable } from "./storage.ts";

/** Saves bytes under names. A call may fail with any error. The caller then works without the folder. */
export interface CacheFolder {
  /**
   * Reads the bytes saved under a name; `undefined` when nothing is saved under the name. The bytes may be
   * damaged, or written by another version or program.
   */
  read(name: string): Awaitable<Uint8Array | undefined>;
  /**
   * Saves bytes under a name, and replaces earlier bytes with this name. The write is atomic.
   *
   * @param name Letters, digits, and `-`, `_`, `.` between them.
   */
  write(name: string, bytes: Uint8Array): Awaitable<void>;
}

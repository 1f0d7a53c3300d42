/**
 * A folder for derived data that is slow to compute, such as the index of a long history. It may be emptied
 * at any time, and other processes may use it at the same time.
 */
import type { Awaitable } from "./storage.ts";

/** Bytes saved under names. Calls may fail with any error; callers then work without the folder. */
export interface CacheFolder {
  /**
   * Reads the bytes saved under a name; `undefined` when there are none. They may be damaged, or written by
   * another version or program.
   */
  read(name: string): Awaitable<Uint8Array | undefined>;
  /**
   * Saves bytes under a name (letters, digits, and `-`, `_`, `.` within), replacing earlier bytes. The write
   * is atomic.
   */
  write(name: string, bytes: Uint8Array): Awaitable<void>;
}

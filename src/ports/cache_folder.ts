/**
 * A place for what can be made again but takes a while, such as the index of a long history. It may be emptied at any time, and
 * other processes may use it, too.
 */
import type { Awaitable } from "./storage.ts";

/** Bytes under names. Calls may fail with any error: whoever uses them does without. */
export interface CacheFolder {
  /** What is kept under a name; `undefined` when nothing is. It may be damaged, or by another version or hand. */
  read(name: string): Awaitable<Uint8Array | undefined>;
  /** Keeps bytes under a name (letters, digits, `-`, `_`, `.` within) in the place of others: whole or not at all, whatever happens meanwhile. */
  write(name: string, bytes: Uint8Array): Awaitable<void>;
}

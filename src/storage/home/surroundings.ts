/** What the repositories of a home share: files, caches, clock and log. */
import type { FileSystem } from "../../ports/file_system.ts";
import type { GitObject } from "../../ports/storage.ts";
import type { ByteLru } from "./lru.ts";
import type { OpenFiles } from "./open_files.ts";
import type { Unpack } from "./unpack.ts";

/** The surroundings of a repository. */
export interface Surroundings {
  readonly fileSystem: FileSystem;
  /** Handles of packs. */
  readonly files: OpenFiles;
  /** Pieces of packs. */
  readonly windows: ByteLru<Uint8Array>;
  /** Objects that others are deltas of. */
  readonly bases: ByteLru<GitObject>;
  readonly unpack: Unpack;
  /** Milliseconds since the Unix epoch, on the clock that also stamps files. */
  now(): number;
  /** Takes a warning for the operator, however often the same is found. */
  logOnce(message: string, cause?: unknown): void;
}

/** Resources that the repositories of a home share: files, caches, clock and log. */
import type { Freshness } from "../../cache/file_freshness.ts";
import { LruMap } from "../../cache/lru_map.ts";
import type { Memory } from "../../cache/memory.ts";
import type { CacheKey, PackContext } from "../../git/pack/pack_source.ts";
import type { FileSystem, OpenFile } from "../../ports/file_system.ts";
import type { Ref } from "../../ports/storage.ts";
import type { Limiter } from "../../scheduling/limiter.ts";
import type { RefFiles } from "./ref_files.ts";

export interface StorageContext extends PackContext {
  readonly fileSystem: FileSystem;
  /** Open files of packs. */
  readonly files: OpenFiles;
  /** Cached parts of packs. Packs are read in such parts. */
  readonly windows: LruMap<CacheKey, Uint8Array>;
  /**
   * Allows one read of a slow object at a time, because each read takes several times the size of the object
   * in memory. It is fair between repositories.
   */
  readonly slowReads: Limiter;
  /** Files and folders of loose references. */
  readonly refFiles: RefFiles;
  /** Packed references, by the path of their file. */
  readonly packedRefs: LruMap<string, CachedPackedRefs>;
  /** The clock of the mtimes of the file system, in milliseconds since the Unix epoch. */
  now(): number;
  /** Logs a warning only the first time. */
  logOnce(message: string, cause?: unknown): void;
}

/** Maximum number of files of packs that a storage has open. */
const MAX_OPEN_PACKS = 64;

/**
 * Opens files on demand and leaves them open. When more than {@link MAX_OPEN_PACKS} are open, the least
 * recently used file is closed.
 */
export class OpenFiles {
  readonly #fileSystem: FileSystem;
  readonly #files = new LruMap<string, OpenFile>(MAX_OPEN_PACKS, () => 1, (file) => file.close());

  constructor(fileSystem: FileSystem) {
    this.#fileSystem = fileSystem;
  }

  /**
   * Returns the open file with a path; `undefined` when it does not exist. The caller must use it at once,
   * because any later call may close it.
   */
  get(path: string): OpenFile | undefined {
    const opened = this.#files.get(path);
    if (opened !== undefined) return opened;
    const file = this.#fileSystem.open(path);
    if (file !== undefined) this.#files.set(path, file);
    return file;
  }

  close(path: string): void {
    const file = this.#files.get(path);
    this.#files.delete(path);
    file?.close();
  }

  closeAll(): void {
    for (const file of this.#files.values()) file.close();
    this.#files.clear();
  }
}

/** Approximate memory of packed references for each byte of their file, in bytes. */
const BYTES_PER_FILE_BYTE = 2;
/** Approximate memory of the packed references in a small or empty file, in bytes. */
const EMPTY_FILE_BYTES = 2 ** 11;

/** The packed references at the time when their file was read. */
export interface CachedPackedRefs {
  readonly refs: readonly Ref[];
  readonly freshness: Freshness;
  /** Size of the file, in bytes. */
  readonly bytes: number;
}

/** Creates an empty cache of packed references. Its keys are the paths of their files. */
export function createPackedRefsCache(memory: Memory): LruMap<string, CachedPackedRefs> {
  return memory.mapOfLarge(
    "references",
    ({ bytes }) => Math.max(BYTES_PER_FILE_BYTE * bytes, EMPTY_FILE_BYTES),
  );
}

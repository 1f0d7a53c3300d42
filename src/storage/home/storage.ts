/**
 * The storage of a Radicle home. Each repository is a bare git repository in its own folder, whose name is
 * the repository id without `rad:`.
 */
import { zlibSync } from "fflate";
import { pauseFor } from "../../async/timer.ts";
import { Memory } from "../../cache/memory.ts";
import { type RepoId, tryParseRid } from "../../ids/rid.ts";
import type { Environment } from "../../ports/environment.ts";
import { Limiter } from "../../scheduling/limiter.ts";
import type { Deflate, Inflate } from "../../ports/compression.ts";
import { type FileSystem, isWritableFileSystem } from "../../ports/file_system.ts";
import type { Storage } from "../../ports/storage.ts";
import { Freshness } from "../../cache/file_freshness.ts";

import { LockFiles } from "./lock_files.ts";

import type { Pause } from "./ref_writer.ts";
import { RefFiles } from "./ref_files.ts";
import { HomeRepository, isRepository } from "./repository.ts";
import { createPackContext } from "../../git/pack/pack_context.ts";
import { createPackedRefsCache, OpenFiles, type StorageContext } from "./storage_context.ts";
import { createUnpack } from "../../git/unpack.ts";
import { WritableHomeRepository } from "./writable_repository.ts";

/** Approximate memory of a repository without the indexes of its packs, in bytes. */
const REPOSITORY_BYTES = 2 ** 14;

/** Maximum number of different warnings that are stored, so that each warning is logged only once. */
const MAX_WARNINGS = 1000;

/** Names of temporary folders of this program and other programs. */
const IGNORED_NAME = /^\.|\.(lock|tmp)$/;

/** Number of repositories that are searched for stale locks in one step, which takes about a millisecond. */
const LOOKED_AT_ONCE = 32;

/** A canonical repository id. Only such an id is a safe folder name. */
const CANONICAL_RID = /^rad:z[1-9A-HJ-NP-Za-km-z]+$/;

/** Location of a home storage, and the functions of the host that it uses. */
export interface HomeStorageOptions {
  /** Absolute path of the `storage` folder. */
  readonly root: string;
  /** Reads the files. If it is writable, the repositories implement `WritableRepository`. */
  readonly fileSystem: FileSystem;
  /** Decompresses larger objects several times faster than the default, which is written in TypeScript. */
  readonly inflate?: Inflate;
  /** Compresses new objects faster than the default, fflate. */
  readonly deflate?: Deflate;
  /** Logs warnings about damaged or unexpected files, each warning once. By default nothing is logged. */
  readonly log?: Environment["log"];
  /**
   * The clock of the mtimes of the file system, in milliseconds since the Unix epoch. By default `Date.now`.
   */
  readonly now?: () => number;
  /** Waits between two attempts to lock a reference. By default it uses a timer of the runtime. */
  readonly pause?: Pause;
  /** Sizes of caches. By default the usual sizes. */
  readonly memory?: Memory;
}

/**
 * The repositories of a home. Reads are synchronous with three exceptions: slow objects, objects that are
 * read after many other objects in one turn of the event loop, and long lists of references. These are read
 * in steps, so that the event loop is not blocked.
 */
export interface HomeStorage extends Storage {
  repositoryIds(): readonly RepoId[];
  repository(rid: RepoId): HomeRepository | undefined;
  /**
   * Removes stale locks of references. Killed processes have left these locks behind, and they would block
   * git and `rad`. Writers of this storage remove stale locks anyway. The removal works in short steps, ends
   * early when `signal` is aborted, and skips locks that cannot be removed.
   */
  removeStaleLocks(signal?: AbortSignal): Promise<void>;
  /**
   * Closes all files and clears the caches. The storage can still be used; it opens the files again when they
   * are needed.
   */
  close(): void;
}

/** A repository with the metadata of its folder. If the folder is replaced, its inode changes. */
interface CachedRepository {
  readonly inode: number;
  readonly freshness: Freshness;
  readonly repository: HomeRepository;
}

/** Opens the repositories of a Radicle home for reading and writing, even while its node runs. */
export function createHomeStorage(options: HomeStorageOptions): HomeStorage {
  const { root, fileSystem, deflate = fflateDeflate, pause = pauseFor, memory = new Memory() } = options;
  const context = createContext(options, memory);
  const repositories = memory.mapOfLarge<RepoId, CachedRepository>(
    "packIndexes",
    ({ repository }) => REPOSITORY_BYTES + repository.memoryBytes,
    ({ repository }) => repository.close(),
  );

  return {
    repositoryIds() {
      const rids: RepoId[] = [];
      for (const { name, kind } of fileSystem.list(root) ?? []) {
        if (kind !== "directory" || IGNORED_NAME.test(name)) continue;
        const rid = tryParseRid(name);
        if (rid !== `rad:${name}`) {
          context.logOnce(`Folder "${name}" of the storage is not named by a repository id`);
        } else if (isRepository(fileSystem, `${root}/${name}`)) rids.push(rid);
      }
      return rids;
    },

    repository(rid) {
      const path = `${root}/${rid.slice("rad:".length)}`;
      const nowMs = context.now();
      const folder = CANONICAL_RID.test(rid) ? fileSystem.stat(path) : undefined;
      const cached = repositories.get(rid);
      const isUnchanged = folder !== undefined && cached?.freshness.holds(folder) === true;
      const isThere = isUnchanged || folder?.kind === "directory" && isRepository(fileSystem, path);
      if (isThere && cached?.inode === folder.inode) {
        if (!isUnchanged) {
          cached.repository.forgetFiles();
          repositories.set(rid, { ...cached, freshness: new Freshness(folder, nowMs) });
        } // Packs may have been opened since the last call.
        else repositories.weighAgain(rid);
        cached.repository.refresh();
        return cached.repository;
      }
      cached?.repository.close();
      repositories.delete(rid);
      if (!isThere) return undefined;
      const repository = isWritableFileSystem(fileSystem)
        ? new WritableHomeRepository(rid, path, context, { fileSystem, deflate, pause })
        : new HomeRepository(rid, path, context);
      repositories.set(rid, { inode: folder.inode, freshness: new Freshness(folder, nowMs), repository });
      return repository;
    },

    async removeStaleLocks(signal) {
      if (!isWritableFileSystem(fileSystem)) return;
      const folders = (fileSystem.list(root) ?? []).filter(({ name, kind }) =>
        kind === "directory" && !IGNORED_NAME.test(name)
      );
      for (const [i, { name }] of folders.entries()) {
        if (i % LOOKED_AT_ONCE === 0) await pause(0);
        if (signal?.aborted) return;
        new LockFiles(`${root}/${name}`, fileSystem).clear();
      }
    },

    close() {
      repositories.clear();
      context.files.closeAll();
      context.windows.clear();
      context.bases.clear();
      context.packedRefs.clear();
    },
  };
}

/** Compresses with the fastest level, which git also uses for loose objects. */
const fflateDeflate: Deflate = (bytes) => zlibSync(bytes, { level: 1 });

function createContext(options: HomeStorageOptions, memory: Memory): StorageContext {
  const { fileSystem, inflate, log, now = Date.now } = options;
  const warnings = new Set<string>();
  const logOnce = (message: string, cause?: unknown) => {
    if (warnings.has(message)) return;
    if (warnings.size >= MAX_WARNINGS) warnings.clear();
    warnings.add(message);
    log?.("warn", message, cause);
  };
  return {
    ...createPackContext(memory, "packContents", createUnpack(inflate)),
    fileSystem,
    files: new OpenFiles(fileSystem),
    windows: memory.map("packContents", (bytes) => bytes.length),
    slowReads: new Limiter({ atOnce: 1 }),
    refFiles: new RefFiles(fileSystem, now, logOnce, memory),
    packedRefs: createPackedRefsCache(memory),
    now,
    logOnce,
  };
}

/** The storage of a Radicle home: one bare git repository per folder, named by the repository's id without `rad:`. */
import { zlibSync } from "fflate";
import { SMALL_TABLES } from "../../cache/caches.ts";
import { Memory } from "../../cache/memory.ts";
import { type RepoId, tryParseRid } from "../../ids/rid.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Deflate } from "../../ports/deflate.ts";
import { type FileSystem, isWritableFileSystem } from "../../ports/file_system.ts";
import type { Inflate } from "../../ports/inflate.ts";
import type { Storage } from "../../ports/storage.ts";
import { TurnBudget } from "../../time/turn_budget.ts";
import { Freshness } from "../../cache/file_freshness.ts";
import { OpenFiles } from "./open_files.ts";
import { OwnLocks } from "./own_locks.ts";
import { createPackedRefsCache } from "./packed_refs_cache.ts";
import { type Pause, pause as machinePause } from "./ref_lock.ts";
import { RefFiles } from "./ref_files.ts";
import { HomeRepository, isRepository } from "./repository.ts";
import { READ_AT_ONCE_BYTES, RefusedObjects, SlowReads } from "./slow_object.ts";
import type { Surroundings } from "./surroundings.ts";
import { createUnpack } from "./unpack.ts";
import { WritableHomeRepository } from "./writable_repository.ts";

/** Memory of a repository besides the indexes of its packs, in bytes, about. */
export const REPOSITORY_BYTES = 2 ** 14;

/** Memory of an object in the cache of delta bases besides its content, in bytes, about: most have less content. */
const DELTA_BASE_OVERHEAD_BYTES = 400;

/** Memory of the kind of an object, or of why it cannot be read, by its place, in bytes, about. */
const PLACE_BYTES = 64;

/** Folders being made or removed, and those of others. */
const IGNORED_NAME = /^\.|\.(lock|tmp)$/;

/** Repositories whose locks are looked at in one go: about a millisecond. */
const LOOKED_AT_ONCE = 32;

/** Only such an id is a safe name of a folder. */
const CANONICAL_RID = /^rad:z[1-9A-HJ-NP-Za-km-z]+$/;

/** What a home's storage needs. */
export interface HomeStorageOptions {
  /** Absolute path of the `storage` folder. */
  readonly root: string;
  /** Repositories can be changed when these files can: they are `WritableRepository` then. */
  readonly fileSystem: FileSystem;
  /** Unpacks larger objects several times faster than the default, fflate. */
  readonly inflate?: Inflate;
  /** Packs new objects faster than the default, fflate. */
  readonly deflate?: Deflate;
  /** Takes warnings of what is found damaged or out of place, each once. Default: nobody hears them. */
  readonly log?: Environment["log"];
  /** The clock that also stamps files, milliseconds since the epoch. Default: the machine's. */
  readonly now?: () => number;
  /** Waits between two attempts to lock a reference. Default: on the machine's clock. */
  readonly pause?: Pause;
  /** Sizes of caches; the usual ones by default. */
  readonly memory?: Memory;
}

/**
 * Repositories of a home. What is read is answered at once, without promises; but for an object that takes long, or comes after many others, and for very many references: these are read
 * in time slices, so that the event loop goes on.
 */
export interface HomeStorage extends Storage {
  repositoryIds(): RepoId[];
  repository(rid: RepoId): HomeRepository | undefined;
  /**
   * Removes locks of references that killed processes have left, which would keep git and `rad` out; whoever writes through this storage removes them
   * anyway. Takes short steps, and ends early when `signal` says so. Whatever cannot be changed stays as it is.
   */
  removeLeftLocks(signal?: AbortSignal): Promise<void>;
  /** Closes all files and empties the caches. The storage can still be used, and opens them again. */
  close(): void;
}

/** A repository and the metadata of its folder: another one under the same name would have another inode. */
interface CachedRepository {
  readonly inode: number;
  readonly freshness: Freshness;
  readonly repository: HomeRepository;
}

/** Reads the repositories of a Radicle home, and writes to them, also while its node does. */
export function createHomeStorage(options: HomeStorageOptions): HomeStorage {
  const { root, fileSystem, deflate = fflateDeflate, pause = machinePause, memory = new Memory() } = options;
  const surroundings = createSurroundings(options, memory);
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
          surroundings.logOnce(`Folder "${name}" of the storage is not named by a repository id`);
        } else if (isRepository(fileSystem, `${root}/${name}`)) rids.push(rid);
      }
      return rids;
    },

    repository(rid) {
      const path = `${root}/${rid.slice("rad:".length)}`;
      const nowMs = surroundings.now();
      const folder = CANONICAL_RID.test(rid) ? fileSystem.stat(path) : undefined;
      const cached = repositories.get(rid);
      const isUnchanged = folder !== undefined && cached?.freshness.holds(folder) === true;
      const isThere = isUnchanged || folder?.kind === "directory" && isRepository(fileSystem, path);
      if (isThere && cached?.inode === folder.inode) {
        if (!isUnchanged) repositories.set(rid, { ...cached, freshness: new Freshness(folder, nowMs) });
        // Packs may have been opened since.
        else repositories.weighAgain(rid);
        cached.repository.refresh();
        return cached.repository;
      }
      cached?.repository.close();
      repositories.delete(rid);
      if (!isThere) return undefined;
      const repository = isWritableFileSystem(fileSystem)
        ? new WritableHomeRepository(rid, path, surroundings, { fileSystem, deflate, pause })
        : new HomeRepository(rid, path, surroundings);
      repositories.set(rid, { inode: folder.inode, freshness: new Freshness(folder, nowMs), repository });
      return repository;
    },

    async removeLeftLocks(signal) {
      if (!isWritableFileSystem(fileSystem)) return;
      const folders = (fileSystem.list(root) ?? []).filter(({ name, kind }) =>
        kind === "directory" && !IGNORED_NAME.test(name)
      );
      for (const [i, { name }] of folders.entries()) {
        if (i % LOOKED_AT_ONCE === 0) await pause(0);
        if (signal?.aborted) return;
        new OwnLocks(`${root}/${name}`, fileSystem).clear();
      }
    },

    close() {
      repositories.clear();
      surroundings.files.closeAll();
      surroundings.windows.clear();
      surroundings.bases.clear();
      surroundings.packedRefs.clear();
    },
  };
}

/** As fast as fflate can, as git packs loose objects. */
const fflateDeflate: Deflate = (bytes) => zlibSync(bytes, { level: 1 });

function createSurroundings(options: HomeStorageOptions, memory: Memory): Surroundings {
  const { fileSystem, inflate, log, now = Date.now } = options;
  const warnings = new Set<string>();
  const logOnce = (message: string, cause?: unknown) => {
    if (warnings.has(message)) return;
    if (warnings.size >= SMALL_TABLES.warnings.entries) warnings.clear();
    warnings.add(message);
    log?.("warn", message, cause);
  };
  return {
    fileSystem,
    files: new OpenFiles(fileSystem),
    windows: memory.map("packWindows", (bytes) => bytes.length),
    bases: memory.map("deltaBases", (object) => object.bytes.length + DELTA_BASE_OVERHEAD_BYTES),
    kinds: new Map(),
    maxKinds: memory.share("packedKinds") / PLACE_BYTES,
    refused: new RefusedObjects(memory.share("damagedObjects") / PLACE_BYTES),
    budget: new TurnBudget(READ_AT_ONCE_BYTES),
    slowReads: new SlowReads(),
    refFiles: new RefFiles(fileSystem, now, logOnce, memory),
    packedRefs: createPackedRefsCache(memory),
    unpack: createUnpack(inflate),
    now,
    logOnce,
  };
}

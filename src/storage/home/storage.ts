/** The storage of a Radicle home: one bare git repository per folder, named by the repository's id without `rad:`. */
import { zlibSync } from "fflate";
import { LruMap } from "../../cache/lru_map.ts";
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
import { createPackedRefsMemory } from "./kept_packed_refs.ts";
import { type Pause, pause as machinePause } from "./ref_lock.ts";
import { RefFiles } from "./ref_files.ts";
import { HomeRepository, isRepository } from "./repository.ts";
import { READ_AT_ONCE_BYTES, RefusedObjects, SlowReads } from "./slow_object.ts";
import type { Surroundings } from "./surroundings.ts";
import { createUnpack } from "./unpack.ts";
import { WritableHomeRepository } from "./writable_repository.ts";

/** Repositories whose state is kept between calls: indexes of packs and parsed references. */
export const MAX_KEPT_REPOSITORIES = 64;

/** Handles of packs open at once, of all repositories together. */
export const MAX_OPEN_PACKS = 64;

/** Memory for objects that others are deltas of, or that took long to read, in bytes, of all repositories together: room for the largest. */
export const DELTA_BASE_CACHE_BYTES = 24 * 2 ** 20;

/** What an object takes in that memory beside its content, about: most are smaller than this. */
const DELTA_BASE_OVERHEAD_BYTES = 400;

/** Memory for pieces of packs, in bytes, of all repositories together. */
export const WINDOW_CACHE_BYTES = 8 * 2 ** 20;

/** Different warnings that are remembered, so as not to be repeated. */
const MAX_REMEMBERED_WARNINGS = 1000;

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
  /** Closes all files and forgets what was kept. The storage can still be used, and opens them again. */
  close(): void;
}

/** A repository and what was known of its folder: another one under the same name would have another inode. */
interface KeptRepository {
  readonly inode: number;
  readonly freshness: Freshness;
  readonly repository: HomeRepository;
}

/** Reads the repositories of a Radicle home, and writes to them, also while its node does. */
export function createHomeStorage(options: HomeStorageOptions): HomeStorage {
  const { root, fileSystem, deflate = fflateDeflate, pause = machinePause } = options;
  const surroundings = createSurroundings(options);
  const kept = new LruMap<RepoId, KeptRepository>(
    MAX_KEPT_REPOSITORIES,
    () => 1,
    (old) => old.repository.close(),
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
      const known = kept.get(rid);
      const isUnchanged = folder !== undefined && known?.freshness.holds(folder) === true;
      const isThere = isUnchanged || folder?.kind === "directory" && isRepository(fileSystem, path);
      if (isThere && known?.inode === folder.inode) {
        if (!isUnchanged) kept.set(rid, { ...known, freshness: new Freshness(folder, nowMs) });
        known.repository.refresh();
        return known.repository;
      }
      known?.repository.close();
      kept.delete(rid);
      if (!isThere) return undefined;
      const repository = isWritableFileSystem(fileSystem)
        ? new WritableHomeRepository(rid, path, surroundings, { fileSystem, deflate, pause })
        : new HomeRepository(rid, path, surroundings);
      kept.set(rid, { inode: folder.inode, freshness: new Freshness(folder, nowMs), repository });
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
      kept.clear();
      surroundings.files.closeAll();
      surroundings.windows.clear();
      surroundings.bases.clear();
      surroundings.packedRefs.clear();
    },
  };
}

/** As fast as fflate can, as git packs loose objects. */
const fflateDeflate: Deflate = (bytes) => zlibSync(bytes, { level: 1 });

function createSurroundings(options: HomeStorageOptions): Surroundings {
  const { fileSystem, inflate, log, now = Date.now } = options;
  const warnings = new Set<string>();
  const logOnce = (message: string, cause?: unknown) => {
    if (warnings.has(message)) return;
    if (warnings.size >= MAX_REMEMBERED_WARNINGS) warnings.clear();
    warnings.add(message);
    log?.("warn", message, cause);
  };
  return {
    fileSystem,
    files: new OpenFiles(fileSystem, MAX_OPEN_PACKS),
    windows: new LruMap(WINDOW_CACHE_BYTES, (bytes) => bytes.length),
    bases: new LruMap(DELTA_BASE_CACHE_BYTES, (object) => object.bytes.length + DELTA_BASE_OVERHEAD_BYTES),
    kinds: new Map(),
    refused: new RefusedObjects(),
    budget: new TurnBudget(READ_AT_ONCE_BYTES),
    slowReads: new SlowReads(),
    refFiles: new RefFiles(fileSystem, now, logOnce),
    packedRefs: createPackedRefsMemory(),
    unpack: createUnpack(inflate),
    now,
    logOnce,
  };
}

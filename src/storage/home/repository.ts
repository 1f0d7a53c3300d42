/**
 * One bare repository of a home, with the objects in its own directory and the objects of its alternates.
 * Objects are found even while `git gc` moves them.
 */
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { FileSystem } from "../../ports/file_system.ts";
import type {
  Awaitable,
  BatchLimits,
  GitObject,
  ObjectHeader,
  ReadLimits,
  Ref,
  Repository,
  StoredCommit,
} from "../../ports/storage.ts";
import { readBatch } from "../../git/objects.ts";
import { Refs, RefsVersion } from "./refs.ts";
import type { StorageContext } from "./storage_context.ts";
import { type DamagedError, isUnreadable, type TooLargeError } from "../../errors.ts";
import { Task } from "../../scheduling/task.ts";
import { readAlternates } from "./alternates.ts";
import { FILE, HEADER, ObjectDirectory, type ObjectPart, WHOLE } from "./object_directory.ts";
import { PackGone } from "./pack_file.ts";
import { readShallowFile } from "./shallow_file.ts";
import { SlowObject } from "./slow_object.ts";

/**
 * Maximum number of lookups of an object while packs are changing. A further lookup is needed only if a whole
 * `git repack` happens between two file system calls.
 */
export const MAX_LOOKS = 20;

/**
 * Minimum time between two checks for new loose objects, in milliseconds. A check takes half a millisecond.
 */
export const LOOSE_LOOK_MS = 1000;

/** A read of a slow object that is waiting or running. */
interface Reading {
  readonly object: Promise<GitObject | undefined>;
  /** Whether several readers wait for the object. Then no reader may release its bytes. */
  isShared: boolean;
}

/** Checks whether a directory has the files that git requires of a repository. */
export function isRepository(fileSystem: FileSystem, path: string): boolean {
  return hasHead(fileSystem, path + "/HEAD") &&
    fileSystem.stat(path + "/objects")?.kind === "directory" &&
    fileSystem.stat(path + "/refs")?.kind === "directory";
}

/** Checks whether `HEAD` is a file, or a symbolic link to a reference. */
function hasHead(fileSystem: FileSystem, path: string): boolean {
  return fileSystem.stat(path)?.kind === "file" || fileSystem.readLink(path)?.startsWith("refs/") === true;
}

/** A repository of a home. Its methods usually return values instead of promises. */
export class HomeRepository implements Repository {
  readonly rid: RepoId;
  readonly #refs: Refs;
  readonly #refsVersion: RefsVersion;
  readonly #context: StorageContext;
  readonly #own: ObjectDirectory;
  readonly #path: string;
  #shallow: ReadonlySet<Oid> | undefined;
  /** The `objects` directory of the repository, then its alternates. */
  #directories: readonly ObjectDirectory[];
  #isDue = false;
  #version = 0;
  #lookedMs = -Infinity;
  #looks = 0;
  /** Reads of slow objects that are waiting or running. */
  readonly #reading = new Map<Oid, Reading>();

  /** @param path Path of the repository. */
  constructor(rid: RepoId, path: string, context: StorageContext) {
    this.rid = rid;
    this.#path = path;
    this.#refs = new Refs(path, context);
    this.#refsVersion = new RefsVersion(path, context);
    this.#context = context;
    this.#own = new ObjectDirectory(path + "/objects", context);
    this.#directories = [this.#own];
    this.#refreshAlternates();
  }

  ref(name: string): Awaitable<Ref | undefined> {
    return this.#refs.ref(name);
  }

  refs(prefix: string): Awaitable<readonly Ref[]> {
    return this.#refs.refs(prefix);
  }

  /** Reads references synchronously. For writers and for short lists. */
  get refsNow(): { ref(name: string): Ref | undefined; refs(prefix: string): readonly Ref[] } {
    return {
      ref: (name) => this.#refs.refNow(name),
      refs: (prefix) => this.#refs.refsNow(prefix),
    };
  }

  refsVersion(): Awaitable<number> {
    return this.#refsVersion.read();
  }

  /**
   * Returns kind and size of an object.
   *
   * @throws {DamagedError}
   */
  header(oid: Oid): ObjectHeader | undefined {
    return this.#look(HEADER, oid);
  }

  /**
   * Returns an object, or a promise of it if the object is slow or must wait.
   *
   * @throws {DamagedError}
   */
  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined> {
    const busy = this.#context.scheduler.readLater();
    if (busy !== undefined) return busy.then(() => this.object(oid, limits));
    const found = this.#look(WHOLE, oid, limits);
    return found instanceof SlowObject ? this.#readSlowly(oid, found, limits) : found;
  }

  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]> {
    return readBatch((oid) => this.object(oid, limits), oids, limits);
  }

  /** Reads a slow object. Concurrent readers of the same object share one read. */
  #readSlowly(oid: Oid, slow: SlowObject, limits: ReadLimits | undefined): Promise<GitObject | undefined> {
    const running = this.#reading.get(oid);
    if (running !== undefined) {
      running.isShared = true;
      return running.object;
    }
    const reading: Reading = {
      isShared: false,
      object: this.#followSlowly(oid, slow, limits).finally(() => this.#reading.delete(oid))
        .then((object) =>
          reading.isShared && object?.release ? { kind: object.kind, bytes: object.bytes } : object
        ),
    };
    this.#reading.set(oid, reading);
    return reading.object;
  }

  /** Reads a slow object. Looks it up again if it was moved during the read, or if one copy is damaged. */
  async #followSlowly(
    oid: Oid,
    slow: SlowObject,
    limits: ReadLimits | undefined,
  ): Promise<GitObject | undefined> {
    const keys = [this.#own.path];
    for (let looks = 1;; looks++) {
      try {
        return await this.#context.slowReads.run(() => slow.read(new Task()), { keys });
      } catch (error) {
        const isWorthAnotherLook = error instanceof PackGone || isUnreadable(error);
        if (!isWorthAnotherLook || looks === MAX_LOOKS) throw error;
        const found = this.#look(WHOLE, oid, limits);
        if (!(found instanceof SlowObject)) return found;
        if (isUnreadable(error) && found.place === slow.place) throw error;
        slow = found;
      }
    }
  }

  /**
   * Returns the commits in the file `shallow`.
   *
   * @throws {DamagedError}
   */
  shallowCommits(): ReadonlySet<Oid> {
    return this.#shallow ??= readShallowFile(this.#context.fileSystem, this.#path);
  }

  /**
   * Makes the next calls read the files in the folder of the repository again, because a file may have been
   * added, replaced or removed.
   */
  forgetFiles(): void {
    this.#shallow = undefined;
  }

  *storedCommits(): Generator<StoredCommit> {
    for (const directory of this.#directories) yield* directory.commits();
  }

  /** Returns the path of the file that contains an object: a loose file or a pack. */
  objectFile(oid: Oid): string | undefined {
    return this.#look(FILE, oid);
  }

  /**
   * Detects added and removed packs and alternates, and closes the removed packs and alternates. This usually
   * costs a few file system calls. Returns whether a missing object might be found now.
   */
  #refresh(): boolean {
    this.#isDue = false;
    let hasChanged = this.#refreshAlternates();
    for (const directory of this.#directories) hasChanged = directory.refresh() || hasChanged;
    if (hasChanged) this.#version++;
    return hasChanged;
  }

  /**
   * Returns a number that grows when objects may have been added. New packs are detected at once. For new
   * loose objects, one directory is checked every {@link LOOSE_LOOK_MS}; the directories of the repository
   * and of its alternates are checked in turn.
   */
  objectsVersion(): number {
    this.#refresh();
    const nowMs = this.#context.now();
    if (!(Math.abs(nowMs - this.#lookedMs) < LOOSE_LOOK_MS)) {
      this.#lookedMs = nowMs;
      const directories = this.#directories;
      if (directories[this.#looks++ % directories.length]!.refreshLoose()) this.#version++;
    }
    return this.#version;
  }

  /**
   * Requests a check for added and removed packs before the next read of an object. It is not made at once,
   * because many requests read no object.
   */
  refresh(): void {
    this.#isDue = true;
  }

  /** Returns the number of objects in packs. Loose objects are few and are not counted. */
  objectCount(): number {
    let count = 0;
    for (const directory of this.#directories) count += directory.objectCount;
    return count;
  }

  /** Approximate memory of the indexes of packs and of the metadata of folders, in bytes. */
  get memoryBytes(): number {
    let bytes = this.#refsVersion.memoryBytes;
    for (const directory of this.#directories) bytes += directory.memoryBytes;
    return bytes;
  }

  /** Closes all files. The repository can still be used. */
  close(): void {
    for (const directory of this.#directories) directory.close();
  }

  /**
   * Looks up an object. After a miss, looks again if the packs have changed. While `git gc` moves an object,
   * the object always exists, but the check of a location may come too early or too late. The packed and the
   * loose copy exist at the same time for a while, so a lookup after the next change finds the object at the
   * latest.
   */
  #look<T>(part: ObjectPart<T>, oid: Oid, limits?: ReadLimits): T | undefined {
    if (this.#isDue) this.#refresh();
    let damage: DamagedError | TooLargeError | undefined;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      damage = undefined;
      for (const directory of this.#directories) {
        try {
          const found = directory.look(part, oid, limits);
          if (found !== undefined) return found;
        } catch (error) {
          if (!isUnreadable(error)) throw error;
          damage ??= error;
        }
      }
      const unstored = part.unstored?.(oid);
      if (unstored !== undefined) return unstored;
      if (!this.#refresh()) break;
    }
    if (damage !== undefined) throw damage;
    return undefined;
  }

  #refreshAlternates(): boolean {
    const paths = readAlternates(this.#context.fileSystem, this.#own.path);
    const [, ...earlier] = this.#directories;
    if (paths.length === earlier.length && paths.every((path, i) => path === earlier[i]?.path)) return false;
    const borrowed = paths.map((path) =>
      earlier.find((directory) => directory.path === path) ?? new ObjectDirectory(path, this.#context)
    );
    for (const directory of earlier) if (!borrowed.includes(directory)) directory.close();
    this.#directories = [this.#own, ...borrowed];
    return true;
  }
}

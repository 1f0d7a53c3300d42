/**
 * Reads one bare repository of a Radicle home, with the objects of its alternates. Objects are found even
 * while `git gc` moves them.
 */
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { FileSystem } from "../../ports/file_system.ts";
import type { HistoryColumns } from "../../ports/made_history.ts";
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
import { readCommitGraph } from "../../git/commit_graph_file.ts";
import { MAX_INDEXED_COMMITS } from "../../git/commit_loader.ts";
import { readBatch } from "../../git/objects.ts";
import { SlowObject, SlowReads } from "../../git/pack/slow_object.ts";
import { Refs, RefsVersion } from "./refs.ts";
import type { StorageContext } from "./storage_context.ts";
import { type DamagedError, isUnreadable, type TooLargeError } from "../../errors.ts";
import { Task } from "../../scheduling/task.ts";
import { readAlternates } from "./alternates.ts";
import { GraphFiles } from "./commit_graph_files.ts";
import { FILE, HEADER, ObjectDirectory, type ObjectPart, WHOLE } from "./object_directory.ts";
import { PackGone } from "./pack_file.ts";
import { readShallowFile } from "./shallow_file.ts";

/**
 * Maximum number of lookups of an object while packs are changing. A further lookup is needed only if a whole
 * `git repack` happens between two file system calls.
 */
export const MAX_LOOKUPS = 20;

/**
 * Minimum time between two checks for new loose objects, in milliseconds. A check takes half a millisecond.
 */
export const LOOSE_CHECK_MS = 1000;

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
  #checkedMs = -Infinity;
  #checks = 0;
  readonly #slowReads = new SlowReads<Oid>();

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
    return this.#lookUp(HEADER, oid);
  }

  /**
   * Returns an object. Returns a promise if the object must be read in steps, or if other work must run
   * first.
   *
   * @throws {DamagedError}
   */
  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined> {
    const busy = this.#context.scheduler.readLater();
    if (busy !== undefined) return busy.then(() => this.object(oid, limits));
    const found = this.#lookUp(WHOLE, oid, limits);
    return found instanceof SlowObject
      ? this.#slowReads.share(oid, () => this.#readSlowly(oid, found, limits))
      : found;
  }

  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]> {
    return readBatch((oid) => this.object(oid, limits), oids, limits);
  }

  /** Reads a slow object. Looks it up again if it was moved during the read, or if one copy is damaged. */
  async #readSlowly(
    oid: Oid,
    slow: SlowObject,
    limits: ReadLimits | undefined,
  ): Promise<GitObject | undefined> {
    const keys = [this.#own.path];
    for (let lookups = 1;; lookups++) {
      try {
        return await this.#context.slowReads.run(() => slow.read(new Task()), { keys });
      } catch (error) {
        const isWorthAnotherLookup = error instanceof PackGone || isUnreadable(error);
        if (!isWorthAnotherLookup || lookups === MAX_LOOKUPS) throw error;
        const found = this.#lookUp(WHOLE, oid, limits);
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

  /**
   * Reads the commits in git's commit-graph file. As in git, the file is ignored in a repository with shallow
   * commits, grafts or replaced objects.
   */
  async commitTable(): Promise<HistoryColumns | undefined> {
    const { fileSystem, logOnce } = this.#context;
    const files = new GraphFiles(fileSystem);
    try {
      const isPlain = this.shallowCommits().size === 0 && !fileSystem.stat(`${this.#path}/info/grafts`) &&
        (await this.refs("refs/replace/")).length === 0;
      const opened = isPlain ? files.open(this.#directories.map(({ path }) => path)) : undefined;
      return opened && await readCommitGraph(opened, MAX_INDEXED_COMMITS, new Task());
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      logOnce(`The commit graph of ${this.rid} is not used`, error);
      return undefined;
    } finally {
      files.close();
    }
  }

  /** Returns the path of the file that contains an object: a loose file or a pack. */
  objectFile(oid: Oid): string | undefined {
    return this.#lookUp(FILE, oid);
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
   * Returns a number that grows when objects may have been added. New packs are detected at once. Every
   * {@link LOOSE_CHECK_MS}, one of the `objects` directories is checked for new loose objects.
   */
  objectsVersion(): number {
    this.#refresh();
    const nowMs = this.#context.now();
    if (!(Math.abs(nowMs - this.#checkedMs) < LOOSE_CHECK_MS)) {
      this.#checkedMs = nowMs;
      const directories = this.#directories;
      if (directories[this.#checks++ % directories.length]!.refreshLoose()) this.#version++;
    }
    return this.#version;
  }

  /**
   * Requests a check for added and removed packs before the next read of an object. The check is not made at
   * once, because many requests read no object.
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
   * Looks up an object in all directories. If the object is not found, and the packs have changed, the lookup
   * is repeated, because `git gc` may have moved the object during the lookup.
   */
  #lookUp<T>(part: ObjectPart<T>, oid: Oid, limits?: ReadLimits): T | undefined {
    if (this.#isDue) this.#refresh();
    let damage: DamagedError | TooLargeError | undefined;
    for (let lookups = 0; lookups < MAX_LOOKUPS; lookups++) {
      damage = undefined;
      for (const directory of this.#directories) {
        try {
          const found = directory.lookUp(part, oid, limits);
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

/** Reads objects from the packs and loose files of one `objects` directory (gitrepository-layout). */
import { type DamagedError, isUnreadable, type TooLargeError } from "../../errors.ts";
import { unstoredHeader, unstoredObject } from "../../git/empty_tree.ts";
import type { Oid } from "../../ids/oid.ts";
import type { GitObject, ObjectHeader, ReadLimits, StoredCommit } from "../../ports/storage.ts";
import { loosePath, readLooseHeader, readLooseObject } from "./loose.ts";
import { Pack } from "../../git/pack/pack.ts";
import type { SlowObject } from "../../git/pack/slow_object.ts";
import { PackFile, PackGone } from "./pack_file.ts";
import type { StorageContext } from "./storage_context.ts";
import { Freshness, SETTLING_MS } from "../../cache/file_freshness.ts";

/** A pack of a home. */
export type HomePack = Pack<PackFile>;

/** Functions that read the same part of an object from packs and from loose files. */
export interface ObjectPart<T> {
  readonly inPack: (pack: HomePack, offset: number, limits?: ReadLimits) => T;
  readonly loose: (
    context: StorageContext,
    directory: string,
    oid: Oid,
    limits?: ReadLimits,
  ) => T | undefined;
  /** Returns the part of an object that every repository has, even if the object is not stored. */
  readonly unstored?: (oid: Oid) => T | undefined;
}

/** Reads kind and size of an object. */
export const HEADER: ObjectPart<ObjectHeader> = {
  inPack: (pack, offset) => pack.header(offset),
  loose: readLooseHeader,
  unstored: unstoredHeader,
};

/** Reads a whole object. The result is a slow object if the object must be read in steps. */
export const WHOLE: ObjectPart<GitObject | SlowObject> = {
  inPack: (pack, offset, limits) => pack.object(offset, limits),
  loose: readLooseObject,
  unstored: unstoredObject,
};

/** Returns the path of the file that contains an object: a loose file or a pack. */
export const FILE: ObjectPart<string> = {
  inPack: ({ source }) => source.name,
  loose({ fileSystem }, directory, oid) {
    const path = loosePath(directory, oid);
    return fileSystem.stat(path) && path;
  },
};

/** The objects in one directory, without its alternates. `git gc` may add and remove packs at any time. */
export class ObjectDirectory {
  readonly path: string;
  readonly #context: StorageContext;
  /** Packs by name, without `.pack`. */
  #packs: ReadonlyMap<string, HomePack> = new Map();
  /** The packs in the order in which they are searched. A change of the order creates a new array. */
  #order: readonly HomePack[] = [];
  /** All names that were found in the folder of packs, including packs that cannot be used. */
  #listed: ReadonlySet<string> = new Set();
  #freshness: Freshness | undefined;
  /** Approximate memory of the indexes of the packs, in bytes. */
  memoryBytes = 0;
  readonly #looseFolders: LooseFolders;

  /** @param path Path of the directory, which need not exist. */
  constructor(path: string, context: StorageContext) {
    this.path = path;
    this.#context = context;
    this.#looseFolders = new LooseFolders(path, context);
  }

  /**
   * Reads a part of an object. Returns `undefined` when the directory does not have the object. Packs are
   * searched first, because their indexes are in memory. A damaged copy of an object is skipped if there is
   * another copy.
   *
   * @throws {DamagedError} when every copy is damaged.
   */
  lookUp<T>(part: ObjectPart<T>, oid: Oid, limits?: ReadLimits): T | undefined {
    let damage: DamagedError | TooLargeError | undefined;
    if (this.#freshness === undefined) this.refresh();
    for (const pack of this.#order) {
      try {
        const offset = pack.source.find(oid);
        if (offset === undefined) continue;
        const found = part.inPack(pack, offset, limits);
        // This pack is searched first from now on, because the next object is probably in the same pack.
        if (this.#order[0] !== pack) this.#order = [pack, ...this.#order.filter((other) => other !== pack)];
        return found;
      } catch (error) {
        if (error instanceof PackGone) this.#forget(pack);
        else if (isUnreadable(error)) damage ??= error;
        else throw error;
      }
    }
    const loose = part.loose(this.#context, this.path, oid, limits);
    if (loose === undefined && damage !== undefined) throw damage;
    return loose;
  }

  /**
   * Reads the folder of packs again, unless it is certainly unchanged. Returns whether an object that was
   * missing before might be found now. The result may be `true` even if all packs are the same, because other
   * packs may have been added and removed since the last call.
   */
  refresh(): boolean {
    const { fileSystem, now, logOnce } = this.#context;
    const directory = `${this.path}/pack`;
    const nowMs = now();
    const stat = fileSystem.stat(directory);
    const freshness = this.#freshness;
    if (freshness?.holds(stat)) return false;

    const names = this.#packNames(directory);
    let hasChanged = freshness === undefined || freshness.isOver(stat) || !isEqual(names, this.#listed);
    const packs = new Map<string, HomePack>();
    for (const name of names) {
      const opened = this.#packs.get(name);
      try {
        packs.set(name, opened ?? this.#open(`${directory}/${name}`));
        hasChanged ||= opened === undefined;
      } catch (error) {
        if (isUnreadable(error)) logOnce(`Pack ${name} is not used`, error);
        else if (!(error instanceof PackGone)) throw error;
      }
    }
    for (const [name, pack] of this.#packs) if (!packs.has(name)) pack.source.close();
    this.#listed = names;
    this.#packs = packs;
    this.#order = [...packs.values()];
    this.memoryBytes = this.#order.reduce((sum, pack) => sum + pack.source.memoryBytes, 0);
    this.#freshness = new Freshness(stat, nowMs);
    return hasChanged;
  }

  #open(path: string): HomePack {
    return new Pack(new PackFile(path, this.#context), this.#context);
  }

  /** Returns the names of packs with an index. A pack without an index is being written or removed. */
  #packNames(directory: string): Set<string> {
    const files = new Set(this.#context.fileSystem.list(directory)?.map((entry) => entry.name));
    const names = [...files].filter((name) => name.endsWith(".pack")).map((name) =>
      name.slice(0, -".pack".length)
    );
    return new Set(names.filter((name) => files.has(name + ".idx")));
  }

  /**
   * Returns whether loose objects may have been added since the last check, according to the mtimes of their
   * folders.
   */
  refreshLoose(): boolean {
    return this.#looseFolders.refresh();
  }

  /** Number of objects in the packs, without loose objects. */
  get objectCount(): number {
    if (this.#freshness === undefined) this.refresh();
    let count = 0;
    for (const { source } of this.#order) count += source.index.count;
    return count;
  }

  /** Yields the commits of all packs, see {@link Pack.commits}. */
  *commits(): Generator<StoredCommit> {
    if (this.#freshness === undefined) this.refresh();
    for (const pack of this.#order) {
      try {
        yield* pack.commits(pack.source.inOrder());
      } catch (error) {
        if (!(error instanceof PackGone)) throw error;
        this.#forget(pack);
      }
    }
  }

  close(): void {
    for (const pack of this.#packs.values()) pack.source.close();
  }

  /** Drops a pack whose file was removed. The next {@link refresh} reads the folder of packs again. */
  #forget(pack: HomePack): void {
    pack.source.close();
    this.#packs = new Map([...this.#packs].filter(([, other]) => other !== pack));
    this.#order = this.#order.filter((other) => other !== pack);
    this.#freshness = undefined;
  }
}

function isEqual(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((name) => b.has(name));
}

const FOLDERS = 256;

/**
 * The folders of loose objects with their mtimes. A repository has one folder for each first byte of an id.
 */
export class LooseFolders {
  readonly #path: string;
  readonly #context: StorageContext;
  /** The mtime of each folder, in milliseconds since the Unix epoch; `NaN` for a missing folder. */
  #mtimes: Float64Array | undefined;
  /** Time at which the last check began, in milliseconds since the Unix epoch. */
  #checkedMs = -Infinity;

  /** @param path Path of the `objects` directory. */
  constructor(path: string, context: StorageContext) {
    this.#path = path;
    this.#context = context;
  }

  /**
   * Checks all folders. Returns whether a folder may have changed since the last check. The result is always
   * `true` at the first check and shortly after a change.
   */
  refresh(): boolean {
    const { fileSystem, now } = this.#context;
    const nowMs = now();
    const mtimes = new Float64Array(FOLDERS);
    let hasChanged = this.#mtimes === undefined;
    for (let i = 0; i < FOLDERS; i++) {
      const name = i.toString(16).padStart(2, "0");
      const mtime = fileSystem.stat(`${this.#path}/${name}`)?.modifiedMs ?? NaN;
      mtimes[i] = mtime;
      hasChanged ||= !Object.is(mtime, this.#mtimes![i]) || mtime >= this.#checkedMs - SETTLING_MS;
    }
    this.#mtimes = mtimes;
    this.#checkedMs = nowMs;
    return hasChanged;
  }
}

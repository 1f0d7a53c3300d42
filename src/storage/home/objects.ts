/** All objects of a repository, its own and those it borrows, found even while `git gc` moves them about. */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Awaitable, GitObject, ObjectHeader, ReadLimits } from "../../ports/storage.ts";
import { readAlternates } from "./alternates.ts";
import { ObjectDirectory } from "./object_directory.ts";
import { PackGone } from "./pack_file.ts";
import { SlowObject } from "./slow_object.ts";
import type { Surroundings } from "./surroundings.ts";

/** How often an object is looked for while packs keep changing; each time takes a whole `git repack` between two file calls. */
export const MAX_LOOKS = 20;

/** How often loose objects that came are looked for, in milliseconds: takes half a millisecond. */
export const LOOSE_LOOK_MS = 1000;

/** The objects of a repository. */
export class Objects {
  readonly #surroundings: Surroundings;
  readonly #own: ObjectDirectory;
  #borrowed: readonly ObjectDirectory[] = [];
  #isDue = false;
  #version = 0;
  #lookedMs = -Infinity;
  #looks = 0;
  /** Slow objects that are being read, or wait to be. */
  readonly #reading = new Map<Oid, Promise<GitObject | undefined>>();

  /** @param path Path of the repository's `objects` directory. */
  constructor(path: string, surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#own = new ObjectDirectory(path, surroundings);
    this.#refreshAlternates();
  }

  /**
   * Kind and size of an object.
   *
   * @throws {DamagedError}
   */
  header(oid: Oid): ObjectHeader | undefined {
    return this.#look((directory) => directory.header(oid));
  }

  /**
   * An object: at once, as a rule, else a promise of it.
   *
   * @throws {DamagedError}
   */
  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined> {
    const busy = this.#surroundings.budget.next();
    if (busy !== undefined) return busy.then(() => this.object(oid, limits));
    const found = this.#look((directory) => directory.object(oid, limits));
    return found instanceof SlowObject ? this.#readSlowly(oid, found, limits) : found;
  }

  /** All who want the same slow object wait for it together. */
  #readSlowly(oid: Oid, slow: SlowObject, limits: ReadLimits | undefined): Promise<GitObject | undefined> {
    let reading = this.#reading.get(oid);
    if (reading === undefined) {
      reading = this.#followSlowly(oid, slow, limits).finally(() => this.#reading.delete(oid));
      this.#reading.set(oid, reading);
    }
    return reading;
  }

  /** What has moved meanwhile, or turned out damaged in one place, is looked for again. */
  async #followSlowly(
    oid: Oid,
    slow: SlowObject,
    limits: ReadLimits | undefined,
  ): Promise<GitObject | undefined> {
    const { slowReads } = this.#surroundings;
    for (let looks = 1;; looks++) {
      try {
        return await slowReads.read(this, slow);
      } catch (error) {
        const isWorthAnotherLook = error instanceof PackGone || error instanceof DamagedError;
        if (!isWorthAnotherLook || looks === MAX_LOOKS) throw error;
        const found = this.#look((directory) => directory.object(oid, limits));
        if (!(found instanceof SlowObject)) return found;
        if (error instanceof DamagedError && found.place === slow.place) throw error;
        slow = found;
      }
    }
  }

  /** Path of a file that holds an object, a pack perhaps. */
  file(oid: Oid): string | undefined {
    return this.#look((directory) => directory.file(oid));
  }

  /**
   * Notices packs and alternates that came or went, and gives up handles of those gone: some file calls that find nothing new, as a
   * rule. Tells whether an object not found before might be found now.
   */
  refresh(): boolean {
    this.#isDue = false;
    let hasChanged = this.#refreshAlternates();
    for (const directory of this.#directories) hasChanged = directory.refresh() || hasChanged;
    if (hasChanged) this.#version++;
    return hasChanged;
  }

  /**
   * A number that grows when objects may have come. Packs are noticed at once; of loose objects one directory is looked at every
   * {@link LOOSE_LOOK_MS}, the own one and those borrowed in turn.
   */
  version(): number {
    this.refresh();
    const nowMs = this.#surroundings.now();
    if (!(Math.abs(nowMs - this.#lookedMs) < LOOSE_LOOK_MS)) {
      this.#lookedMs = nowMs;
      const directories = this.#directories;
      if (directories[this.#looks++ % directories.length]!.refreshLoose()) this.#version++;
    }
    return this.#version;
  }

  /** Has {@link refresh} done before the next object is read: many requests read none. */
  refreshLater(): void {
    this.#isDue = true;
  }

  /** Memory that the indexes of all packs take, in bytes, about. */
  get memoryBytes(): number {
    let bytes = this.#own.memoryBytes;
    for (const directory of this.#borrowed) bytes += directory.memoryBytes;
    return bytes;
  }

  /** Gives up all handles. */
  close(): void {
    for (const directory of this.#directories) directory.close();
  }

  get #directories(): readonly ObjectDirectory[] {
    return [this.#own, ...this.#borrowed];
  }

  /**
   * An object that moves is always there, but perhaps never where it is looked for: packed and loose forms overlap in time, so after
   * a miss one look after the next change, at the latest, finds it.
   */
  #look<T>(inDirectory: (directory: ObjectDirectory) => T | undefined): T | undefined {
    if (this.#isDue) this.refresh();
    let damage: DamagedError | undefined;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      damage = undefined;
      for (const directory of this.#directories) {
        try {
          const found = inDirectory(directory);
          if (found !== undefined) return found;
        } catch (error) {
          if (!(error instanceof DamagedError)) throw error;
          damage ??= error;
        }
      }
      if (!this.refresh()) break;
    }
    if (damage !== undefined) throw damage;
    return undefined;
  }

  #refreshAlternates(): boolean {
    const paths = readAlternates(this.#surroundings.fileSystem, this.#own.path);
    const earlier = this.#borrowed;
    if (paths.length === earlier.length && paths.every((path, i) => path === earlier[i]?.path)) return false;
    this.#borrowed = paths.map((path) =>
      earlier.find((directory) => directory.path === path) ?? new ObjectDirectory(path, this.#surroundings)
    );
    for (const directory of earlier) if (!this.#borrowed.includes(directory)) directory.close();
    return true;
  }
}

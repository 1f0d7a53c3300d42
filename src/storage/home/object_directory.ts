/** One `objects` directory: loose objects and packs. */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { GitObject, ObjectHeader, ReadLimits } from "../../ports/storage.ts";
import { loosePath, readLooseHeader, readLooseObject } from "./loose.ts";
import { LooseFolders } from "./loose_folders.ts";
import type { Pack } from "./pack.ts";
import { PackGone } from "./pack_file.ts";
import { PackList } from "./pack_list.ts";
import type { SlowObject } from "./slow_object.ts";
import type { StorageContext } from "./storage_context.ts";

/** The objects of one directory, without its alternates. */
export class ObjectDirectory {
  readonly path: string;
  readonly #context: StorageContext;
  readonly #packs: PackList;
  readonly #looseFolders: LooseFolders;

  constructor(path: string, context: StorageContext) {
    this.path = path;
    this.#context = context;
    this.#packs = new PackList(path + "/pack", context);
    this.#looseFolders = new LooseFolders(path, context);
  }

  /**
   * Kind and size of an object.
   *
   * @throws {DamagedError} when every copy is damaged.
   */
  header(oid: Oid): ObjectHeader | undefined {
    const { fileSystem } = this.#context;
    return this.#look(
      oid,
      (pack, offset) => pack.header(offset),
      () => readLooseHeader(fileSystem, this.path, oid),
    );
  }

  /**
   * An object, or a slow object to be read in steps.
   *
   * @throws {DamagedError} when every copy is damaged.
   */
  object(oid: Oid, limits?: ReadLimits): GitObject | SlowObject | undefined {
    return this.#look(
      oid,
      (pack, offset) => pack.object(offset, limits),
      () => readLooseObject(this.#context, this.path, oid, limits),
    );
  }

  /** Path of a file with the object: its own or a pack. */
  file(oid: Oid): string | undefined {
    const loose = loosePath(this.path, oid);
    return this.#look(oid, (pack) => pack.path, () => this.#context.fileSystem.stat(loose) && loose);
  }

  /**
   * Checks the directory again, unless it is certainly unchanged. Returns whether a missing object might be
   * found now.
   */
  refresh(): boolean {
    return this.#packs.refresh();
  }

  /**
   * Returns whether loose objects may have been added since the last check, by the mtimes of their folders.
   */
  refreshLoose(): boolean {
    return this.#looseFolders.refresh();
  }

  /** Number of objects in packs. */
  get objectCount(): number {
    return this.#packs.objectCount;
  }

  /** Approximate memory of the packs' indexes, in bytes. */
  get memoryBytes(): number {
    return this.#packs.memoryBytes;
  }

  /** Closes all files. */
  close(): void {
    this.#packs.close();
  }

  /** Searches the packs first: their indexes are in memory, and the content is the same in every place. */
  #look<T>(oid: Oid, inPack: (pack: Pack, offset: number) => T, asLoose: () => T | undefined): T | undefined {
    let damage: DamagedError | undefined;
    for (const pack of this.#packs.packs) {
      try {
        const offset = pack.find(oid);
        if (offset === undefined) continue;
        const found = inPack(pack, offset);
        this.#packs.prefer(pack);
        return found;
      } catch (error) {
        if (error instanceof PackGone) this.#packs.forget(pack);
        else if (error instanceof DamagedError) damage ??= error;
        else throw error;
      }
    }
    const loose = asLoose();
    if (loose === undefined && damage !== undefined) throw damage;
    return loose;
  }
}

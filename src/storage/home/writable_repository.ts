/** A writable bare repository of a home. */
import { oidOf } from "../../git/encode.ts";
import { OBJECT_LIMITS } from "../../git/object_limits.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { WritableFileSystem } from "../../ports/file_system.ts";
import type { Committer, GitObject, RefChange, WritableRepository } from "../../ports/storage.ts";
import { checkRefChange } from "../ref_change.ts";
import { readCommitter } from "./committer.ts";
import { LooseWriter, type Writing } from "./loose_writer.ts";
import type { Pause } from "./ref_lock.ts";
import { RefWriter } from "./ref_writer.ts";
import { HomeRepository } from "./repository.ts";
import type { StorageContext } from "./storage_context.ts";

/** A repository that reads synchronously and writes to the disk. */
export class WritableHomeRepository extends HomeRepository implements WritableRepository {
  readonly #objects: LooseWriter;
  readonly #refs: RefWriter;
  readonly #fileSystem: WritableFileSystem;
  readonly #path: string;

  /** @param path Path of the repository. */
  constructor(
    rid: RepoId,
    path: string,
    context: StorageContext,
    writing: Writing & { readonly pause: Pause },
  ) {
    super(rid, path, context);
    this.#fileSystem = writing.fileSystem;
    this.#path = path;
    this.#objects = new LooseWriter(path + "/objects", writing);
    this.#refs = new RefWriter(path, this.refsNow, writing.fileSystem, writing.pause);
  }

  /** Objects beyond `OBJECT_LIMITS` are refused with a `RangeError`. */
  async writeObjects(objects: readonly GitObject[]): Promise<readonly Oid[]> {
    await this.#objects.write(this.#missing(objects));
    return objects.map(oidOf);
  }

  /** The objects that are not present. */
  #missing(objects: readonly GitObject[]): Map<Oid, GitObject> {
    const missing = new Map<Oid, GitObject>();
    for (const object of objects) {
      if (object.bytes.length > OBJECT_LIMITS[object.kind]) {
        throw new RangeError(`An object of ${object.bytes.length} bytes is too large`);
      }
      const oid = oidOf(object);
      if (!this.#keep(oid)) missing.set(oid, object);
    }
    return missing;
  }

  /** Whether an object is present and its mtime was set to now: `git gc` removes old unreferenced objects. */
  #keep(oid: Oid): boolean {
    const file = this.header(oid) === undefined ? undefined : this.objectFile(oid);
    return file !== undefined && this.#fileSystem.touch(file);
  }

  async updateRef(name: string, change: RefChange): Promise<boolean> {
    const missing = this.#missing(change.objects ?? []);
    checkRefChange((oid) => missing.has(oid) || this.header(oid) !== undefined, name, change);
    return await this.#refs.update(name, change, () => this.#objects.write(missing));
  }

  /**
   * The `user` of the repository's configuration: `radicle-node` writes the node there when it creates a
   * repository.
   */
  committer(): Committer | undefined {
    return readCommitter(this.#fileSystem, this.#path);
  }
}

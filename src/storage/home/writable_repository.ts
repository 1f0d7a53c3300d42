/** One bare repository of a home that can be changed. */
import { hashObject } from "../../git/encode_object.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { GitObject, RefChange, WritableRepository } from "../../ports/storage.ts";
import { checkRefChange } from "../ref_change.ts";
import { LooseWriter, type Writing } from "./loose_writer.ts";
import type { Pause } from "./ref_lock.ts";
import { RefWriter } from "./ref_writer.ts";
import { HomeRepository } from "./repository.ts";
import type { Surroundings } from "./surroundings.ts";
import { MAX_OBJECT_BYTES } from "./unpack.ts";

/** A repository that reads at once and writes to the disk. */
export class WritableHomeRepository extends HomeRepository implements WritableRepository {
  readonly #objects: LooseWriter;
  readonly #refs: RefWriter;

  /** @param path Path of the repository. */
  constructor(
    rid: RepoId,
    path: string,
    surroundings: Surroundings,
    writing: Writing & { readonly pause: Pause },
  ) {
    super(rid, path, surroundings);
    this.#objects = new LooseWriter(path + "/objects", writing);
    this.#refs = new RefWriter(path, this, writing.fileSystem, writing.pause);
  }

  /** Objects too large to be read, beyond `MAX_OBJECT_BYTES`, are refused with a `RangeError`. */
  async writeObjects(objects: readonly GitObject[]): Promise<Oid[]> {
    const missing = new Map<Oid, GitObject>();
    const oids = objects.map((object) => {
      if (object.bytes.length > MAX_OBJECT_BYTES) {
        throw new RangeError(`An object of ${object.bytes.length} bytes is too large`);
      }
      const oid = hashObject(object.kind, object.bytes);
      if (this.header(oid) === undefined) missing.set(oid, object);
      else this.#objects.refresh(oid);
      return oid;
    });
    await this.#objects.write(missing);
    return oids;
  }

  async updateRef(name: string, change: RefChange): Promise<boolean> {
    checkRefChange(this, name, change);
    return await this.#refs.update(name, change);
  }
}

/** A repository that counts what is read from it, and may refuse to be read further. */
import type { Pause } from "../diff/plan.ts";
import type { Oid } from "../ids/oid.ts";
import type { BatchLimits, GitObject, ObjectHeader, Repository } from "../ports/storage.ts";
import { PassingRepository } from "./recent_blobs.ts";

/** What even an empty object counts, in bytes: to find one takes as long as to compare so many. */
export const MIN_OBJECT_COST = 1024;

/** What may be read, in bytes. */
export interface ReadLimits {
  /** Trees read and blobs asked for, {@link MIN_OBJECT_COST} for each at least. */
  readonly bytes: number;
  /** Any one blob. */
  readonly blobBytes: number;
}

/** More would have been read than was allowed. */
export class ReadLimitError extends Error {
  override readonly name = "ReadLimitError";
}

/** Reads a repository up to a limit. */
export class MeteredRepository extends PassingRepository {
  readonly #limits: ReadLimits | undefined;
  readonly #pause: Pause | undefined;
  #asked = 0;
  #read = 0;

  /** @param pause Called before objects are read. */
  constructor(repository: Repository, limits?: ReadLimits, pause?: Pause) {
    super(repository);
    this.#limits = limits;
    this.#pause = pause;
  }

  /** Bytes of objects that were read. */
  get readBytes(): number {
    return this.#read;
  }

  /** @throws {ReadLimitError} before a blob beyond the limit is read: whoever reads blobs looks at their size first. */
  async header(oid: Oid): Promise<ObjectHeader | undefined> {
    const header = await this.repository.header(oid);
    const size = header?.size ?? 0;
    if (this.#limits !== undefined && size > this.#limits.blobBytes) {
      throw new ReadLimitError("Too large to be read");
    }
    this.#ask(size);
    return header;
  }

  /** @throws {ReadLimitError} when trees go beyond the limit; none is read that does so by itself. */
  async objects(oids: readonly Oid[], limits?: BatchLimits): Promise<readonly (GitObject | undefined)[]> {
    const pausing = this.#pause?.();
    if (pausing !== undefined) await pausing;
    const limitBytes = this.#limits?.bytes;
    const objects = await this.repository.objects(
      oids,
      limitBytes === undefined ? limits : { ...limits, limitBytes },
    );
    for (const [i, object] of objects.entries()) {
      if (object === undefined && limitBytes !== undefined) {
        const header = await this.repository.header(oids[i]!);
        if ((header?.size ?? 0) > limitBytes) throw new ReadLimitError("Too large to be read");
      }
      this.#read += object?.bytes.length ?? 0;
      if (object?.kind === "tree") this.#ask(object.bytes.length);
    }
    return objects;
  }

  #ask(bytes: number): void {
    this.#asked += Math.max(bytes, MIN_OBJECT_COST);
    if (this.#limits !== undefined && this.#asked > this.#limits.bytes) {
      throw new ReadLimitError("Too much to be read");
    }
  }
}

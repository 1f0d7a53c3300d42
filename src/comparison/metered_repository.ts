/** A repository that counts what is read from it, and may refuse to be read further. */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { GitObject, ObjectHeader, Ref, Repository } from "../ports/storage.ts";

/** What even an empty object counts, in bytes. */
export const MIN_OBJECT_COST = 256;

/** More would have been read than was allowed. */
export class ReadLimitError extends Error {
  override readonly name = "ReadLimitError";
}

/** Reads a repository up to a limit. */
export class MeteredRepository implements Repository {
  readonly #repository: Repository;
  readonly #limitBytes: number;
  #asked = 0;
  #read = 0;

  /** @param limitBytes Bytes of trees read and of blobs asked for, {@link MIN_OBJECT_COST} for each at least. */
  constructor(repository: Repository, limitBytes = Infinity) {
    this.#repository = repository;
    this.#limitBytes = limitBytes;
  }

  /** Bytes of objects that were read. */
  get readBytes(): number {
    return this.#read;
  }

  get rid(): RepoId {
    return this.#repository.rid;
  }

  async ref(name: string): Promise<Ref | undefined> {
    return await this.#repository.ref(name);
  }

  async refs(prefix: string): Promise<readonly Ref[]> {
    return await this.#repository.refs(prefix);
  }

  /** @throws {ReadLimitError} before a blob beyond the limit is read: whoever reads blobs looks at their size first. */
  async header(oid: Oid): Promise<ObjectHeader | undefined> {
    const header = await this.#repository.header(oid);
    this.#ask(header?.size ?? 0);
    return header;
  }

  async object(oid: Oid): Promise<GitObject | undefined> {
    return (await this.objects([oid]))[0];
  }

  /** @throws {ReadLimitError} after a tree beyond the limit was read. */
  async objects(oids: readonly Oid[]): Promise<readonly (GitObject | undefined)[]> {
    const objects = await this.#repository.objects(oids);
    for (const object of objects) {
      this.#read += object?.bytes.length ?? 0;
      if (object?.kind === "tree") this.#ask(object.bytes.length);
    }
    return objects;
  }

  #ask(bytes: number): void {
    this.#asked += Math.max(bytes, MIN_OBJECT_COST);
    if (this.#asked > this.#limitBytes) throw new ReadLimitError("Too much to be read");
  }
}

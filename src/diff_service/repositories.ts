/** A wrapper of a repository that counts the bytes read. */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type {
  Awaitable,
  BatchLimits,
  GitObject,
  ObjectHeader,
  ReadLimits,
  Ref,
  Repository,
} from "../ports/storage.ts";

/** Forwards all calls, and counts the bytes of objects that were read. */
export class CountingRepository implements Repository {
  readonly #repository: Repository;
  #bytes = 0;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  get readBytes(): number {
    return this.#bytes;
  }

  get rid(): RepoId {
    return this.#repository.rid;
  }

  ref(name: string): Awaitable<Ref | undefined> {
    return this.#repository.ref(name);
  }

  refs(prefix: string): Awaitable<readonly Ref[]> {
    return this.#repository.refs(prefix);
  }

  header(oid: Oid): Awaitable<ObjectHeader | undefined> {
    return this.#repository.header(oid);
  }

  async object(oid: Oid, limits?: ReadLimits): Promise<GitObject | undefined> {
    return this.#count(await this.#repository.object(oid, limits));
  }

  async objects(oids: readonly Oid[], limits?: BatchLimits): Promise<readonly (GitObject | undefined)[]> {
    const objects = await this.#repository.objects(oids, limits);
    for (const object of objects) this.#count(object);
    return objects;
  }

  #count(object: GitObject | undefined): GitObject | undefined {
    this.#bytes += object?.bytes.length ?? 0;
    return object;
  }
}

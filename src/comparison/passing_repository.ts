/** A repository seen through something that looks at what is read. */
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

/** Passes on what is asked of a repository; those that extend it look at headers, and at all objects. */
export abstract class PassingRepository implements Repository {
  protected readonly repository: Repository;

  constructor(repository: Repository) {
    this.repository = repository;
  }

  get rid(): RepoId {
    return this.repository.rid;
  }

  ref(name: string): Awaitable<Ref | undefined> {
    return this.repository.ref(name);
  }

  refs(prefix: string): Awaitable<readonly Ref[]> {
    return this.repository.refs(prefix);
  }

  /** One that cannot be read is asked for again, by itself: then it tells why. */
  async object(oid: Oid, limits?: ReadLimits): Promise<GitObject | undefined> {
    return (await this.objects([oid], limits))[0] ?? await this.repository.object(oid, limits);
  }

  abstract header(oid: Oid): Awaitable<ObjectHeader | undefined>;
  abstract objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]>;
}

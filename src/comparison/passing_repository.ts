/** A repository seen through something that looks at what is read. */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable, GitObject, ObjectHeader, Ref, Repository } from "../ports/storage.ts";

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

  async object(oid: Oid): Promise<GitObject | undefined> {
    return (await this.objects([oid]))[0];
  }

  abstract header(oid: Oid): Awaitable<ObjectHeader | undefined>;
  abstract objects(oids: readonly Oid[]): Awaitable<readonly (GitObject | undefined)[]>;
}

/** Wrappers of repositories: one caches recently read blobs, one counts the bytes read. */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory, smallTable } from "../cache/memory.ts";
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

/** Forwards all calls. Subclasses override the calls for headers and for batches of objects. */
abstract class PassingRepository implements Repository {
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

  /** Reads an object in a batch of one. An unreadable object is read again by itself, for its error. */
  async object(oid: Oid, limits?: ReadLimits): Promise<GitObject | undefined> {
    return (await this.objects([oid], limits))[0] ?? await this.repository.object(oid, limits);
  }

  abstract header(oid: Oid): Awaitable<ObjectHeader | undefined>;
  abstract objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]>;
}

/** Largest share of a repository's cache for one blob. */
const LARGEST_SHARE = 1 / 8;

/** Memory of a cached blob in addition to its bytes, approximately. */
const BLOB_BYTES = 256;

type Objects = LruMap<Oid, GitObject>;

/**
 * Caches blobs of a few repositories. A file that one commit changed is often changed by the next commit,
 * too, and `files` shows blobs that were compared.
 */
export class RecentBlobs {
  readonly #memory: Memory;
  readonly #repositories = smallTable<RepoId, Objects>("recentRepositories");

  constructor(memory: Memory = new Memory()) {
    this.#memory = memory;
  }

  /** A wrapper of the repository that caches the blobs read. */
  of(repository: Repository): Repository {
    const memory = this.#memory;
    const blobs = this.#repositories.getOrMake(
      repository.rid,
      () => memory.map("recentBlobs", ({ bytes }) => bytes.length + BLOB_BYTES),
    );
    return new CachingRepository(repository, blobs, memory.share("recentBlobs") * LARGEST_SHARE);
  }
}

class CachingRepository extends PassingRepository {
  readonly #blobs: Objects;
  readonly #largestBytes: number;

  constructor(repository: Repository, blobs: Objects, largestBytes: number) {
    super(repository);
    this.#blobs = blobs;
    this.#largestBytes = largestBytes;
  }

  header(oid: Oid): Awaitable<ObjectHeader | undefined> {
    const cached = this.#blobs.get(oid);
    return cached ? { kind: cached.kind, size: cached.bytes.length } : this.repository.header(oid);
  }

  async objects(oids: readonly Oid[], limits?: BatchLimits): Promise<readonly (GitObject | undefined)[]> {
    const cached = oids.map((oid) => this.#blobs.get(oid));
    const missing = oids.filter((_, i) => cached[i] === undefined);
    if (missing.length === 0) return cached;
    const read = await this.repository.objects(missing, limits);
    const objects: (GitObject | undefined)[] = [];
    let next = 0;
    for (const [i, oid] of oids.entries()) {
      // The batch may have been cut short.
      if (cached[i] === undefined && next === read.length) break;
      objects.push(cached[i] ?? this.#cache(oid, read[next++]));
    }
    return objects;
  }

  #cache(oid: Oid, object: GitObject | undefined): GitObject | undefined {
    if (object?.kind !== "blob" || object.bytes.length > this.#largestBytes) return object;
    const shared = { kind: object.kind, bytes: object.bytes };
    this.#blobs.set(oid, shared);
    return shared;
  }
}

/** Counts the bytes of objects that were read. */
export class CountingRepository extends PassingRepository {
  #bytes = 0;

  get readBytes(): number {
    return this.#bytes;
  }

  header(oid: Oid): Awaitable<ObjectHeader | undefined> {
    return this.repository.header(oid);
  }

  async objects(oids: readonly Oid[], limits?: BatchLimits): Promise<readonly (GitObject | undefined)[]> {
    const objects = await this.repository.objects(oids, limits);
    for (const object of objects) this.#bytes += object?.bytes.length ?? 0;
    return objects;
  }
}

/**
 * Repositories seen through a wrapper: one keeps the blobs that were read of late, one counts the bytes read.
 */
import { LruMap } from "../cache/lru_map.ts";
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

/** Passes on all calls. Those that extend it see headers, and all objects. */
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

  /** One that cannot be read is asked for again, by itself: then it tells why. */
  async object(oid: Oid, limits?: ReadLimits): Promise<GitObject | undefined> {
    return (await this.objects([oid], limits))[0] ?? await this.repository.object(oid, limits);
  }

  abstract header(oid: Oid): Awaitable<ObjectHeader | undefined>;
  abstract objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]>;
}

/** Repositories of which blobs are kept, and bytes kept of each at most. */
export const [RECENT_REPOSITORIES, RECENT_BYTES] = [4, 2 * 2 ** 20];

/** No blob takes more than this share of the bytes. */
const LARGEST_SHARE = 1 / 8;

/** Memory that a blob takes beside its bytes, about. */
const BLOB_BYTES = 256;

type Objects = LruMap<Oid, GitObject>;

/**
 * Keeps blobs of a few repositories: a file that one commit has changed is often changed by the next one,
 * too, and files are shown after they were compared.
 */
export class RecentBlobs {
  readonly #repositories = new LruMap<RepoId, Objects>(RECENT_REPOSITORIES);

  /** The same repository, of which what blobs were read is kept for a while. */
  of(repository: Repository): Repository {
    const { rid } = repository;
    let known = this.#repositories.get(rid);
    if (known === undefined) {
      known = new LruMap(RECENT_BYTES, ({ bytes }) => bytes.length + BLOB_BYTES);
      this.#repositories.set(rid, known);
    }
    return new RememberingRepository(repository, known);
  }
}

class RememberingRepository extends PassingRepository {
  readonly #known: Objects;

  constructor(repository: Repository, known: Objects) {
    super(repository);
    this.#known = known;
  }

  header(oid: Oid): Awaitable<ObjectHeader | undefined> {
    const known = this.#known.get(oid);
    return known ? { kind: known.kind, size: known.bytes.length } : this.repository.header(oid);
  }

  async objects(oids: readonly Oid[], limits?: BatchLimits): Promise<readonly (GitObject | undefined)[]> {
    const known = oids.map((oid) => this.#known.get(oid));
    const missing = oids.filter((_, i) => known[i] === undefined);
    if (missing.length === 0) return known;
    const read = await this.repository.objects(missing, limits);
    const objects: (GitObject | undefined)[] = [];
    let next = 0;
    for (const [i, oid] of oids.entries()) {
      // The batch may have been cut short.
      if (known[i] === undefined && next === read.length) break;
      objects.push(known[i] ?? this.#keep(oid, read[next++]));
    }
    return objects;
  }

  #keep(oid: Oid, object: GitObject | undefined): GitObject | undefined {
    if (object?.kind === "blob" && object.bytes.length <= RECENT_BYTES * LARGEST_SHARE) {
      this.#known.set(oid, object);
    }
    return object;
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

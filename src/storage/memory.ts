/**
 * A storage in memory, for tests, examples and programs that embed the service. Unlike other storages, it has
 * methods that add content.
 */
import { unstoredHeader, unstoredObject } from "../git/empty_tree.ts";
import { hashObject } from "../git/encode.ts";
import { checkObjectSize, readBatch } from "../git/objects.ts";
import type { Oid } from "../ids/oid.ts";
import { isRefname } from "../ids/refname.ts";
import type { RepoId } from "../ids/rid.ts";
import type {
  BatchLimits,
  GitObject,
  ObjectHeader,
  ObjectKind,
  ReadLimits,
  Ref,
  RefChange,
  Storage,
  WritableRepository,
} from "../ports/storage.ts";
import { compareUtf8 } from "../text/utf8.ts";
import { RefTable } from "../git/references.ts";
import { isStoredName } from "../ids/refname.ts";
import { checkRefChange, checkRefPlace } from "./ref_names.ts";

/** A storage whose repositories are created with {@link MemoryStorage.create}. */
export interface MemoryStorage extends Storage {
  repositoryIds(): readonly RepoId[];
  repository(rid: RepoId): MemoryRepository | undefined;
  /**
   * Returns the repository with this id. If the repository does not exist, an empty repository is created.
   */
  create(rid: RepoId): MemoryRepository;
  /** Removes a repository, if it exists. */
  delete(rid: RepoId): void;
}

/** A repository to which objects and references can be added. All methods are synchronous. */
export interface MemoryRepository extends WritableRepository {
  ref(name: string): Ref | undefined;
  refs(prefix: string): readonly Ref[];
  header(oid: Oid): ObjectHeader | undefined;
  object(oid: Oid, limits?: ReadLimits): GitObject | undefined;
  objects(oids: readonly Oid[], limits?: BatchLimits): readonly (GitObject | undefined)[];
  objectsVersion(): number;
  refsVersion(): number;
  writeObjects(objects: readonly GitObject[]): readonly Oid[];
  updateRef(name: string, change: RefChange): boolean;
  /** Stores a copy of the content of an object, without validation, and returns the id of the object. */
  put(kind: ObjectKind, bytes: Uint8Array): Oid;
  /**
   * Points a reference (`HEAD` or `refs/…`) to an object, which need not exist.
   *
   * @throws {TypeError} when the name is invalid.
   */
  setRef(name: string, oid: Oid): void;
  /**
   * Points a reference (`HEAD` or `refs/…`) to another reference, which need not exist.
   *
   * @throws {TypeError} when one of the names is invalid.
   */
  setSymbolicRef(name: string, target: string): void;
  /** Removes a reference, if it exists. */
  deleteRef(name: string): void;
}

/**
 * Creates an empty storage.
 *
 * @example
 * ```ts
 * const repository = createMemoryStorage().create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
 * const readme = repository.put("blob", new TextEncoder().encode("Hello"));
 * ```
 */
export function createMemoryStorage(): MemoryStorage {
  const repositories = new Map<RepoId, MemoryRepository>();
  return {
    repositoryIds: () => [...repositories.keys()],
    repository: (rid) => repositories.get(rid),
    create(rid) {
      const repository = repositories.get(rid) ?? createRepository(rid);
      repositories.set(rid, repository);
      return repository;
    },
    delete: (rid) => void repositories.delete(rid),
  };
}

function createRepository(rid: RepoId): MemoryRepository {
  const objects = new Map<Oid, GitObject>();
  const refs = new Map<string, Ref>();
  let refsVersion = 0;
  let table: RefTable | undefined;
  const noteChange = () => {
    refsVersion++;
    table = undefined;
  };
  const set = (ref: Ref) => {
    refs.set(ref.name, ref);
    noteChange();
  };
  const repository: MemoryRepository = {
    rid,
    ref: (name) => refs.get(name),
    refs(prefix) {
      table ??= new RefTable([...refs.values()].sort((a, b) => compareUtf8(a.name, b.name)));
      return table.list(prefix);
    },
    header(oid) {
      const object = objects.get(oid);
      return object ? { kind: object.kind, size: object.bytes.length } : unstoredHeader(oid);
    },
    object(oid, limits) {
      const object = objects.get(oid) ?? unstoredObject(oid);
      if (object !== undefined) checkObjectSize({ kind: object.kind, size: object.bytes.length }, limits);
      return object;
    },
    objects: (oids, limits) => readBatch((oid) => repository.object(oid, limits), oids, limits),
    objectsVersion: () => objects.size,
    refsVersion: () => refsVersion,
    writeObjects: (written) => written.map(({ kind, bytes }) => repository.put(kind, bytes)),
    updateRef(name, change) {
      repository.writeObjects(change.objects ?? []);
      checkRefChange((oid) => repository.header(oid) !== undefined, name, change);
      const present = refs.get(name);
      if (present?.oid !== change.from || present?.target !== undefined) return false;
      checkRefPlace(repository, name);
      set({ name, oid: change.to });
      return true;
    },
    put(kind, bytes) {
      const oid = hashObject(kind, bytes);
      if (!objects.has(oid)) objects.set(oid, { kind, bytes: bytes.slice() });
      return oid;
    },
    setRef(name, oid) {
      checkName(name);
      set({ name, oid });
    },
    setSymbolicRef(name, target) {
      checkName(name);
      if (!isRefname(target)) throw new TypeError(`"${target}" cannot be the name of a reference`);
      set({ name, target });
    },
    deleteRef(name) {
      if (refs.delete(name)) noteChange();
    },
  };
  return repository;
}

function checkName(name: string): void {
  if (!isStoredName(name)) {
    throw new TypeError(`"${name}" cannot be the name of a reference: expected HEAD or refs/…`);
  }
}

/**
 * Storage of repositories. A host provides its own storage by implementing `Storage` and `Repository`. The
 * core builds history, statistics, diffs, identity and collaborative objects on top. Local storages return
 * values, remote storages return promises.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { DerivedData } from "./derived_data.ts";
import type { HistoryColumns } from "./made_history.ts";

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** The four kinds of git objects. */
export type ObjectKind = "commit" | "tree" | "blob" | "tag";

/** Kind and size of an object, known before its content is read. */
export interface ObjectHeader {
  readonly kind: ObjectKind;
  /** Length of the content in bytes. */
  readonly size: number;
}

/**
 * A git object: its kind, and its content without git's object header. The bytes belong to the storage: never
 * write to them.
 */
export interface GitObject {
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
  /**
   * Releases the bytes, which the caller must not use afterwards. Their memory is freed at once, or when no
   * cache and no other reader holds them. Present on large objects, one for each reader. Calling it is never
   * necessary. Code that stores the object must remove this method.
   */
  readonly release?: () => void;
}

/** Limits of a read; a storage without support for them may read more. */
export interface ReadLimits {
  /** Maximum size of the content in bytes. Default and upper bound: `OBJECT_LIMITS` of the object's kind. */
  readonly limitBytes?: number;
}

/** Limits of a batch of objects. */
export interface BatchLimits extends ReadLimits {
  /**
   * The batch may end with the object at which the total size reaches this many bytes; it then has fewer
   * objects than ids.
   */
  readonly batchBytes?: number;
}

/** The start of a commit, as stored. */
export interface StoredCommit {
  /** The 20 bytes of its id. */
  readonly oid: Uint8Array;
  /**
   * The first bytes of its content, or all; valid until the next commit is read. Choice: the rest is not
   * read, so a commit may be damaged there. Such a commit belongs to histories, but cannot be shown.
   */
  readonly start: Uint8Array;
}

/** A reference: either an object id (`oid`) or the name of another reference (`target`). */
export type Ref =
  | { readonly name: string; readonly oid: Oid; readonly target?: undefined }
  | { readonly name: string; readonly target: string; readonly oid?: undefined };

/** The repositories of a host. */
export interface Storage {
  /**
   * Lists the ids of all repositories, in any order. Files and folders that cannot be repositories are left
   * out.
   */
  repositoryIds(): Awaitable<readonly RepoId[]>;
  /**
   * Opens a repository; `undefined` when the storage has none with this id. Called for every request: keep it
   * cheap.
   */
  repository(rid: RepoId): Awaitable<Repository | undefined>;
}

/**
 * The references and objects of a repository. Every call returns the current references, but a list may show
 * changes by other programs up to a second late. Objects never change. Absent references and objects are
 * `undefined`, except for the tree without entries (`4b825dc642cb6eb9a060e54bf8d69288fbee4904`): as in git,
 * every repository has it, whether it is stored or not. Damaged references and objects throw `DamagedError`;
 * objects beyond the limits of a read throw `TooLargeError`.
 */
export interface Repository {
  readonly rid: RepoId;
  /**
   * Reads one reference by its full name (`HEAD`, `refs/heads/main`); symbolic references are not followed.
   */
  ref(name: string): Awaitable<Ref | undefined>;
  /**
   * Lists the references below `prefix` (if it ends in `/`) or with exactly this name (if it does not), in
   * bytewise order of their names. A component `*` of the prefix matches any one component, as in
   * `refs/namespaces/<star>/refs/rad/sigrefs` with `*` for `<star>`. A returned array never changes. Return
   * the same array while no reference has changed: callers then need not process it again.
   */
  refs(prefix: string): Awaitable<readonly Ref[]>;
  /** Reads the kind and the size of an object. */
  header(oid: Oid): Awaitable<ObjectHeader | undefined>;
  /**
   * Reads an object. A storage checks the size first, so that an object beyond the limits costs neither time
   * nor memory.
   */
  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined>;
  /**
   * Reads several objects, in the order of the ids. It returns at least one object. It returns fewer objects
   * than ids if `batchBytes` is reached. A damaged or too large object is `undefined` and does not affect the
   * others; reading it alone throws the error.
   */
  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]>;
  /**
   * A version number that changes when objects may have been added. While it is the same, absent and damaged
   * objects need not be read again. It may lag behind by a second or two. Called very often: keep it cheap.
   * Without this method, a few of the missing objects are looked up again each time.
   */
  objectsVersion?(): Awaitable<number>;
  /**
   * A version number that changes when references may have changed, `HEAD` among them. While it is the same,
   * references that were read after it need not be read again. A write into the existing file of a reference
   * may be missed: git and all Radicle programs replace the file. Much cheaper than a list.
   */
  refsVersion?(): Awaitable<number>;
  /**
   * Commits at which histories end, because the storage lacks their parents on purpose (git's file
   * `shallow`). Return the same set while nothing has changed: callers then need not process it again. Called
   * for every request: keep it cheap. None by default.
   */
  shallowCommits?(): Awaitable<ReadonlySet<Oid>>;
  /**
   * The approximate number of objects, known without reading them. A storage that workers can open has this
   * method: a worker then reads long histories.
   */
  objectCount?(): Awaitable<number>;
  /**
   * Commits in the order in which they are stored. The caller must not await anything before the last one.
   * Commits may be left out, and a commit may occur twice. For storages where this is faster than reading
   * commits by their ids.
   */
  storedCommits?(): Iterable<StoredCommit>;
  /**
   * Commits with all their ancestors from a table that the storage has, such as git's commit-graph file, for
   * storages where this is much faster than reading commits. The table may lack newer commits and all
   * authors. The columns belong to the caller. `undefined` when there is no table, or it is damaged.
   */
  commitTable?(): Awaitable<HistoryColumns | undefined>;
  /** Results that were computed elsewhere from this repository; none by default. */
  readonly derived?: DerivedData;
}

/** A change of a reference. */
export interface RefChange {
  /** The object that the reference points to now; `undefined` when the reference must not exist yet. */
  readonly from: Oid | undefined;
  readonly to: Oid;
  /**
   * Objects to write before the change, as in {@link WritableRepository.writeObjects}. They are durable
   * before the reference points to them.
   */
  readonly objects?: readonly GitObject[];
}

/**
 * A writable repository. A resolved call is durable: it survives a crash of the machine as far as the storage
 * can guarantee it, and every later call sees it. All calls may throw `WriteError` when the storage cannot be
 * written to.
 */
export interface WritableRepository extends Repository {
  /**
   * Writes objects; existing objects are left as they are. The content is not validated. Objects that are not
   * reachable from a reference may be removed later.
   *
   * @returns Their ids, in the order of the objects.
   */
  writeObjects(objects: readonly GitObject[]): Awaitable<readonly Oid[]>;
  /**
   * Points a reference (`refs/…`) to an object by compare-and-swap.
   *
   * @returns Whether the reference had the expected value. If not (a symbolic reference never has), the
   *   reference is unchanged, although objects may have been written: read it again and decide again.
   * @throws {TypeError} when the name is invalid, or the object neither exists nor comes with the change.
   * @throws {WriteError} `conflict` when the name of another reference is a parent folder of this name, or
   *   the reverse.
   */
  updateRef(name: string, change: RefChange): Awaitable<boolean>;
  /** The committer for new commits, if the storage configures one. */
  committer?(): Awaitable<Committer | undefined>;
}

/** Name and email address of a committer. */
export interface Committer {
  readonly name: string;
  readonly email: string;
}

/** Whether a repository is writable; a storage may return read-only ones. */
export function isWritable(repository: Repository): repository is WritableRepository {
  return "writeObjects" in repository && "updateRef" in repository;
}

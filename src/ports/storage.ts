/**
 * Storage of repositories. A host provides its own storage by implementing `Storage` and `Repository`. The
 * core computes history, statistics, diffs, identities, issues and patches from the references and objects.
 * Local storages return values. Remote storages return promises.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { DerivedData } from "./derived_data.ts";
import type { HistoryColumns } from "./made_history.ts";

/** A value, or a promise that resolves with the value. */
export type Awaitable<T> = T | Promise<T>;

/** The four kinds of git objects. */
export type ObjectKind = "commit" | "tree" | "blob" | "tag";

/** Kind and size of an object, which are known before its content is read. */
export interface ObjectHeader {
  readonly kind: ObjectKind;
  /** Length of the content, in bytes. */
  readonly size: number;
}

/**
 * A git object: its kind, and its content without git's object header. The bytes belong to the storage, so
 * callers must never change them.
 */
export interface GitObject {
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
  /**
   * Releases the bytes, which the caller must not use afterwards. Their memory is freed when neither a cache
   * nor another reader uses the bytes any more. Only large objects have this method. Calling the method is
   * optional. Code that stores the object must remove the method.
   */
  readonly release?: () => void;
}

/** Limits of a read. A storage that does not support limits may read more. */
export interface ReadLimits {
  /** Maximum size of the content, in bytes. Default and upper bound: `OBJECT_LIMITS` of the object's kind. */
  readonly limitBytes?: number;
}

/** Limits of a batch of objects. */
export interface BatchLimits extends ReadLimits {
  /**
   * Total size at which the batch may end, in bytes. The object that reaches this size may be the last of the
   * batch, which then has fewer objects than ids.
   */
  readonly batchBytes?: number;
}

/** The first bytes of a stored commit. */
export interface StoredCommit {
  /** The 20 bytes of the id of the commit. */
  readonly oid: Uint8Array;
  /**
   * The first bytes of the content of the commit, or the whole content. The bytes are valid until the next
   * commit is read. Choice: The rest of the commit is not read, so it may be damaged. A commit with a damaged
   * rest is part of histories, but cannot be shown.
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
   * Opens a repository; `undefined` when the storage has no repository with this id. This method must be
   * fast, because it is called for every request.
   */
  repository(rid: RepoId): Awaitable<Repository | undefined>;
}

/**
 * The references and objects of a repository. Every call returns the current references, but a list may show
 * changes by other programs up to a second late. A missing reference or object is `undefined`, except for the
 * tree without entries (`4b825dc642cb6eb9a060e54bf8d69288fbee4904`), which every repository has, whether the
 * tree is stored or not, as in git. A damaged reference or object throws `DamagedError`. An object that
 * exceeds the limits of a read throws `TooLargeError`.
 */
export interface Repository {
  readonly rid: RepoId;
  /**
   * Reads one reference by its full name (`HEAD`, `refs/heads/main`). Symbolic references are not followed.
   */
  ref(name: string): Awaitable<Ref | undefined>;
  /**
   * Lists references in bytewise order of their names. If `prefix` ends in `/`, lists the references below
   * `prefix`. Otherwise lists the reference with exactly this name. A component `*` of the prefix matches any
   * single component, as in `refs/namespaces/<star>/refs/rad/sigrefs` with `*` for `<star>`. A returned array
   * never changes. Implementations should return the same array while no reference has changed, so that
   * callers need not process it again.
   */
  refs(prefix: string): Awaitable<readonly Ref[]>;
  /** Reads the kind and the size of an object. */
  header(oid: Oid): Awaitable<ObjectHeader | undefined>;
  /**
   * Reads an object. A storage should check the size before it reads the content, so that an object that
   * exceeds the limits costs neither time nor memory.
   */
  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined>;
  /**
   * Reads several objects, in the order of the ids. The result has at least one object. If `batchBytes` is
   * reached, the result has fewer objects than ids. An object that is missing, damaged or too large is
   * `undefined`. To get the error of such an object, call {@link object}.
   */
  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]>;
  /**
   * Returns a version number that changes when objects may have been added. While the number stays the same,
   * missing and damaged objects need not be read again. The number may change a second or two late. This
   * method must be fast, because it is called very often. Without this method, a few of the missing objects
   * are looked up again each time.
   */
  objectsVersion?(): Awaitable<number>;
  /**
   * Returns a version number that changes when references, including `HEAD`, may have changed. While the
   * number stays the same, references that were read after the number was read need not be read again. If a
   * program writes into the existing file of a reference, which git and the Radicle programs never do, the
   * number may stay the same. This method must be much faster than listing the references.
   */
  refsVersion?(): Awaitable<number>;
  /**
   * Returns the commits at which histories end, because the storage does not contain their parents on purpose
   * (git's file `shallow`). Implementations should return the same set while nothing has changed, so that
   * callers need not process the set again. This method must be fast, because it is called for every request.
   * Without this method, there are no such commits.
   */
  shallowCommits?(): Awaitable<ReadonlySet<Oid>>;
  /**
   * Returns the approximate number of objects, without reading them. Only a storage that workers can open has
   * this method. A worker then reads long histories.
   */
  objectCount?(): Awaitable<number>;
  /**
   * Yields commits in the order in which they are stored, if this is faster than reading commits by their
   * ids. The caller must not await anything before the last commit. Commits may be left out, and a commit may
   * occur twice.
   */
  storedCommits?(): Iterable<StoredCommit>;
  /**
   * Returns commits with all their ancestors from a table that the storage has, such as git's commit-graph
   * file. This method is for storages where it is much faster than reading the commits one by one. The table
   * may lack newer commits, all authors, and all changed paths. The columns belong to the caller. Returns
   * `undefined` when there is no table, or it is damaged.
   */
  commitTable?(): Awaitable<HistoryColumns | undefined>;
  /** Results that another process has computed from this repository; none by default. */
  readonly derived?: DerivedData;
}

/** A change of a reference. */
export interface RefChange {
  /**
   * The object to which the reference points before the change; `undefined` when the reference must not exist
   * yet.
   */
  readonly from: Oid | undefined;
  readonly to: Oid;
  /**
   * Objects to write before the change, as in {@link WritableRepository.writeObjects}. The objects must be
   * durable before the reference points to them.
   */
  readonly objects?: readonly GitObject[];
}

/**
 * A writable repository. When a call resolves, the change is durable: it survives a crash of the machine as
 * far as the storage can guarantee this, and every later call sees the change. All calls may throw
 * `WriteError` when the storage cannot be written to.
 */
export interface WritableRepository extends Repository {
  /**
   * Writes objects. Existing objects are not changed. The content is not validated. Objects that are not
   * reachable from a reference may be removed later.
   *
   * @returns The ids of the objects, in the same order.
   */
  writeObjects(objects: readonly GitObject[]): Awaitable<readonly Oid[]>;
  /**
   * Changes the object to which a reference (`refs/…`) points, by compare-and-swap.
   *
   * @returns Whether the reference pointed to `from`, and was changed. If not, the objects may still have
   *   been written. The caller must then read the reference again and decide again whether to change it. A
   *   symbolic reference is never changed.
   * @throws {TypeError} when the name is invalid, or the new object neither exists nor is among `objects`.
   * @throws {WriteError} `conflict` when the name of another reference is a parent folder of this name, or
   *   the reverse.
   */
  updateRef(name: string, change: RefChange): Awaitable<boolean>;
  /** Returns the committer for new commits; `undefined` if none is configured in the storage. */
  committer?(): Awaitable<Committer | undefined>;
}

/** Name and email address of a committer. */
export interface Committer {
  readonly name: string;
  readonly email: string;
}

/** Checks whether a repository is writable. A storage may return read-only repositories. */
export function isWritable(repository: Repository): repository is WritableRepository {
  return "writeObjects" in repository && "updateRef" in repository;
}

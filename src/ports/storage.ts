/**
 * Where repositories are kept. A host brings its own storage by implementing these two interfaces; history, statistics, diffs, identity
 * and collaborative objects are built in core on top of them. Local storages answer at once, remote ones with promises.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** A value now, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;

/** The four kinds of git objects. */
export type ObjectKind = "commit" | "tree" | "blob" | "tag";

/** What is known of an object before its content is read. */
export interface ObjectHeader {
  readonly kind: ObjectKind;
  /** Length of the content in bytes. */
  readonly size: number;
}

/** A git object: its kind and its content without git's own header. The bytes belong to the storage: never write to them. */
export interface GitObject {
  readonly kind: ObjectKind;
  readonly bytes: Uint8Array;
}

/** Bounds of what is read; a storage that knows nothing of them may read more. */
export interface ReadLimits {
  /** Longest content that is read, in bytes. Default and upper bound: `OBJECT_LIMITS`, for each kind of object. */
  readonly limitBytes?: number;
}

/** Bounds of a batch of objects. */
export interface BatchLimits extends ReadLimits {
  /** The batch may end with the object by which its content reaches so many bytes: it holds fewer objects than ids were given. */
  readonly batchBytes?: number;
}

/** A reference: either an object id (`oid`) or the name of another reference (`target`). */
export type Ref =
  | { readonly name: string; readonly oid: Oid; readonly target?: undefined }
  | { readonly name: string; readonly target: string; readonly oid?: undefined };

/** A set of repositories. */
export interface Storage {
  /** The ids of all repositories, in any order. What cannot be a repository is left out. */
  repositoryIds(): Awaitable<readonly RepoId[]>;
  /** Opens a repository; `undefined` when the storage holds none of that id. Called for every request: keep it cheap. */
  repository(rid: RepoId): Awaitable<Repository | undefined>;
}

/**
 * A set of references and a set of objects. References may change between two calls and every call tells the present state; objects never change.
 * Absent things are `undefined`. Damaged ones throw `DamagedError`, those longer than the limits of a read `TooLargeError`, which is one, too.
 */
export interface Repository {
  readonly rid: RepoId;
  /** One reference by its full name (`HEAD`, `refs/heads/main`), symbolic references not followed. */
  ref(name: string): Awaitable<Ref | undefined>;
  /**
   * All references below `prefix` (when it ends in `/`) or of that very name (when it does not), in ascending order of the bytes of their names.
   * A component `*` of the prefix stands for any one component, as in `refs/namespaces/<star>/refs/rad/sigrefs` with `*` for `<star>`. An array that
   * was returned stays as it is; returned again for as long as nothing has changed, it saves looking through all of it.
   */
  refs(prefix: string): Awaitable<readonly Ref[]>;
  /** Kind and size of an object. */
  header(oid: Oid): Awaitable<ObjectHeader | undefined>;
  /** An object. A storage looks at its size first: one beyond the limits takes neither time nor memory. */
  object(oid: Oid, limits?: ReadLimits): Awaitable<GitObject | undefined>;
  /**
   * Several objects, in the order of the ids; fewer than these, but one at least, when `batchBytes` says so. A damaged or too large one is `undefined` and
   * spoils no other: asked for by itself, it tells why.
   */
  objects(oids: readonly Oid[], limits?: BatchLimits): Awaitable<readonly (GitObject | undefined)[]>;
  /**
   * A number that is another one when objects may have come: as long as it is the same, what was absent or damaged need not be asked for again. It may
   * be late by a second or two. Asked for at every turn: keep it cheap. Without it, a few of the objects that are missed are asked for each time.
   */
  objectsVersion?(): Awaitable<number>;
}

/** How a reference is to change: from what it is now to what it shall be. */
export interface RefChange {
  /** The object that it points to now; `undefined` when it shall not exist yet. */
  readonly from: Oid | undefined;
  readonly to: Oid;
  /** Objects that come with the change, as of {@link WritableRepository.writeObjects}: they last before the reference leads there. */
  readonly objects?: readonly GitObject[];
}

/**
 * A repository that can be changed. A call that has resolved lasts: it survives a crash of the machine as far as the storage can promise that, and
 * every later call sees it. Beside what the calls say, they throw `WriteError` when the storage cannot be written to.
 */
export interface WritableRepository extends Repository {
  /**
   * Keeps objects; those that are there already stay as they are. Their content is not checked. Objects that no reference leads to may be removed
   * some time after they were written.
   *
   * @returns Their ids, in the order of the objects.
   */
  writeObjects(objects: readonly GitObject[]): Awaitable<readonly Oid[]>;
  /**
   * Lets a reference (`refs/…`) point to an object, if it still is what the caller believes it to be.
   *
   * @returns Whether it was. If not, which includes a symbolic reference, nothing has changed, but that objects may have been written: read again and
   *   decide anew.
   * @throws {TypeError} when no reference can have that name, or the object neither is there nor comes with the change.
   * @throws {WriteError} `conflict` when another reference needs the name as a folder, or this one needs another's name as one.
   */
  updateRef(name: string, change: RefChange): Awaitable<boolean>;
  /** In whose name commits are made here, where the storage keeps that. */
  committer?(): Awaitable<Committer | undefined>;
}

/** The name and address that commits carry. */
export interface Committer {
  readonly name: string;
  readonly email: string;
}

/** Whether a repository can be changed: a storage may hand out such ones, or only such as are read. */
export function isWritable(repository: Repository): repository is WritableRepository {
  return "writeObjects" in repository && "updateRef" in repository;
}

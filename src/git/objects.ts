/**
 * Reads objects by id and by path, and throws errors for missing objects. The size of an object is checked
 * before its content is read, so that a too large object costs neither time nor memory.
 */
import { DamagedError, ifReadable, NotFoundError, TooLargeError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type {
  Awaitable,
  BatchLimits,
  GitObject,
  ObjectHeader,
  ObjectKind,
  ReadLimits,
  Repository,
} from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { type Commit, parseCommitInSteps, type PersonTrimming } from "./commit.ts";
import { entryKind, findEntry, type TreeEntry } from "./tree.ts";

/** Maximum size of a commit, in bytes: enough for 100,000 parents. */
export const MAX_COMMIT_BYTES = 5 * 2 ** 20;
/** Maximum size of a tree, in bytes: enough for some 400,000 entries. */
export const MAX_TREE_BYTES = 16 * 2 ** 20;
/** Maximum size of a tag, in bytes. */
export const MAX_TAG_BYTES = 2 ** 20;
/** Maximum size of a blob, in bytes. */
export const MAX_BLOB_BYTES = 16 * 2 ** 20;

/** Maximum size of an object of each kind, in bytes. For larger objects, only kind and size can be read. */
export const OBJECT_LIMITS: Readonly<Record<ObjectKind, number>> = {
  commit: MAX_COMMIT_BYTES,
  tree: MAX_TREE_BYTES,
  tag: MAX_TAG_BYTES,
  blob: MAX_BLOB_BYTES,
};

/**
 * Maximum cost of an object that is read in one step, in bytes that are decompressed, copied and produced.
 * Such a step takes some ten milliseconds.
 */
export const READ_AT_ONCE_BYTES: number = 4 * 2 ** 20;

/**
 * Factor by which the base of a delta may exceed the limit of its kind. When a file has grown beyond the
 * limit, its earlier, smaller versions are deltas of the large version.
 */
export const MAX_LINK_FACTOR = 2;

const NAMES: Readonly<Record<ObjectKind, string>> = {
  commit: "Commit",
  tree: "Tree",
  tag: "Tag",
  blob: "File",
};

/**
 * Checks the size of an object against the limits of a read and {@link OBJECT_LIMITS}.
 *
 * @throws {TooLargeError} when the object is larger.
 */
export function checkObjectSize({ kind, size }: ObjectHeader, limits?: ReadLimits): void {
  const limit = Math.min(OBJECT_LIMITS[kind], limits?.limitBytes ?? Infinity);
  if (size > limit) throw new TooLargeError(`${NAMES[kind]} is larger than ${limit} bytes`);
}

/** Maximum number of names in a path. A deeper path counts as an attack. */
export const MAX_PATH_DEPTH = 4096;

const encoder = new TextEncoder();

/**
 * Maximum total size of the objects of one batch, in bytes. The last object of a batch may exceed the
 * maximum.
 */
export const BATCH_BYTES = 16 * 2 ** 20;

/**
 * Reads an object of a certain kind.
 *
 * @throws {NotFoundError} when no object has this id and kind.
 * @throws {TooLargeError} when the object exceeds the limits.
 */
export async function readObject(
  repository: Repository,
  oid: Oid,
  kind: ObjectKind,
  limits?: ReadLimits,
): Promise<GitObject> {
  const object = await repository.object(oid, limits);
  if (object === undefined) throw new NotFoundError(`Object ${oid} was not found`);
  if (object.kind !== kind) throw new NotFoundError(`Object ${oid} is not a ${kind}`);
  // The storage of a host may ignore `limits`.
  checkObjectSize({ kind, size: object.bytes.length }, limits);
  return object;
}

/**
 * Reads an object to which another object refers.
 *
 * @throws {DamagedError} when the object is missing, or has another kind.
 * @throws {TooLargeError} when the object exceeds the limits.
 */
export async function readNamed(repository: Repository, oid: Oid, kind: ObjectKind): Promise<GitObject> {
  const object = await repository.object(oid);
  if (object?.kind !== kind) throw new DamagedError(`${NAMES[kind]} ${oid} is missing`);
  // The storage of a host may have no limits.
  checkObjectSize({ kind, size: object.bytes.length });
  return object;
}

/**
 * Reads objects in the order of `oids`, until their total size reaches `batchBytes`, but at least one object.
 * The result has `undefined` for missing, damaged and too large objects.
 */
export async function readSome(
  repository: Repository,
  oids: readonly Oid[],
  limits: BatchLimits = { batchBytes: BATCH_BYTES },
): Promise<readonly (GitObject | undefined)[]> {
  const found = await ifReadable(() => repository.objects(oids, limits));
  if (found?.length) return found;
  // The storage of a host may throw because of one damaged object of a batch, or return an empty batch.
  return await readBatch(async (oid) => await repository.object(oid, limits), oids, limits);
}

/**
 * Yields many objects in batches of at most {@link BATCH_BYTES}, plus one further object. A batch contains
 * `undefined` for missing, damaged and too large objects. `at` is the index of the first object of the batch.
 */
export async function* readBatches(
  repository: Repository,
  oids: readonly Oid[],
  limits: ReadLimits = {},
): AsyncGenerator<{ readonly at: number; readonly objects: readonly (GitObject | undefined)[] }> {
  for (let at = 0; at < oids.length;) {
    const objects = await readSome(repository, oids.slice(at), { ...limits, batchBytes: BATCH_BYTES });
    yield { at, objects };
    at += objects.length;
  }
}

type Found = GitObject | undefined;

/**
 * Reads objects in the order of `oids`, until their total size reaches `batchBytes`. The result has
 * `undefined` for missing, damaged and too large objects. Returns a promise only if `read` returns a promise.
 */
export function readBatch(
  read: (oid: Oid) => Found,
  oids: readonly Oid[],
  limits?: BatchLimits,
): readonly Found[];
export function readBatch(
  read: (oid: Oid) => Awaitable<Found>,
  oids: readonly Oid[],
  limits?: BatchLimits,
): Awaitable<readonly Found[]>;
export function readBatch(
  read: (oid: Oid) => Awaitable<Found>,
  oids: readonly Oid[],
  { batchBytes = Infinity }: BatchLimits = {},
): Awaitable<readonly Found[]> {
  const objects: Found[] = [];
  let bytes = 0;
  for (const oid of oids) {
    if (bytes >= batchBytes) break;
    const object = ifReadable(read, oid);
    if (object instanceof Promise) return readRest(object);
    objects.push(object);
    bytes += object?.bytes.length ?? 0;
  }
  return objects;

  /** Continues with the first object for which `read` has returned a promise. */
  async function readRest(first: Promise<Found>): Promise<readonly Found[]> {
    for (let object = await first;; object = await ifReadable(read, oids[objects.length]!)) {
      objects.push(object);
      bytes += object?.bytes.length ?? 0;
      if (objects.length === oids.length || bytes >= batchBytes) return objects;
    }
  }
}

/** Size above which a commit is read only when memory for it has been reserved, in bytes. */
export const LARGE_COMMIT_BYTES = 512 * 1024;

export interface CommitReading {
  /** The bytes that are trimmed at both ends of names and addresses. By default {@link V1_TRIMMING}. */
  readonly trimmed?: PersonTrimming;
  /**
   * Waits for memory for a commit larger than {@link LARGE_COMMIT_BYTES}. Called before the commit is read.
   */
  readonly requireRoom?: (bytes: number) => Promise<void>;
}

/**
 * Reads a commit. A shallow commit is returned without parents.
 *
 * @throws {NotFoundError} when no commit has this id.
 */
export async function readCommit(
  repository: Repository,
  oid: Oid,
  task: Task,
  { trimmed, requireRoom }: CommitReading = {},
): Promise<Commit> {
  // If the commit is damaged, it is read a second time without a limit, because only then does the storage
  // cache that the commit is damaged.
  const object = requireRoom &&
    await ifReadable(readObject, repository, oid, "commit", { limitBytes: LARGE_COMMIT_BYTES });
  if (object) return await parse(object);
  const header = requireRoom && await repository.header(oid);
  if (header?.kind === "commit" && header.size > LARGE_COMMIT_BYTES) {
    checkObjectSize(header);
    await requireRoom?.(header.size);
  }
  return await parse(await readObject(repository, oid, "commit"));

  async function parse({ bytes }: GitObject): Promise<Commit> {
    const commit = await task.run(parseCommitInSteps(bytes, trimmed));
    const isShallow = (await repository.shallowCommits?.())?.has(oid) === true;
    return isShallow ? { ...commit, parents: [] } : commit;
  }
}

/** Splits a path into names. The path of the root has no names. */
export function splitPath(path: string): readonly Uint8Array[] {
  return path === "" ? [] : path.split("/").map((name) => encoder.encode(name));
}

/**
 * Throws the error that tells why a commit cannot be shown.
 *
 * @throws {TooLargeError} when the commit is too large.
 * @throws {DamagedError} when the commit cannot be parsed.
 * @throws {NotFoundError} when the commit does not exist.
 */
export async function refuseCommit(repository: Repository, oid: Oid): Promise<never> {
  const header = await repository.header(oid);
  if (header?.kind === "commit") {
    checkObjectSize(header);
    throw new DamagedError(`Commit ${oid} cannot be parsed`);
  }
  throw new NotFoundError(`Commit ${oid} was not found`);
}

/**
 * Reads the file at a path below a tree; `undefined` when there is no file. The caller may release the
 * result.
 */
export async function readFile(
  repository: Repository,
  tree: Oid,
  path: string,
  task: Task,
): Promise<GitObject | undefined> {
  const entry = await findPath(repository, tree, splitPath(path), task);
  const blob = entry === undefined ? undefined : await repository.object(entry.oid);
  return blob?.kind === "blob" ? blob : undefined;
}

/**
 * Finds the entry at a path below a tree; `undefined` when there is no entry. Names are used literally, even
 * `..`.
 *
 * @throws {DamagedError} when a tree on the path is missing or damaged.
 */
export async function findPath(
  repository: Repository,
  tree: Oid,
  names: readonly Uint8Array[],
  task: Task,
): Promise<Omit<TreeEntry, "name"> | undefined> {
  if (names.length > MAX_PATH_DEPTH) return undefined;
  let found: Omit<TreeEntry, "name"> = { mode: 0o040000, oid: tree };
  for (const name of names) {
    if (entryKind(found.mode) !== "tree") return undefined;
    await task.yield();
    const object = await readNamed(repository, found.oid, "tree");
    const entry = await findEntry(object.bytes, name, task);
    object.release?.();
    if (entry === undefined) return undefined;
    found = { mode: entry.mode, oid: entry.oid };
  }
  return found;
}

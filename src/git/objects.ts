/** Objects by id and by path, with the answers for those that are not there. */
import { ApiError, DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { GitObject, ObjectKind, ReadLimits, Repository } from "../ports/storage.ts";
import { Turns } from "../time/turns.ts";
import { type Commit, parseCommit } from "./commit.ts";
import { checkObjectSize } from "./object_limits.ts";
import { entryKind, findEntry, type TreeEntry } from "./tree.ts";

/** Folders below folders before a path is taken for an attack rather than a path. */
export const MAX_PATH_DEPTH = 4096;

/** Longer paths let others through on their way. */
const SHORT_PATH = 64;

const encoder = new TextEncoder();

/** Content that is held at once when many objects are read, in bytes; one object more may be longer. */
export const BATCH_BYTES = 16 * 2 ** 20;

/**
 * An object of a certain kind.
 *
 * @throws {ApiError} `notFound` when there is none of this id and kind.
 * @throws {TooLargeError} when it is larger than the limits.
 */
export async function readObject(
  repository: Repository,
  oid: Oid,
  kind: ObjectKind,
  limits?: ReadLimits,
): Promise<GitObject> {
  const object = await repository.object(oid, limits);
  if (object === undefined) throw new ApiError("notFound", `Object ${oid} was not found`);
  if (object.kind !== kind) throw new ApiError("notFound", `Object ${oid} is not a ${kind}`);
  // A host's storage may know nothing of limits.
  checkObjectSize({ kind, size: object.bytes.length }, limits);
  return object;
}

/**
 * Many objects, in batches of bounded content: {@link BATCH_BYTES} and one object at most. Those that are absent, damaged or beyond the limits are
 * `undefined`. `at` is the number of a batch's first object.
 */
export async function* readBatches(
  repository: Repository,
  oids: readonly Oid[],
  limits: ReadLimits = {},
): AsyncGenerator<{ readonly at: number; readonly objects: readonly (GitObject | undefined)[] }> {
  for (let at = 0; at < oids.length;) {
    const objects = await readBatch(repository, oids.slice(at), limits);
    yield { at, objects };
    // A storage that gives none at all has none.
    at += Math.max(objects.length, 1);
  }
}

async function readBatch(
  repository: Repository,
  oids: readonly Oid[],
  limits: ReadLimits,
): Promise<readonly (GitObject | undefined)[]> {
  try {
    return await repository.objects(oids, { ...limits, batchBytes: BATCH_BYTES });
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
  }
  // A host's storage that throws for one damaged object of many: each is asked for by itself.
  const objects: (GitObject | undefined)[] = [];
  for (let bytes = 0; objects.length < oids.length && bytes < BATCH_BYTES;) {
    const object = await tryObject(repository, oids[objects.length]!, limits);
    bytes += object?.bytes.length ?? 0;
    objects.push(object);
  }
  return objects;
}

async function tryObject(
  repository: Repository,
  oid: Oid,
  limits: ReadLimits,
): Promise<GitObject | undefined> {
  try {
    return await repository.object(oid, limits);
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

/**
 * A commit.
 *
 * @throws {ApiError} `notFound` when there is no commit of this id.
 */
export async function readCommit(repository: Repository, oid: Oid): Promise<Commit> {
  return parseCommit((await readObject(repository, oid, "commit")).bytes);
}

/** A path cut into the names that lead to it; the root is the empty list. */
export function splitPath(path: string): Uint8Array[] {
  return path === "" ? [] : path.split("/").map((name) => encoder.encode(name));
}

/**
 * Tells why a commit cannot be shown.
 *
 * @throws {TooLargeError} when it is too large to be read.
 * @throws {ApiError} `notFound` else.
 */
export async function refuseCommit(repository: Repository, oid: Oid): Promise<never> {
  const header = await repository.header(oid);
  if (header?.kind === "commit") checkObjectSize(header);
  throw new ApiError("notFound", `Commit ${oid} was not found`);
}

/** The entry at the end of a path below a tree; names are taken literally. `undefined` when the path leads nowhere. */
export async function findPath(
  repository: Repository,
  tree: Oid,
  names: readonly Uint8Array[],
): Promise<Omit<TreeEntry, "name"> | undefined> {
  if (names.length > MAX_PATH_DEPTH) return undefined;
  let found: Omit<TreeEntry, "name"> = { mode: 0o040000, oid: tree };
  const turns = names.length > SHORT_PATH ? new Turns() : undefined;
  for (const name of names) {
    if (entryKind(found.mode) !== "tree") return undefined;
    await turns?.next();
    const object = await repository.object(found.oid);
    const entry = object?.kind === "tree" ? await findEntry(object.bytes, name) : undefined;
    if (entry === undefined) return undefined;
    found = entry;
  }
  return found;
}

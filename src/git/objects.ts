/** Objects by id and by path, with the answers for those that are not there. */
import { ApiError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { GitObject, ObjectKind, Repository } from "../ports/storage.ts";
import { type Commit, parseCommit } from "./commit.ts";
import { entryKind, findEntry, type TreeEntry } from "./tree.ts";

/** Folders below folders before a path is taken for an attack rather than a path. */
export const MAX_PATH_DEPTH = 4096;

const encoder = new TextEncoder();

/**
 * An object of a certain kind.
 *
 * @throws {ApiError} `notFound` when there is none of this id and kind.
 */
export async function readObject(repository: Repository, oid: Oid, kind: ObjectKind): Promise<GitObject> {
  const object = await repository.object(oid);
  if (object === undefined) throw new ApiError("notFound", `Object ${oid} was not found`);
  if (object.kind !== kind) throw new ApiError("notFound", `Object ${oid} is not a ${kind}`);
  return object;
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

/** The entry at the end of a path below a tree; names are taken literally. `undefined` when the path leads nowhere. */
export async function findPath(
  repository: Repository,
  tree: Oid,
  names: readonly Uint8Array[],
): Promise<Omit<TreeEntry, "name"> | undefined> {
  if (names.length > MAX_PATH_DEPTH) return undefined;
  let found: Omit<TreeEntry, "name"> = { mode: 0o040000, oid: tree };
  for (const name of names) {
    if (entryKind(found.mode) !== "tree") return undefined;
    const object = await repository.object(found.oid);
    const entry = object?.kind === "tree" ? findEntry(object.bytes, name) : undefined;
    if (entry === undefined) return undefined;
    found = entry;
  }
  return found;
}

/** The identity document in force, as the repository's own reference names it. */
import { LruMap } from "../cache/lru_map.ts";
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { findPath, splitPath } from "../git/objects.ts";
import { resolveRef } from "../git/references.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { type IdentityDoc, parseDoc } from "./doc.ts";

/** Reference to the commit of the accepted identity revision. */
export const IDENTITY_REF = "refs/rad/id";

const DOC_PATH = splitPath("embeds/radicle.json");
/** Documents kept: they never change, since their commits do not. */
const REMEMBERED_DOCS = 1024;

/** Documents read so far, by the commit that holds them. */
export type DocCache = LruMap<Oid, IdentityDoc>;

/** An empty cache of documents. */
export function createDocCache(): DocCache {
  return new LruMap(REMEMBERED_DOCS);
}

/** Finds the commit of the document in force where no reference names it. */
export type FindIdentity = (repository: Repository) => Promise<Oid | undefined>;

/** The commit that holds the document in force: the one that the repository's reference names, else the one that `find` does. */
export async function identityCommit(repository: Repository, find: FindIdentity): Promise<Oid | undefined> {
  return (await resolveRef(repository, IDENTITY_REF))?.oid ?? await find(repository);
}

/**
 * The document in force.
 *
 * @throws {DamagedError} when the repository has none that can be read.
 */
export async function readIdentity(
  repository: Repository,
  cache: DocCache,
  find: FindIdentity,
): Promise<IdentityDoc> {
  const commit = await identityCommit(repository, find);
  if (commit === undefined) throw new DamagedError("A repository has no identity");
  const known = cache.get(commit);
  if (known !== undefined) return known;
  const doc = await readDocAt(repository, commit);
  // What the newest programs do not accept may be said in a way that is not understood here.
  if (doc.readings.newest === undefined) throw new DamagedError("An identity document is of another version");
  cache.set(commit, doc);
  return doc;
}

/**
 * The document that an identity commit holds.
 *
 * @throws {DamagedError} when it holds none that can be read.
 */
export async function readDocAt(repository: Repository, commit: Oid): Promise<IdentityDoc> {
  const blob = await repository.object(await findDocBlob(repository, commit));
  if (blob?.kind !== "blob") throw new DamagedError("An identity commit holds no document");
  return parseDoc(blob.bytes);
}

/**
 * The id of the blob with the document that an identity commit holds.
 *
 * @throws {DamagedError} when it holds none.
 */
export async function findDocBlob(repository: Repository, commit: Oid): Promise<Oid> {
  const object = await repository.object(commit);
  if (object?.kind !== "commit") throw new DamagedError("The identity of a repository is no commit");
  const entry = await findPath(repository, parseCommitHeader(object.bytes).tree, DOC_PATH);
  if (entry === undefined) throw new DamagedError("An identity commit holds no document");
  return entry.oid;
}

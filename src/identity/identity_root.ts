/** The root of a repository's identity: the commit whose document determined the repository's id. */
import { DamagedError } from "../errors.ts";
import { parseCommitHeader } from "../git/commit.ts";
import { findPath, splitPath } from "../git/objects.ts";
import { resolveRef, resolveRefs } from "../git/references.ts";
import type { Oid } from "../ids/oid.ts";
import { ridToOid } from "../ids/rid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { IDENTITY_REF } from "./identity.ts";

/** Maximum number of identity commits in a walk; each is a change of the identity or a vote on one. */
export const MAX_IDENTITY_COMMITS = 100_000;

const DOC_PATH = splitPath("embeds/radicle.json");

/**
 * Finds the root among the ancestors of the current identity or, when no reference names it, of the
 * identities in all namespaces.
 *
 * @throws {DamagedError} when there is none.
 */
export async function findIdentityRoot(repository: Repository, task: Task): Promise<Oid> {
  const head = await resolveRef(repository, IDENTITY_REF);
  const heads = head === undefined
    ? await resolveRefs(repository, "refs/namespaces/*/refs/rad/id", task)
    : [head];
  const waiting = heads.map(({ oid }) => oid);
  const seen = new Set(waiting);
  for (let oid = waiting.pop(); oid !== undefined && seen.size <= MAX_IDENTITY_COMMITS; oid = waiting.pop()) {
    const object = await repository.object(oid);
    if (object?.kind !== "commit") continue;
    const { parents } = parseCommitHeader(object.bytes);
    if (parents.length === 0 && await isIdentityRoot(repository, oid, task)) return oid;
    for (const parent of parents) {
      if (!seen.has(parent)) waiting.push(parent);
      seen.add(parent);
    }
  }
  throw new DamagedError("The identity of a repository has no root");
}

/** Whether a commit's identity document is the one that determined the repository's id. */
export async function isIdentityRoot(
  repository: Repository,
  commit: Oid,
  task: Task,
): Promise<boolean> {
  const object = await repository.object(commit);
  if (object?.kind !== "commit") return false;
  const entry = await findPath(repository, parseCommitHeader(object.bytes).tree, DOC_PATH, task);
  return entry?.oid === ridToOid(repository.rid);
}

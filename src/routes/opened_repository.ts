/**
 * A repository that a client may read, and functions that find the commits and references that requests name.
 */
import { NotFoundError } from "../errors.ts";
import type { OpenedRepository } from "../git/commit_graph.ts";
import { refuseCommit } from "../git/objects.ts";
import { findNamedObject, isHiddenRef } from "../git/references.ts";
import { followTags } from "../git/tags.ts";
import type { IdentityDoc, Project } from "../identity/doc.ts";
import { readHead } from "../identity/head.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import type { Commitish } from "../ids/refname.ts";
import type { RepoId } from "../ids/rid.ts";

export interface OpenRepository extends OpenedRepository {
  readonly rid: RepoId;
  /**
   * The identity document; `undefined` when it is unreadable. Only the owner can open a repository without a
   * readable document.
   */
  readonly doc: IdentityDoc | undefined;
}

/**
 * Returns the identity document of a repository.
 *
 * @throws {NotFoundError} when the document is unreadable.
 */
export function requireDoc({ rid, doc }: OpenRepository): IdentityDoc {
  if (doc === undefined) throw new NotFoundError(`Repository ${rid} has no readable identity`);
  return doc;
}

/**
 * Returns the project payload of a repository.
 *
 * @throws {NotFoundError} when the identity document is unreadable or has no project payload.
 */
export function requireProject(repository: OpenRepository): Project {
  const { project } = requireDoc(repository);
  if (project === undefined) throw new NotFoundError(`Repository ${repository.rid} is no project`);
  return project;
}

/**
 * Returns the id of the head commit of a repository.
 *
 * @throws {NotFoundError} when the repository has no head.
 */
export async function requireHead(repository: OpenRepository): Promise<Oid> {
  const head = await readHead(repository, requireDoc(repository));
  if (head === undefined) throw new NotFoundError(`Repository ${repository.rid} has no head`);
  return head;
}

/**
 * Loads a commit with its history into the commit graph. Returns the row number of the commit in the graph.
 *
 * @throws {NotFoundError} when there is no such commit.
 * @throws {TooLargeError} when the commit is larger than the limit for commits.
 */
export async function requireCommit({ objects, graph, task }: OpenRepository, oid: Oid): Promise<number> {
  const row = await graph.load(objects, oid, task);
  return row ?? await refuseCommit(objects, oid);
}

/**
 * Finds the object that an id or a name means; `undefined` if there is no such object. Hidden references are
 * not found. Without a reference `HEAD`, `HEAD` means the head on which the delegates agree.
 *
 * @throws {NotFoundError} for `HEAD` when there is no head.
 */
export async function findNamed(repository: OpenRepository, name: string): Promise<Oid | undefined> {
  const found = await findNamedObject(repository.objects, name, (ref) => !isHiddenRef(ref));
  if (found !== undefined || name !== "HEAD") return found;
  return repository.doc === undefined ? undefined : await requireHead(repository);
}

/**
 * Finds the commit that a text means. An annotated tag means the tagged commit. A name sets `hasMovingName`,
 * because the response changes when the reference moves.
 *
 * @param open Opens the repository. Called only for names, not for ids.
 * @throws {NotFoundError} when there is no such reference. The existence of an id is not checked.
 */
export async function commitOf(
  call: { hasMovingName: boolean },
  commitish: Commitish,
  open: () => Promise<OpenRepository>,
): Promise<Oid> {
  if (isOid(commitish)) return commitish;
  const repository = await open();
  const found = await findNamed(repository, commitish);
  if (found === undefined) throw new NotFoundError(`Commit "${commitish}" was not found`);
  call.hasMovingName = true;
  const [commit = found] = await followTags(repository.objects, [found]);
  return commit;
}

/**
 * Decides which objects of a request the client may know about: the objects that are reachable from visible
 * references.
 */
import {
  ifReadable,
  type ObjectKind,
  type Oid,
  type RepoId,
  type Repository,
  type Requester,
  type Task,
} from "../../src/mod.ts";
import type { GitProgram } from "./git_program.ts";
import { shownTips } from "./shown_refs.ts";
import type { UploadRequest } from "./upload_request.ts";

/**
 * Maximum number of wanted objects to which visible references point, at which a walk begins before all
 * references are read.
 */
const MAX_LIKELY_TIPS = 256;

export interface ShownObjects {
  /** A wanted object that the client may not get; `undefined` when the client may get all wanted objects. */
  readonly refused: Oid | undefined;
  /** Checks whether the client may know about an object that it has, or at which its history ends. */
  readonly isShown: (oid: Oid) => boolean;
}

/**
 * Decides which objects of a request the client may know about. An object to which a visible reference points
 * needs no lookup. All other commits together need one walk over commits. Only wanted trees and files, and
 * wanted commits that this walk has not reached, need a walk over all objects.
 */
export async function shownOf(
  { wanted, had, shallow }: Pick<UploadRequest, "wanted" | "had" | "shallow">,
  git: GitProgram,
  { rid, repository }: { readonly rid: RepoId; readonly repository: Repository },
  requester: Requester,
  task: Task,
): Promise<ShownObjects> {
  // The list of references may be one second old. git itself reads the references again.
  const tips = await shownTips(repository, task);
  const commits = new Set<Oid>();
  const toFind: Oid[] = [];
  for (const oid of wanted) {
    await task.yield();
    if (tips.has(oid)) continue;
    const kind = await kindOf(repository, oid);
    if (kind === undefined) return { refused: oid, isShown: () => false };
    if (kind === "commit") commits.add(oid);
    else toFind.push(oid);
  }
  for (const oids of [had, shallow]) {
    for (const oid of oids) {
      await task.yield();
      // Clients have only commits in their `have` lines. Other objects are treated as absent.
      if (!tips.has(oid) && await kindOf(repository, oid) === "commit") commits.add(oid);
    }
  }
  const likely = [...wanted].filter((oid) => tips.has(oid)).slice(0, MAX_LIKELY_TIPS);
  const beyond = commits.size > 0
    ? await git.commitsBeyondRefs(rid, [...commits], likely, requester)
    : new Set<Oid>();
  for (const oid of wanted) if (beyond.has(oid)) toFind.push(oid);
  const [refused] = toFind.length > 0 ? await git.unreachable(rid, toFind, requester) : [];
  return { refused, isShown: (oid) => tips.has(oid) || commits.has(oid) && !beyond.has(oid) };
}

/** Returns the kind of an object; `undefined` for an absent or damaged object. */
async function kindOf(repository: Repository, oid: Oid): Promise<ObjectKind | undefined> {
  return (await ifReadable(() => repository.header(oid)))?.kind;
}

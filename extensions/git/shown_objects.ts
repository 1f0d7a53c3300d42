/** The objects in a request of which its client may know: those to which shown references lead. */
import type { Task } from "../../src/scheduling/task.ts";
import { ifReadable } from "../../src/errors.ts";
import type { Oid } from "../../src/ids/oid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { GitProgram } from "./git_program.ts";
import type { ObjectKind, Repository } from "../../src/ports/storage.ts";
import type { Requester } from "../../src/ports/workers.ts";
import { shownTips } from "./shown_refs.ts";
import type { UploadRequest } from "./upload_request.ts";

/** Most wanted tips from which commits are looked for, before all references are read. */
const MAX_LIKELY_TIPS = 256;

/** Knowledge of a client about the objects in its request. */
export interface ShownObjects {
  /** A wanted object that it does not get; `undefined` when it gets all. */
  readonly refused: Oid | undefined;
  /** Whether it may know of an object that it has, or at which its history ends. */
  readonly isShown: (oid: Oid) => boolean;
}

/**
 * Looks the objects of a request up. An absent one costs one lookup. A tip of a reference costs nothing, all
 * other commits together one walk of commits. Only wanted trees and files, and wanted commits that this walk
 * has not reached, cost a walk of all objects.
 */
export async function shownOf(
  { wanted, had, shallow }: Pick<UploadRequest, "wanted" | "had" | "shallow">,
  git: GitProgram,
  { rid, repository }: { readonly rid: RepoId; readonly repository: Repository },
  requester: Requester,
  task: Task,
): Promise<ShownObjects> {
  // The list of references may be a second old; git's is not.
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
      // A client has commits; an object of another kind is as good as absent.
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

/** The kind of an object; `undefined` for an absent or damaged one. */
async function kindOf(repository: Repository, oid: Oid): Promise<ObjectKind | undefined> {
  return (await ifReadable(() => repository.header(oid)))?.kind;
}

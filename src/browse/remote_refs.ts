/** The branches and tags that a node has published. */
import { unlessDamaged } from "../errors.ts";
import { peelToCommit } from "../identity/canonical_names.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";

const PUBLISHED = /^refs\/(heads|tags)\/./;

/**
 * The branches and tags among signed references, by full name in bytewise order, with the commits that they
 * lead to. Those that lead to no commit here are left out.
 */
export async function peelRefs(
  repository: Repository,
  refs: SignedRefs,
  task: Task,
): Promise<ReadonlyMap<string, Oid>> {
  const peeled = new Map<string, Oid>();
  for (const [name, oid] of refs) {
    await task.yield();
    if (!PUBLISHED.test(name)) continue;
    const commit = await unlessDamaged(() => peelToCommit(repository, oid));
    if (commit !== undefined) peeled.set(name, commit);
  }
  return peeled;
}

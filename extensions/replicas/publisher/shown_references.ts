/**
 * The references of a repository that are published. These are the references that every client of the
 * service can see.
 */
import {
  isHiddenRef,
  isStoredName,
  MAX_REF_CHAIN,
  type Ref,
  type Repository,
  type Task,
} from "../../../src/mod.ts";

/** Number of references that are processed between two pauses. This takes less than a millisecond. */
const REFS_AT_ONCE = 1024;

/**
 * Returns `HEAD` and the references below `refs/`. Symbolic references are not resolved. Hidden references,
 * and symbolic references that lead to hidden references, are left out.
 */
export async function shownReferences(repository: Repository, task: Task): Promise<readonly Ref[]> {
  const head = await repository.ref("HEAD");
  const shown: Ref[] = [];
  if (head !== undefined && await isShown(repository, head)) shown.push(head);
  for (const [at, ref] of (await repository.refs("refs/")).entries()) {
    if (at % REFS_AT_ONCE === 0) await task.yield();
    if (ref.oid !== undefined ? isShownName(ref.name) : await isShown(repository, ref)) shown.push(ref);
  }
  return shown;
}

function isShownName(name: string): boolean {
  return isStoredName(name) && !isHiddenRef(name);
}

/** Checks whether the reference and all references to which it leads are shown. */
async function isShown(repository: Repository, ref: Ref): Promise<boolean> {
  let at: Ref | undefined = ref;
  for (let step = 0; step < MAX_REF_CHAIN && at !== undefined; step++) {
    if (!isShownName(at.name)) return false;
    if (at.target === undefined) return true;
    if (!isShownName(at.target)) return false;
    at = await repository.ref(at.target);
  }
  // A chain with a missing end, or a chain that is too long, leads to no object. So the result is true.
  return true;
}

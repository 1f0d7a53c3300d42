/** Finds the references of a repository that git clients may see. */
import {
  followRef,
  followTags,
  fullNames,
  hiddenFolderOf,
  isHiddenRef,
  isRefname,
  memoize,
  type NodeId,
  type Oid,
  ownHiddenFolders,
  type Repository,
  type ResolvedRef,
  resolveRef,
  resolveRefs,
  type Task,
} from "../../src/mod.ts";

/** Number of references that are filtered in one step of about a millisecond. */
const REFS_AT_ONCE = 1024;

interface Split {
  readonly shownOids: ReadonlySet<Oid>;
  /** Folders that contain hidden references. */
  readonly hiddenFolders: ReadonlySet<string>;
}

/** Splits a list of references into visible and hidden references. */
const splitRefs = memoize(async (refs: readonly ResolvedRef[], task: Task): Promise<Split> => {
  const shownOids = new Set<Oid>();
  const hiddenFolders = new Set<string>();
  for (const [at, { name, oid }] of refs.entries()) {
    if (at % REFS_AT_ONCE === 0) await task.yield();
    const folder = hiddenFolderOf(name);
    if (folder === undefined) shownOids.add(oid);
    else hiddenFolders.add(folder);
  }
  return { shownOids, hiddenFolders };
});

/** Returns the ids of the objects to which visible references point. The ids may be one second old. */
export async function shownTips(repository: Repository, task: Task): Promise<ReadonlySet<Oid>> {
  return (await splitRefs(await resolveRefs(repository, "refs/", task), task)).shownOids;
}

/** Returns the folders of references that git must hide, including folders that do not exist yet. */
export async function hiddenFolders(
  repository: Repository,
  nodeId: NodeId,
  task: Task,
): Promise<readonly string[]> {
  const { hiddenFolders } = await splitRefs(await resolveRefs(repository, "refs/", task), task);
  return [...new Set([...ownHiddenFolders(nodeId), ...hiddenFolders])];
}

/**
 * Finds the full name of a visible reference.
 *
 * @param name Name of the reference, or the end of its name, as git accepts it.
 * @param namespace Node in whose namespace the reference is; `undefined` for the whole repository.
 * @returns `undefined` when the reference does not exist or is hidden.
 */
export async function findShownRef(
  repository: Repository,
  namespace: NodeId | undefined,
  name: string,
): Promise<string | undefined> {
  if (!isRefname(name)) return undefined;
  for (const shown of fullNames(name)) {
    const full = prefixOf(namespace) + shown;
    if (isHiddenRef(full)) continue;
    const found = await resolveRef(repository, full);
    if (found !== undefined && !isHiddenRef(found.name)) return full;
  }
  if (name !== "HEAD" || namespace === undefined) return undefined;
  const head = await namespaceHead(repository, namespace);
  return head && prefixOf(namespace) + head.name;
}

/**
 * Returns the branch that is shown as `HEAD` of a namespace. Nodes publish no `HEAD`, so the result is the
 * node's branch with the name of the repository's default branch.
 *
 * @returns `undefined` when the node does not have that branch, or has a reference `HEAD`.
 */
export async function namespaceHead(
  repository: Repository,
  namespace: NodeId,
): Promise<ResolvedRef | undefined> {
  const prefix = prefixOf(namespace);
  const name = (await repository.ref("HEAD"))?.target;
  if (name === undefined || await repository.ref(`${prefix}HEAD`) !== undefined) return undefined;
  const branch = await resolveRef(repository, prefix + name);
  // git leaves out a reference whose object is missing.
  if (branch === undefined || await repository.header(branch.oid) === undefined) return undefined;
  return { name, oid: branch.oid };
}

function prefixOf(namespace: NodeId | undefined): string {
  return namespace === undefined ? "" : `refs/namespaces/${namespace}/`;
}

/**
 * Returns the file `info/refs` for clients of the simple protocol ("dumb HTTP"): a line for each visible
 * reference, and a line for the target of each annotated tag.
 *
 * @param namespace Node whose references are listed, with their names inside its namespace; `undefined` to
 * list all references.
 */
export async function listShownRefs(
  repository: Repository,
  namespace: NodeId | undefined,
  task: Task,
): Promise<string> {
  const prefix = prefixOf(namespace);
  const lines: string[] = [];
  for (const { name, oid } of await resolveRefs(repository, `${prefix}refs/`, task)) {
    await task.yield();
    if (isHiddenRef(name)) continue;
    const shown = name.slice(prefix.length);
    lines.push(`${oid}\t${shown}\n`);
    const header = await repository.header(oid);
    if (header?.kind !== "tag") continue;
    const [target] = await followTags(repository, [oid]);
    if (target !== oid) lines.push(`${target}\t${shown}^{}\n`);
  }
  return lines.join("");
}

/**
 * Returns the content of the file `HEAD`: the name of the branch to which `HEAD` points, or an object id. The
 * text is empty when there is no `HEAD`.
 *
 * @param namespace Node whose `HEAD` is returned; `undefined` for the `HEAD` of the repository.
 */
export async function headText(repository: Repository, namespace: NodeId | undefined): Promise<string> {
  const prefix = prefixOf(namespace);
  const head = namespace && await namespaceHead(repository, namespace);
  if (head !== undefined) return `ref: ${head.name}\n`;
  const ref = await repository.ref(`${prefix}HEAD`);
  if (ref === undefined) return "";
  if (ref.target === undefined) return `${ref.oid}\n`;
  const name = ref.target.startsWith(prefix) ? ref.target.slice(prefix.length) : ref.target;
  return await followRef(repository, ref) === undefined ? "" : `ref: ${name}\n`;
}

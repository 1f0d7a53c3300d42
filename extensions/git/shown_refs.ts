/** Finds the references of a repository that git clients can see. */
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

/** Number of references that are filtered per step. A step takes about a millisecond. */
const REFS_AT_ONCE = 1024;

/** The visible and the hidden references of a list. */
interface Split {
  readonly shownOids: ReadonlySet<Oid>;
  /** Folders that contain hidden references. */
  readonly hiddenFolders: ReadonlySet<string>;
}

/**
 * Splits a list of references into visible and hidden references. The result is computed only once for each
 * list that a storage returns.
 */
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

/** Returns the ids of the objects to which visible references point. The list may be one second old. */
export async function shownTips(repository: Repository, task: Task): Promise<ReadonlySet<Oid>> {
  return (await splitRefs(await resolveRefs(repository, "refs/", task), task)).shownOids;
}

/**
 * Returns the folders of references that git must hide. The result also contains folders that do not exist
 * yet, but may appear at any time.
 */
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
 * Returns the branch to which `HEAD` of a namespace points. Nodes publish no `HEAD`, so the result is the
 * node's branch that has the same name as the repository's default branch.
 *
 * @returns `undefined` when the node does not have that branch, or has its own `HEAD`.
 */
export async function namespaceHead(
  repository: Repository,
  namespace: NodeId,
): Promise<ResolvedRef | undefined> {
  const prefix = prefixOf(namespace);
  const name = (await repository.ref("HEAD"))?.target;
  if (name === undefined || await repository.ref(`${prefix}HEAD`) !== undefined) return undefined;
  const branch = await resolveRef(repository, prefix + name);
  // git does not list a reference whose object is missing.
  if (branch === undefined || await repository.header(branch.oid) === undefined) return undefined;
  return { name, oid: branch.oid };
}

/**
 * Returns the prefix of the full names of references in a namespace; an empty text for the whole repository.
 */
function prefixOf(namespace: NodeId | undefined): string {
  return namespace === undefined ? "" : `refs/namespaces/${namespace}/`;
}

/**
 * Returns the text of `info/refs` for clients of the simple protocol ("dumb HTTP"). The text has a line for
 * each visible reference, and another line for the target of each annotated tag.
 *
 * @param namespace Node whose references are listed, with their names inside its namespace; `undefined` to
 *   list all references.
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
 * Returns the text of the file `HEAD`, which names the branch to which `HEAD` points, or contains an object
 * id. The text is empty when there is no `HEAD`.
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

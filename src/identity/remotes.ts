/** Lists remotes: the nodes with signed references in a repository (specification, 2.8). */
import { memoize } from "../cache/memory.ts";
import { ifReadable } from "../errors.ts";
import { didOfNid, type NodeId, tryParseNid } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import type { IdentityDoc } from "./doc.ts";
import type { SignedRefs, SigrefsReader } from "./sigrefs.ts";

/** A node with signed references. */
export interface Remote {
  readonly nid: NodeId;
  /** Commits by branch name without `refs/heads/`, in ascending order of the names. */
  readonly heads: ReadonlyMap<string, Oid>;
  /** All references that the node has signed. */
  readonly refs: SignedRefs;
  readonly isDelegate: boolean;
}

const HEADS = "refs/heads/";
/** Number of references that are processed in one step, which takes less than a millisecond. */
const REFS_AT_ONCE = 1024;

/** Lists all remotes, sorted by node id. Remotes whose signed references cannot be verified are left out. */
export async function listRemotes(sigrefs: SigrefsReader, doc: IdentityDoc): Promise<readonly Remote[]> {
  const { repository, task } = sigrefs;
  const remotes: Remote[] = [];
  for (const nid of await listNamespaces(repository, task)) {
    await task.yield();
    const remote = await ifReadable(() => readRemote(sigrefs, doc, nid));
    if (remote !== undefined) remotes.push(remote);
  }
  return remotes;
}

/**
 * Reads one remote. Returns `undefined` when the node has no signed references in this repository.
 *
 * @throws {DamagedError} when the signed references cannot be verified.
 */
export async function readRemote(
  sigrefs: SigrefsReader,
  doc: IdentityDoc,
  nid: NodeId,
): Promise<Remote | undefined> {
  const refs = await sigrefs.read(nid);
  if (refs === undefined) return undefined;
  return {
    nid,
    heads: await headsAmong(refs, sigrefs.task),
    refs,
    isDelegate: doc.delegates.includes(didOfNid(nid)),
  };
}

/** Returns the branches among signed references. Most signed references belong to issues and patches. */
const headsAmong = memoize(async (refs: SignedRefs, task: Task): Promise<ReadonlyMap<string, Oid>> => {
  const heads = new Map<string, Oid>();
  let count = 0;
  for (const [name, oid] of refs) {
    if (name.startsWith(HEADS)) heads.set(name.slice(HEADS.length), oid);
    if (++count % REFS_AT_ONCE === 0) await task.yield();
  }
  return heads;
});

/** Returns the ids of the nodes that have signed references in a repository, sorted. */
export async function listNamespaces(
  repository: Repository,
  task: Task,
): Promise<readonly NodeId[]> {
  const nodes: NodeId[] = [];
  for (const { name } of await repository.refs("refs/namespaces/*/refs/rad/sigrefs")) {
    const text = name.split("/")[2] ?? "";
    if (tryParseNid(text) === text) nodes.push(text as NodeId);
    await task.yield();
  }
  return nodes.sort();
}

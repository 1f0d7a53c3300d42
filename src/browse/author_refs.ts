/** The signed references of the authors of a patch. */
import { ifReadable } from "../errors.ts";
import { resolveRef } from "../git/references.ts";
import { type SignedRefs, type SigrefsReader, sigrefsRef } from "../identity/sigrefs.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { peelToCommit } from "../identity/canonical_names.ts";
import type { Oid } from "../ids/oid.ts";

export const NO_REFS: SignedRefs = new Map();

/** The signed references of a node; empty when none verify. */
export async function readAuthorRefs(sigrefs: SigrefsReader, author: NodeId): Promise<SignedRefs> {
  return await ifReadable(() => sigrefs.read(author)) ?? NO_REFS;
}

/** Signed references of several nodes. */
export interface RefsOfAuthors {
  /** Empty for all other nodes. */
  of(author: NodeId): SignedRefs;
  /** A text that stays equal while the references of these nodes stay equal. */
  version(authors: Iterable<NodeId>): string;
}

/** Reads the signed references of nodes, each once. */
export async function readRefsOfAuthors(
  sigrefs: SigrefsReader,
  authors: Iterable<NodeId>,
): Promise<RefsOfAuthors> {
  const { generation } = await sigrefs.basis();
  const refs = new Map<NodeId, { readonly commit: string; readonly refs: SignedRefs }>();
  for (const author of new Set(authors)) {
    // The version is read first: a change in the meantime makes the version too old, never the references.
    const commit = (await resolveRef(sigrefs.repository, sigrefsRef(author)))?.oid ?? "";
    refs.set(author, { commit, refs: await readAuthorRefs(sigrefs, author) });
  }
  return {
    of: (author) => refs.get(author)?.refs ?? NO_REFS,
    version: (authors) =>
      [generation, ...[...new Set(authors)].map((author) => refs.get(author)?.commit)].join(),
  };
}

const PUBLISHED = /^refs\/(heads|tags)\/./;

/**
 * The branches and tags among signed references, by full name in bytewise order, with the commits that they
 * lead to. References that lead to no commit in this repository are left out.
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
    const commit = await ifReadable(() => peelToCommit(repository, oid));
    if (commit !== undefined) peeled.set(name, commit);
  }
  return peeled;
}

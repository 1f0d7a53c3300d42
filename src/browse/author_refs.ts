/** Reads the signed references of the authors of a patch. */
import { ifReadable } from "../errors.ts";
import { resolveRef } from "../git/references.ts";
import { type SignedRefs, type SigrefsReader, sigrefsRef } from "../identity/sigrefs.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { peelToCommit } from "../identity/canonical_names.ts";
import type { Oid } from "../ids/oid.ts";

export const NO_REFS: SignedRefs = new Map();

/** Reads the signed references of a node; an empty map when they are missing or cannot be verified. */
export async function readAuthorRefs(sigrefs: SigrefsReader, author: NodeId): Promise<SignedRefs> {
  return await ifReadable(() => sigrefs.read(author)) ?? NO_REFS;
}

export interface RefsOfAuthors {
  /** Returns the signed references of a node; empty for a node that was not read. */
  of(author: NodeId): SignedRefs;
  /** Returns a text that changes whenever the references of these nodes change. */
  version(authors: Iterable<NodeId>): string;
}

/** Reads the signed references of several nodes. A node that is passed several times is read once. */
export async function readRefsOfAuthors(
  sigrefs: SigrefsReader,
  authors: Iterable<NodeId>,
): Promise<RefsOfAuthors> {
  const { generation } = await sigrefs.basis();
  const refs = new Map<NodeId, { readonly commit: string; readonly refs: SignedRefs }>();
  for (const author of new Set(authors)) {
    // The commit is read first. If the references change in between, the references are newer than the
    // version, but never older.
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
 * Returns the branches and tags among signed references, sorted by the bytes of their full names, with the
 * commits to which they finally point. References that do not lead to a commit in this repository are left
 * out.
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

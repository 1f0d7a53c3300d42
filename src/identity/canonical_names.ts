/**
 * Reads canonical references: branches and tags that belong to the repository itself, not to a single node.
 * The rules of the identity document define which references are canonical. The node updates canonical
 * references in the storage.
 */
import { ifReadable } from "../errors.ts";
import { followTags, parseTag, type Tagger } from "../git/tags.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import type { IdentityDoc } from "./doc.ts";

const TAGS = "refs/tags/";
/** References in a namespace belong to a single node, so no rule can make them canonical. */
const NAMESPACES = "refs/namespaces/";

/**
 * Maximum number of canonical references that are shown for a repository, in the order of the rules, and for
 * each rule in the order of names.
 */
export const MAX_CANONICAL_NAMES = 10_000;

/** A canonical tag. */
export interface CanonicalTag {
  /** For an annotated tag, the object to which the tag points; otherwise the commit. */
  readonly commit: Oid;
  readonly tagger?: Tagger;
  readonly message?: string;
}

/** Canonical tags and other canonical references by their full names. */
export interface CanonicalNames {
  readonly tags: ReadonlyMap<string, CanonicalTag>;
  /** Commits by the full name of the reference. */
  readonly refs: ReadonlyMap<string, Oid>;
}

/** Reads the references that match a rule of the document. References that cannot be read are left out. */
export async function readCanonicalNames(
  repository: Repository,
  doc: IdentityDoc,
  task: Task,
): Promise<CanonicalNames> {
  const tags = new Map<string, CanonicalTag>();
  const refs = new Map<string, Oid>();
  for (const { pattern } of doc.readings.newest?.canonicalRefs?.rules ?? []) {
    for (const { name, oid } of await matchingRefs(repository, pattern)) {
      await task.yield();
      if (oid === undefined || tags.size + refs.size >= MAX_CANONICAL_NAMES) continue;
      if (name.startsWith(TAGS)) {
        const tag = await ifReadable(() => readTag(repository, oid, task));
        if (tag !== undefined) tags.set(name, tag);
      } else {
        const commit = await ifReadable(() => peelToCommit(repository, oid));
        if (commit !== undefined) refs.set(name, commit);
      }
    }
  }
  return { tags, refs };
}

/**
 * Returns the commit with this id, or the commit to which the tag with this id points, directly or through
 * other tags. Returns `undefined` for all other objects, and when an object is missing.
 */
export async function peelToCommit(repository: Repository, oid: Oid): Promise<Oid | undefined> {
  if ((await repository.header(oid))?.kind === "commit") return oid;
  const [target = oid] = await followTags(repository, [oid]);
  return (await repository.header(target))?.kind === "commit" ? target : undefined;
}

/** Returns the references whose names match a pattern. `*` matches any text, including slashes. */
async function matchingRefs(
  repository: Repository,
  pattern: string,
): Promise<readonly { readonly name: string; readonly oid?: Oid | undefined }[]> {
  if (pattern.startsWith(NAMESPACES)) return [];
  const star = pattern.indexOf("*");
  if (star < 0) {
    const ref = await repository.ref(pattern);
    return ref === undefined ? [] : [ref];
  }
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  const refs = await repository.refs(before.slice(0, before.lastIndexOf("/") + 1));
  return refs.filter(({ name }) =>
    name.startsWith(before) && name.endsWith(after) && name.length >= before.length + after.length
  );
}

async function readTag(repository: Repository, oid: Oid, task: Task): Promise<CanonicalTag | undefined> {
  const { kind } = await repository.header(oid) ?? {};
  if (kind === "commit") return { commit: oid };
  const object = kind === "tag" ? await repository.object(oid) : undefined;
  if (object === undefined) return undefined;
  const { target, ...rest } = await task.run(parseTag(object.bytes));
  return { commit: target, ...rest };
}

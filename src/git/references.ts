/** References resolved to their targets, and objects by the names that git gives them. */
import { type Oid, parseOid } from "../ids/oid.ts";
import type { Ref, Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import { memoize } from "../cache/memory.ts";
import { TextDigest } from "../text/digest.ts";
import { hasDigitsOnly } from "../ids/commitish.ts";
import { tryParseNid } from "../ids/nid.ts";
import { isRefname } from "../ids/refname.ts";

/** A reference with symbolic references resolved. */
export interface ResolvedRef {
  /** The name at the end of the chain. */
  readonly name: string;
  readonly oid: Oid;
}

/** Maximum length of a chain of symbolic references, as in git. */
export const MAX_SYMBOLIC_STEPS = 5;

/** Resolves a reference; `undefined` when it, or its target, does not exist. */
export async function resolveRef(repository: Repository, name: string): Promise<ResolvedRef | undefined> {
  for (let step = 0, at = name; step <= MAX_SYMBOLIC_STEPS; step++) {
    const ref = await repository.ref(at);
    if (ref === undefined) return undefined;
    if (ref.oid !== undefined) return { name: ref.name, oid: ref.oid };
    at = ref.target;
  }
  return undefined;
}

/**
 * All references below a prefix, resolved, under their own names in bytewise order. The repository's own
 * array when none is symbolic.
 */
export async function resolveRefs(
  repository: Repository,
  prefix: string,
  task: Task,
): Promise<readonly ResolvedRef[]> {
  const refs = await repository.refs(prefix);
  if (refs.every(isResolved)) return refs;
  const resolved: ResolvedRef[] = [];
  for (const ref of refs) {
    const oid = ref.oid ?? (await resolveRef(repository, ref.target))?.oid;
    if (oid !== undefined) resolved.push({ name: ref.name, oid });
    await task.yield();
  }
  return resolved;
}

function isResolved(ref: Ref): ref is Ref & ResolvedRef {
  return ref.oid !== undefined;
}

/** References that are hashed between two pauses: about a millisecond of work. */
const REFS_AT_ONCE = 1024;

/** Digest of a list of references, computed once for each array that a storage returns. */
export const digestOfRefs: (refs: readonly ResolvedRef[], task: Task) => Promise<string> = memoize(
  async (refs: readonly ResolvedRef[], task: Task) => {
    const digest = new TextDigest();
    for (let at = 0; at < refs.length; at += REFS_AT_ONCE) {
      digest.add(refs.slice(at, at + REFS_AT_ONCE).map(({ name, oid }) => `${oid} ${name}\n`).join(""));
      await task.yield();
    }
    return digest.end();
  },
);

/** Digits of an object id at most; more stand for nothing. */
const MAX_DIGITS = 40;

/**
 * The object that a name stands for, in the order of `git rev-parse`: `HEAD`, a full name, then below
 * `refs/`, `refs/tags/`, `refs/heads/` and `refs/remotes/`; last, `<nid>/<branch>` of a node's namespace.
 *
 * @param isShown Whether a reference may be found, by its full name; so must be the one to which a symbolic
 *   reference leads.
 * @returns `undefined` when there is no such reference; the object itself may be missing.
 */
export async function findNamedObject(
  repository: Repository,
  name: string,
  isShown: (ref: string) => boolean = () => true,
): Promise<Oid | undefined> {
  if (hasDigitsOnly(name)) return name.length <= MAX_DIGITS ? parseOid(name) : undefined;
  if (!isRefname(name)) return undefined;
  for (const ref of candidates(name)) {
    if (!isShown(ref)) continue;
    const found = await resolveRef(repository, ref);
    if (found !== undefined && isShown(found.name)) return found.oid;
  }
  return undefined;
}

function candidates(name: string): readonly string[] {
  const [first = "", ...rest] = name.split("/");
  const nid = rest.length > 0 ? tryParseNid(first) : undefined;
  return [
    ...(name === "HEAD" || name.startsWith("refs/") ? [name] : []),
    ...["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map((folder) => folder + name),
    ...(nid === undefined ? [] : [`refs/namespaces/${nid}/refs/heads/${rest.join("/")}`]),
  ];
}

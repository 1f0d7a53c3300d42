/**
 * Resolves references to their targets, selects references by patterns, determines which references are
 * hidden, and finds objects by the names that git uses.
 */
import { firstWhere } from "../bytes/bytes.ts";
import { type Oid, parseOid } from "../ids/oid.ts";
import type { Ref, Repository } from "../ports/storage.ts";
import { runSync, type Steps, type Task } from "../scheduling/task.ts";
import { memoize } from "../cache/memory.ts";
import { TextDigest } from "../text/digest.ts";
import { hasDigitsOnly, isRefname, parseRefPattern, type RefPattern } from "../ids/refname.ts";
import { type NodeId, tryParseNid } from "../ids/nid.ts";
import { compareUtf8 } from "../text/utf8.ts";

/** A reference with its object id. If the reference is symbolic, its target has been resolved. */
export interface ResolvedRef {
  /** The name of the last reference in the chain of symbolic references. */
  readonly name: string;
  readonly oid: Oid;
}

/** Maximum number of references that lead to an object, including the first and the last, as in git. */
export const MAX_REF_CHAIN = 5;

/** Resolves a reference. Returns `undefined` when the reference or its target does not exist. */
export async function resolveRef(repository: Repository, name: string): Promise<ResolvedRef | undefined> {
  const ref = await repository.ref(name);
  return ref && await followRef(repository, ref);
}

/** Resolves a reference that has already been read. Returns `undefined` when its target does not exist. */
export async function followRef(
  repository: Pick<Repository, "ref">,
  ref: Ref,
): Promise<ResolvedRef | undefined> {
  let at: Ref | undefined = ref;
  for (let read = 1; at !== undefined && read <= MAX_REF_CHAIN; read++) {
    if (at.oid !== undefined) return { name: at.name, oid: at.oid };
    if (read < MAX_REF_CHAIN) at = await repository.ref(at.target);
  }
  return undefined;
}

/**
 * Returns all references below a prefix, with symbolic references resolved, under their original names in
 * bytewise order. Returns the array of the repository itself when no reference is symbolic.
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
    const oid = ref.oid ?? (await followRef(repository, ref))?.oid;
    if (oid !== undefined) resolved.push({ name: ref.name, oid });
    await task.yield();
  }
  return resolved;
}

function isResolved(ref: Ref): ref is Ref & ResolvedRef {
  return ref.oid !== undefined;
}

/** Number of references that are hashed between two pauses, about a millisecond of work. */
const REFS_AT_ONCE = 1024;

/**
 * Returns the digest of an array of references. The digest is computed once for each array that a storage
 * returns.
 */
export const digestOfRefs: (refs: readonly ResolvedRef[], task: Task) => Promise<string> = memoize(
  async (refs: readonly ResolvedRef[], task: Task) => {
    const digest = new TextDigest();
    for (let at = 0; at < refs.length; at += REFS_AT_ONCE) {
      let text = "";
      for (const { name, oid } of refs.slice(at, at + REFS_AT_ONCE)) text += `${oid} ${name}\n`;
      digest.add(text);
      await task.yield();
    }
    return digest.end();
  },
);

/** Maximum length of an object id, in hexadecimal digits. */
const MAX_DIGITS = 40;

/**
 * Returns the id of the object to which a name refers. Tries the names in the order of `git rev-parse`:
 * `HEAD`, a full name, a name below `refs/`, `refs/tags/`, `refs/heads/` and `refs/remotes/`. The last
 * attempt is `<nid>/<branch>`, a branch in the namespace of a node.
 *
 * @param isShown Returns whether the reference with a full name may be found. For a symbolic reference, the
 *   function is called for its target as well.
 * @returns `undefined` when no such reference exists. The object itself may be missing.
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

/** Returns the full names that git tries for a name, in the order of git (gitrevisions). */
export function fullNames(name: string): readonly string[] {
  return [
    ...(name === "HEAD" || name.startsWith("refs/") ? [name] : []),
    ...["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map((folder) => folder + name),
  ];
}

function candidates(name: string): readonly string[] {
  const [first = "", ...rest] = name.split("/");
  const nid = rest.length > 0 ? tryParseNid(first) : undefined;
  return [
    ...fullNames(name),
    ...(nid === undefined ? [] : [`refs/namespaces/${nid}/refs/heads/${rest.join("/")}`]),
  ];
}

/** Number of references that are selected in one step, which takes less than a millisecond. */
const SELECTED_AT_ONCE = 512;

/**
 * Finds a reference by its name in sorted references, with a binary search. Returns `undefined` if none has
 * this name.
 */
export function findRef(refs: readonly Ref[], name: string): Ref | undefined {
  const ref = refs[lowerBound(refs, name)];
  return ref?.name === name ? ref : undefined;
}

/** Selects the references that match a pattern from sorted references, in the same order. */
export function* selectRefs(refs: readonly Ref[], { parts, isPrefix }: RefPattern): Steps<readonly Ref[]> {
  const selected: Ref[] = [];
  for (const ref of select(refs, "", isPrefix ? [...parts, ""] : parts)) {
    // Also pauses after a group of skipped references (`undefined`).
    if (ref !== undefined) selected.push(ref);
    if (ref === undefined || selected.length % SELECTED_AT_ONCE === 0) yield;
  }
  return selected;
}

/**
 * The character after the slash. Names that begin with `a0` sort directly after names that begin with `a/`.
 */
const AFTER_SLASH = "0";

/**
 * Yields the sorted references whose names consist of `path` and the given components. `*` matches any single
 * component; an empty component at the end matches any number of components. Yields `undefined` once for each
 * folder of references that is visited or skipped, so that the caller can pause.
 */
function* select(refs: readonly Ref[], path: string, parts: readonly string[]): Generator<Ref | undefined> {
  const star = parts.indexOf("*");
  if (star < 0) {
    const start = path + parts.join("/");
    const isPrefix = start.endsWith("/");
    for (let at = lowerBound(refs, start); refs[at]?.name.startsWith(start); at++) {
      if (!isPrefix && refs[at]!.name !== start) return;
      yield refs[at]!;
    }
    return;
  }
  const above = path + [...parts.slice(0, star), ""].join("/");
  const rest = parts.slice(star + 1);
  for (let at = lowerBound(refs, above); refs[at]?.name.startsWith(above);) {
    const ref = refs[at]!;
    const end = ref.name.indexOf("/", above.length);
    if (end < 0) {
      if (rest.length === 0) yield ref;
      at++;
    } else {
      yield undefined;
      if (rest.length > 0) yield* select(refs, ref.name.slice(0, end + 1), rest);
      at = lowerBound(refs, ref.name.slice(0, end) + AFTER_SLASH);
    }
  }
}

/** Returns the index of the first reference whose name is not less than `name`. */
function lowerBound(refs: readonly Ref[], name: string): number {
  return firstWhere(refs.length, (at) => compareUtf8(refs[at]!.name, name) >= 0);
}

/**
 * Maximum number of cached results of {@link RefTable.list}. When the maximum is reached, all cached results
 * are removed.
 */
export const MAX_CACHED_LISTS = 1000;
/** Approximate memory of a reference, in bytes. */
const REF_BYTES = 300;

/** References in bytewise order of their names. The references below each requested prefix are cached. */
export class RefTable {
  readonly #refs: readonly Ref[];
  readonly #lists = new Map<string, readonly Ref[]>();
  #listed = 0;

  constructor(refs: readonly Ref[]) {
    this.#refs = refs;
  }

  /** Approximate memory of the table, in bytes. */
  get weight(): number {
    return REF_BYTES * this.#refs.length + 8 * this.#listed + 200 * this.#lists.size;
  }

  get(name: string): Ref | undefined {
    return findRef(this.#refs, name);
  }

  /**
   * Returns the references that `prefix` selects, as described for `Repository.refs`. Returns the same array
   * for the same prefix.
   */
  list(prefix: string): readonly Ref[] {
    const cached = this.#lists.get(prefix);
    if (cached !== undefined) return cached;
    const pattern = parseRefPattern(prefix);
    const list = pattern === undefined ? [] : runSync(selectRefs(this.#refs, pattern));
    if (this.#lists.size >= MAX_CACHED_LISTS) {
      this.#lists.clear();
      this.#listed = 0;
    }
    this.#lists.set(prefix, list);
    this.#listed += list.length;
    return list;
  }
}

/** Folders of hidden references, both in a namespace and at the top of a repository. */
const HIDDEN_FOLDERS = ["refs/drafts", "refs/tmp"] as const;

const HIDDEN = /^((?:refs\/namespaces\/[^/]+\/)?refs\/(?:drafts|tmp))(?:\/|$)/;

/**
 * Patterns of hidden references for `git rev-list --exclude`, where `*` also matches slashes. The patterns
 * therefore exclude branches whose names contain such a folder. The commits of these branches can usually be
 * reached from other references.
 */
export const HIDDEN_PATTERNS: readonly string[] = HIDDEN_FOLDERS.flatMap((folder) => [
  `${folder}/*`,
  `refs/namespaces/*/${folder}/*`,
]);

/** Checks whether the reference with this full name is hidden from all clients. */
export function isHiddenRef(name: string): boolean {
  return HIDDEN.test(name);
}

/** Returns the folder of a hidden reference; `undefined` for a reference that is not hidden. */
export function hiddenFolderOf(name: string): string | undefined {
  return HIDDEN.exec(name)?.[1];
}

/**
 * Returns the folders in which programs on this machine may create hidden references at any time: at the top
 * of a repository, and in the namespace of the local node. Drafts of other nodes are not fetched.
 */
export function ownHiddenFolders(nodeId: NodeId): readonly string[] {
  return HIDDEN_FOLDERS.flatMap((folder) => [folder, `refs/namespaces/${nodeId}/${folder}`]);
}

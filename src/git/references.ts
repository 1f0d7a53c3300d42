/**
 * Resolves references to their targets, selects them by patterns, stores them in memory, knows which are
 * hidden, and finds objects by git's names.
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

/** A reference after symbolic references were resolved. */
export interface ResolvedRef {
  /** The name of the last reference in the chain. */
  readonly name: string;
  readonly oid: Oid;
}

/** Maximum number of references on the way to an object, including the first and the last one, as in git. */
export const MAX_REF_CHAIN = 5;

/** Resolves a reference; `undefined` when it, or its target, does not exist. */
export async function resolveRef(repository: Repository, name: string): Promise<ResolvedRef | undefined> {
  const ref = await repository.ref(name);
  return ref && await followRef(repository, ref);
}

/** Like {@link resolveRef}, from a reference that was read already. */
export async function followRef(repository: Repository, ref: Ref): Promise<ResolvedRef | undefined> {
  let at: Ref | undefined = ref;
  for (let read = 1; at !== undefined && read <= MAX_REF_CHAIN; read++) {
    if (at.oid !== undefined) return { name: at.name, oid: at.oid };
    if (read < MAX_REF_CHAIN) at = await repository.ref(at.target);
  }
  return undefined;
}

/**
 * All references below a prefix, resolved, under their original names in bytewise order. Returns the array of
 * the repository itself when no reference is symbolic.
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

/** References hashed between two pauses: about a millisecond of work. */
const REFS_AT_ONCE = 1024;

/** Digest of a list of references, computed once for each array that a storage returns. */
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

/** Longest object id in hexadecimal digits. Longer texts of digits match nothing. */
const MAX_DIGITS = 40;

/**
 * The object that a name refers to, in the order of `git rev-parse`: `HEAD`, a full name, then below `refs/`,
 * `refs/tags/`, `refs/heads/` and `refs/remotes/`; last, `<nid>/<branch>` of a node's namespace.
 *
 * @param isShown Whether a reference may be found, by its full name. The target of a symbolic reference must
 *   be shown, too.
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

/** The full names that git tries for a name, in its order (gitrevisions). */
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

/** References selected in one step: below a millisecond. */
const SELECTED_AT_ONCE = 512;

/** Binary search of a name in sorted references. */
export function findRef(refs: readonly Ref[], name: string): Ref | undefined {
  const ref = refs[lowerBound(refs, name)];
  return ref?.name === name ? ref : undefined;
}

/** Selects references from sorted references, in the same order. */
export function* selectRefs(refs: readonly Ref[], { parts, isPrefix }: RefPattern): Steps<readonly Ref[]> {
  const selected: Ref[] = [];
  for (const ref of select(refs, "", isPrefix ? [...parts, ""] : parts)) {
    // Skipped references also count as work.
    if (ref !== undefined) selected.push(ref);
    if (ref === undefined || selected.length % SELECTED_AT_ONCE === 0) yield;
  }
  return selected;
}

/** The byte after the slash: names that start with `a0` sort directly after names that start with `a/`. */
const AFTER_SLASH = "0";

/**
 * The sorted references whose names consist of `path` and the components after it. `*` matches any one
 * component; an empty component at the end matches any number of components.
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

/** Position of the first reference whose name is not less than `name`. */
function lowerBound(refs: readonly Ref[], name: string): number {
  return firstWhere(refs.length, (at) => compareUtf8(refs[at]!.name, name) >= 0);
}

/** Maximum number of cached lists. One more clears them all. */
export const MAX_CACHED_LISTS = 1000;
/** Approximate memory of a reference, in bytes. */
const REF_BYTES = 300;

/** References in bytewise order of their names. */
export class RefTable {
  readonly #refs: readonly Ref[];
  readonly #lists = new Map<string, readonly Ref[]>();
  #listed = 0;

  constructor(refs: readonly Ref[]) {
    this.#refs = refs;
  }

  /** Approximate memory, in bytes. */
  get weight(): number {
    return REF_BYTES * this.#refs.length + 8 * this.#listed + 200 * this.#lists.size;
  }

  get(name: string): Ref | undefined {
    return findRef(this.#refs, name);
  }

  /**
   * References that `prefix` selects, as described for `Repository.refs`. Returns the same array for the same
   * prefix.
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

/** Folders of hidden references, in a namespace or at the top of a repository. */
const HIDDEN_FOLDERS = ["refs/drafts", "refs/tmp"] as const;

const HIDDEN = /^((?:refs\/namespaces\/[^/]+\/)?refs\/(?:drafts|tmp))(?:\/|$)/;

/**
 * Patterns of hidden references for `git rev-list --exclude`, where `*` also matches slashes. They also match
 * branches whose names contain such a folder; other references usually lead to the commits of these.
 */
export const HIDDEN_PATTERNS: readonly string[] = HIDDEN_FOLDERS.flatMap((folder) => [
  `${folder}/*`,
  `refs/namespaces/*/${folder}/*`,
]);

/** Whether the reference with this full name is hidden from all clients. */
export function isHiddenRef(name: string): boolean {
  return HIDDEN.test(name);
}

/** The folder of a hidden reference; `undefined` for a reference that is not hidden. */
export function hiddenFolderOf(name: string): string | undefined {
  return HIDDEN.exec(name)?.[1];
}

/**
 * Folders in which programs on this machine may create hidden references at any time: at the top, and in
 * the namespace of the local node. Other nodes' drafts are not fetched.
 */
export function ownHiddenFolders(nodeId: NodeId): readonly string[] {
  return HIDDEN_FOLDERS.flatMap((folder) => [folder, `refs/namespaces/${nodeId}/${folder}`]);
}

/** Names of references in a storage, patterns that select them, and checks before a change of one. */
import { isRefname } from "../ids/refname.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import type { Ref, RefChange } from "../ports/storage.ts";
import { WriteError } from "../ports/write_error.ts";

/**
 * Whether a reference may be stored under this name: `HEAD`, or a valid name below `refs/`. Such a name is a
 * safe relative path.
 */
export function isStoredName(name: string): boolean {
  return name === "HEAD" || (name.startsWith("refs/") && isRefname(name));
}

/**
 * A selection of references, as `Repository.refs` takes it: names below a prefix, or one name; `*` matches
 * any one component.
 */
export interface RefPattern {
  /** The components, `*` among them. */
  readonly parts: readonly string[];
  /** Whether names that continue after the components are selected, or only names that end there. */
  readonly isPrefix: boolean;
  matches(name: string): boolean;
}

/** Parses a selection; `undefined` when no reference can match. */
export function parseRefPattern(text: string): RefPattern | undefined {
  const isPrefix = text.endsWith("/");
  const parts = (isPrefix ? text.slice(0, -1) : text).split("/");
  const example = parts.map((part) => part === "*" ? "any" : part).join("/") + (isPrefix ? "/any" : "");
  if (!isStoredName(example)) return undefined;
  if (!parts.includes("*")) {
    const matches = (name: string) => isPrefix ? name.startsWith(text) : name === text;
    return { parts, isPrefix, matches };
  }
  const matches = (name: string) => {
    const names = name.split("/");
    return (isPrefix ? names.length > parts.length : names.length === parts.length) &&
      parts.every((part, i) => part === "*" || part === names[i]);
  };
  return { parts, isPrefix, matches };
}

/**
 * Validates a change.
 *
 * @param isThere Whether an object exists, or comes with the change.
 * @throws {TypeError} when the name is invalid, or the object does not exist.
 */
export function checkRefChange(
  isThere: (oid: Oid) => boolean,
  name: string,
  { to }: RefChange,
): void {
  if (!name.startsWith("refs/") || !isStoredName(name)) {
    throw new TypeError(`"${name}" cannot be the name of a changed reference: expected refs/…`);
  }
  if (!isOid(to) || !isThere(to)) {
    throw new TypeError(`"${name}" cannot point to "${to}": there is no such object`);
  }
}

/**
 * Checks that a name is free in git's file layout of references: a name cannot also be a folder of another
 * name.
 *
 * @throws {WriteError} `conflict` when it is not free.
 */
export function checkRefPlace(
  references: { ref(name: string): Ref | undefined; refs(prefix: string): readonly Ref[] },
  name: string,
): void {
  const taken = foldersOf(name).some((folder) => references.ref(folder) !== undefined) ||
    references.refs(name + "/").length > 0;
  if (taken) throw new WriteError("conflict", `There are references below ${name}, or one is a folder of it`);
}

/** The folders of a name, outermost first: the text before each `/`. */
export function foldersOf(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

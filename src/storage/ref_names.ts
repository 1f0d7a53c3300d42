/** Checks that run before a change of a reference. */
import { isStoredName } from "../ids/refname.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import type { Ref, RefChange } from "../ports/storage.ts";
import { WriteError } from "../ports/write_error.ts";

/**
 * Validates a change.
 *
 * @param isThere Whether an object exists, or is part of the change.
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
 * Checks that a name is free in git's file layout of references: a reference cannot also be a folder of
 * another reference.
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

/** The folders of a name, outermost first: the part of the name before each `/`. */
export function foldersOf(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

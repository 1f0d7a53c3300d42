/** Checks that run before a reference is changed. */
import { isStoredName } from "../ids/refname.ts";
import { isOid, type Oid } from "../ids/oid.ts";
import type { Ref, RefChange } from "../ports/storage.ts";
import { WriteError } from "../ports/write_error.ts";

/**
 * Validates a change of a reference.
 *
 * @param isThere Returns whether an object exists, or is part of the change.
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
 * Checks that no other reference prevents a reference with this name. In git, the name of a reference cannot
 * also be the name of a folder with other references.
 *
 * @throws {WriteError} with the reason `conflict` when the name cannot be used.
 */
export function checkRefPlace(
  references: { ref(name: string): Ref | undefined; refs(prefix: string): readonly Ref[] },
  name: string,
): void {
  const taken = foldersOf(name).some((folder) => references.ref(folder) !== undefined) ||
    references.refs(name + "/").length > 0;
  if (taken) throw new WriteError("conflict", `There are references below ${name}, or one is a folder of it`);
}

/** Returns the folders in a name, outermost first. For `refs/heads/x`, these are `refs` and `refs/heads`. */
export function foldersOf(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

/** What every storage checks before it changes a reference. */
import { isOid, type Oid } from "../ids/oid.ts";
import type { Ref, RefChange } from "../ports/storage.ts";
import { WriteError } from "../ports/write_error.ts";
import { isStoredName } from "./ref_names.ts";

/**
 * Checks a change as such.
 *
 * @param isThere Whether an object is there, or comes with the change.
 * @throws {TypeError} when no reference can have that name, or the object is not there.
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
 * Checks that a name is free as git's storage of references in files has it: a name is never also a folder of another name.
 *
 * @throws {WriteError} `conflict` when it is not.
 */
export function checkRefPlace(
  references: { ref(name: string): Ref | undefined; refs(prefix: string): readonly Ref[] },
  name: string,
): void {
  const taken = foldersOf(name).some((folder) => references.ref(folder) !== undefined) ||
    references.refs(name + "/").length > 0;
  if (taken) throw new WriteError("conflict", `There are references below ${name}, or one is a folder of it`);
}

/** The folders above a name, from the outermost on: what stands before each `/`. */
export function foldersOf(name: string): string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

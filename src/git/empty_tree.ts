/** The tree without entries. As in git, every repository has this tree, whether it is stored or not. */
import type { Oid } from "../ids/oid.ts";
import type { GitObject, ObjectHeader } from "../ports/storage.ts";

/** Id of the tree without entries. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904" as Oid;

const OBJECT: GitObject = { kind: "tree", bytes: new Uint8Array(0) };

/**
 * Returns the object of {@link EMPTY_TREE}; `undefined` for any other id. Storages call this function for
 * missing objects.
 */
export function unstoredObject(oid: Oid): GitObject | undefined {
  return oid === EMPTY_TREE ? OBJECT : undefined;
}

/** Returns the kind and size of {@link EMPTY_TREE}; `undefined` for any other id. */
export function unstoredHeader(oid: Oid): ObjectHeader | undefined {
  return oid === EMPTY_TREE ? { kind: OBJECT.kind, size: OBJECT.bytes.length } : undefined;
}

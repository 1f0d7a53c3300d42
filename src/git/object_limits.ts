/**
 * Maximum sizes of objects, checked before the content is read: a larger object costs neither time nor
 * memory.
 */
import { TooLargeError } from "../errors.ts";
import type { ObjectHeader, ObjectKind, ReadLimits } from "../ports/storage.ts";

/** Maximum size of a commit, in bytes: room for 100,000 parents. */
export const MAX_COMMIT_BYTES = 5 * 2 ** 20;
/** Maximum size of a tree, in bytes: some 400,000 entries. */
export const MAX_TREE_BYTES = 16 * 2 ** 20;
/** Maximum size of a tag, in bytes. */
export const MAX_TAG_BYTES = 2 ** 20;
/** Maximum size of a blob, in bytes. */
export const MAX_BLOB_BYTES = 16 * 2 ** 20;

/** Maximum size of content by kind of object, in bytes. Kind and size of larger objects can still be read. */
export const OBJECT_LIMITS: Readonly<Record<ObjectKind, number>> = {
  commit: MAX_COMMIT_BYTES,
  tree: MAX_TREE_BYTES,
  tag: MAX_TAG_BYTES,
  blob: MAX_BLOB_BYTES,
};

/**
 * Maximum cost of an object that is read at once, in bytes decompressed, copied and produced: some ten
 * milliseconds.
 */
export const READ_AT_ONCE_BYTES: number = 4 * 2 ** 20;

/**
 * The base of a delta may exceed the limit of its kind by this factor: when a file has grown beyond the
 * limit, its earlier, shorter versions are deltas of it.
 */
export const MAX_LINK_FACTOR = 2;

const NAMES: Readonly<Record<ObjectKind, string>> = {
  commit: "Commit",
  tree: "Tree",
  tag: "Tag",
  blob: "File",
};

/**
 * Refuses an object beyond the limits of a read or {@link OBJECT_LIMITS}.
 *
 * @throws {TooLargeError}
 */
export function checkObjectSize({ kind, size }: ObjectHeader, limits?: ReadLimits): void {
  const limit = Math.min(OBJECT_LIMITS[kind], limits?.limitBytes ?? Infinity);
  if (size > limit) throw new TooLargeError(`${NAMES[kind]} is larger than ${limit} bytes`);
}

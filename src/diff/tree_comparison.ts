/**
 * Finds the files that differ between two trees. Folders with equal ids are skipped, so the cost depends only
 * on the changed folders.
 */
import { DamagedError, TooLargeError } from "../errors.ts";
import { BATCH_BYTES } from "../git/objects.ts";
import { differingEntries, type EntryKind, type EntryPair, type TreeCursor } from "../git/tree.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import { Budget, MIN_OBJECT_COST } from "./budget.ts";

/** A file in the old or the new tree. */
export interface FileSide {
  readonly oid: Oid;
  /** Type of the file, never `tree`. A `commit` is a submodule. */
  readonly mode: EntryKind;
}

/** A differing file: an added file has only `new`, a deleted file only `old`, and a modified file both. */
export interface Change {
  /** Path below the root. Bytes that are not UTF-8 are replaced by U+FFFD. */
  readonly path: string;
  readonly old?: FileSide;
  readonly new?: FileSide;
}

/**
 * Maximum number of differing files in one diff. A few trees that contain each other several times can
 * represent billions of files.
 */
export const MAX_CHANGES = 200_000;
/** Minimum size of a file entry in a tree, in bytes: its mode, a name of one byte, and its id. */
const MIN_FILE_BYTES = "100644 f\0".length + OID_BYTES;
/** Maximum length of a path in bytes, as on Linux. */
const MAX_PATH_BYTES = 4096;
/** Number of folder pairs that are read in one batch. */
const PAIRS_PER_READ = 16;

const NO_BYTES = new Uint8Array();
const NO_TREE: GitObject = { kind: "tree", bytes: NO_BYTES };
const SLASH = 0x2f;

// Paths may contain invalid UTF-8, so the decoder must not throw.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A differing file with the bytes of its path, by which files are sorted. */
interface FoundChange {
  readonly pathBytes: Uint8Array;
  readonly change: Change;
}

/** A folder that differs between the trees. The id of the missing folder is `undefined`. */
interface FolderPair {
  /** Path of the folder: empty for the root, otherwise ending in a slash. */
  readonly path: Uint8Array;
  readonly old: Oid | undefined;
  readonly new: Oid | undefined;
}

/**
 * Returns the files that differ, in bytewise order of their paths. A missing id counts as an empty tree. As
 * in libgit2, a change of the type (file, link, submodule or folder) is a deletion followed by an addition.
 *
 * @throws {DamagedError} when a tree is missing or damaged.
 * @throws {OverBudgetError} when the trees exceed the budget. A tree that alone exceeds the budget is not
 * read.
 * @throws {TooLargeError} when too many files differ, or a path is too long.
 */
export async function compareTrees(
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid | undefined,
  budget: Budget = new Budget(),
): Promise<readonly Change[]> {
  const comparison: Comparison = { found: [], folders: [], budget };
  const { folders, found } = comparison;
  if (oldTree !== newTree) folders.push({ path: NO_BYTES, old: oldTree, new: newTree });
  while (folders.length > 0) {
    const pairs = folders.splice(-PAIRS_PER_READ);
    const oids: Oid[] = [];
    for (const { old, new: now } of pairs) {
      if (old !== undefined) oids.push(old);
      if (now !== undefined) oids.push(now);
    }
    await budget.yield();
    const limits = { batchBytes: BATCH_BYTES, limitBytes: budget.treeBytesLeft };
    const objects = await repository.objects(oids, limits);
    let next = 0;
    for (const [i, pair] of pairs.entries()) {
      // The batch may contain fewer objects than were requested.
      if (next > 0 && next >= objects.length) {
        folders.push(...pairs.slice(i));
        break;
      }
      const trees: GitObject[] = [];
      for (const oid of [pair.old, pair.new]) {
        const object = oid === undefined ? NO_TREE : objects[next++];
        trees.push(object?.kind === "tree" ? object : await readTree(repository, oid!, budget));
      }
      const [old, now] = trees as [GitObject, GitObject];
      await compareFolder(comparison, pair.path, old.bytes, now.bytes);
      old.release?.();
      now.release?.();
    }
  }
  return found.sort(byPath).map(({ change }) => change);
}

/** Reads a tree that is too large for a batch, missing or damaged. */
async function readTree(repository: Repository, oid: Oid, budget: Budget): Promise<GitObject> {
  const size = (await repository.header(oid))?.size ?? 0;
  if (size > budget.treeBytesLeft) budget.spendTreeBytes(size);
  const object = await repository.object(oid);
  if (object?.kind !== "tree") throw new DamagedError(`Object ${oid} is missing or not a tree`);
  return object;
}

interface Comparison {
  readonly found: FoundChange[];
  readonly folders: FolderPair[];
  readonly budget: Budget;
}

async function compareFolder(
  comparison: Comparison,
  path: Uint8Array,
  oldBytes: Uint8Array,
  newBytes: Uint8Array,
): Promise<void> {
  const { budget } = comparison;
  budget.spendTreeBytes(Math.max(oldBytes.length + newBytes.length, MIN_OBJECT_COST));
  if (oldBytes.length + newBytes.length > MAX_CHANGES * MIN_FILE_BYTES) {
    await requireFewFiles(comparison, oldBytes, newBytes);
  }
  for (const pair of differingEntries(oldBytes, newBytes)) {
    if (pair === undefined) await budget.yield();
    else addPair(comparison, path, pair);
  }
}

async function requireFewFiles(
  { found, budget }: Comparison,
  oldBytes: Uint8Array,
  newBytes: Uint8Array,
): Promise<void> {
  let files = found.length;
  for (const pair of differingEntries(oldBytes, newBytes)) {
    if (pair === undefined) {
      await budget.yield();
      continue;
    }
    const { old, new: now } = pair;
    if (isSame(old, now) || (old?.kind ?? "tree") === "tree" && (now?.kind ?? "tree") === "tree") continue;
    if (++files > MAX_CHANGES) throw tooManyFiles();
  }
}

function addPair(comparison: Comparison, folder: Uint8Array, { old, new: now }: EntryPair): void {
  if (isSame(old, now)) return;
  if (old !== undefined && now !== undefined && typeOf(old.kind) !== typeOf(now.kind)) {
    addPair(comparison, folder, { old });
    addPair(comparison, folder, { new: now });
    return;
  }
  const { found, folders, budget } = comparison;
  const [oldOid, newOid] = [old?.oid, now?.oid];
  const { bytes, nameStart, nameEnd, kind } = (old ?? now)!;
  const length = folder.length + nameEnd - nameStart;
  if (length > MAX_PATH_BYTES) throw new TooLargeError(`A path has more than ${MAX_PATH_BYTES} bytes`);
  budget.spendTreeBytes(length);
  const pathBytes = new Uint8Array(kind === "tree" ? length + 1 : length);
  pathBytes.set(folder);
  pathBytes.set(bytes.subarray(nameStart, nameEnd), folder.length);
  if (kind === "tree") {
    pathBytes[length] = SLASH;
    folders.push({ path: pathBytes, old: oldOid, new: newOid });
    return;
  }
  if (found.length === MAX_CHANGES) throw tooManyFiles();
  const change = {
    path: decoder.decode(pathBytes),
    ...(old && { old: { oid: oldOid!, mode: old.kind } }),
    ...(now && { new: { oid: newOid!, mode: now.kind } }),
  };
  found.push({ pathBytes, change });
}

/** Checks whether two entries of the same name are equal. Different modes of the same type count as equal. */
function isSame(old: TreeCursor | undefined, now: TreeCursor | undefined): boolean {
  return old !== undefined && now !== undefined && old.kind === now.kind && old.hasIdOf(now);
}

function tooManyFiles(): TooLargeError {
  return new TooLargeError(`Trees differ in more than ${MAX_CHANGES} files`);
}

/** Returns the type without the executable bit, because a change of only this bit is a modification. */
function typeOf(kind: EntryKind): EntryKind {
  return kind === "blobExecutable" ? "blob" : kind;
}

function byPath({ pathBytes: a }: FoundChange, { pathBytes: b }: FoundChange): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

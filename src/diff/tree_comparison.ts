/**
 * Finds the files that differ between two trees. Skips folders with equal ids, so the cost depends on the
 * changed folders only.
 */
import { DamagedError, TooLargeError } from "../errors.ts";
import { BATCH_BYTES } from "../git/objects.ts";
import { differingEntries, type EntryKind, type EntryPair, type TreeCursor } from "../git/tree.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";
import type { GitObject, Repository } from "../ports/storage.ts";
import { Budget, MIN_OBJECT_COST } from "./budget.ts";

/** A file on one side of a comparison. */
export interface FileSide {
  readonly oid: Oid;
  /** Never `tree`; `commit` is a submodule. */
  readonly mode: EntryKind;
}

/** A differing file: `new` only for an added file, `old` only for a deleted one, both for a modified one. */
export interface Change {
  /** Path below the root, with U+FFFD for what is not UTF-8. */
  readonly path: string;
  readonly old?: FileSide;
  readonly new?: FileSide;
}

/**
 * Most differing files of one diff. The limit prevents attacks: a few trees that contain each other several
 * times stand for billions of files.
 */
export const MAX_CHANGES = 200_000;
/** Least bytes of a file in a tree: its mode, a name of one byte, and its id. */
const MIN_FILE_BYTES = "100644 f\0".length + OID_BYTES;
/** Most bytes in a path, as on Linux; this also limits the nesting of folders. */
const MAX_PATH_BYTES = 4096;
/** Pairs of folders read in one batch. */
const PAIRS_PER_READ = 16;

const NO_BYTES = new Uint8Array();
const NO_TREE: GitObject = { kind: "tree", bytes: NO_BYTES };
const SLASH = 0x2f;

// Paths may be invalid UTF-8, so the decoder does not throw.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A differing file, and the bytes of its path, by which files are sorted. */
interface FoundChange {
  readonly pathBytes: Uint8Array;
  readonly change: Change;
}

/** A folder that differs; absent on a side where it does not exist. */
interface FolderPair {
  /** Empty, or ending in a slash. */
  readonly path: Uint8Array;
  readonly old: Oid | undefined;
  readonly new: Oid | undefined;
}

/**
 * The files that differ, in bytewise order of their paths. An absent tree counts as empty. As in libgit2, a
 * change between file, link, submodule and folder is a deletion followed by an addition.
 *
 * @throws {DamagedError} when a tree is missing or damaged.
 * @throws {OverBudgetError} when the trees exceed the budget; a tree that exceeds it alone is not read.
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
      // The batch may have been cut short.
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

/** Reads a tree that could not be read in a batch, because it is too large, missing or damaged. */
async function readTree(repository: Repository, oid: Oid, budget: Budget): Promise<GitObject> {
  const size = (await repository.header(oid))?.size ?? 0;
  if (size > budget.treeBytesLeft) budget.spendTreeBytes(size);
  const object = await repository.object(oid);
  if (object?.kind !== "tree") throw new DamagedError(`Object ${oid} is missing or not a tree`);
  return object;
}

/** The changes found so far, and the folders still to be compared. */
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

/** Counts the files that differ, before memory is spent on them. */
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

/** Whether two entries of the same name are equal. Several modes may stand for one kind. */
function isSame(old: TreeCursor | undefined, now: TreeCursor | undefined): boolean {
  return old !== undefined && now !== undefined && old.kind === now.kind && old.hasIdOf(now);
}

function tooManyFiles(): TooLargeError {
  return new TooLargeError(`Trees differ in more than ${MAX_CHANGES} files`);
}

/** The kind, without the executable bit: a change of that bit alone is a modification. */
function typeOf(kind: EntryKind): EntryKind {
  return kind === "blobExecutable" ? "blob" : kind;
}

function byPath({ pathBytes: a }: FoundChange, { pathBytes: b }: FoundChange): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

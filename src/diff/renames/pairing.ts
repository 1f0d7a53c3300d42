/** Finds moved and copied files: pairs of an old and an added file that libgit2 considers similar. */
import type { Oid } from "../../ids/oid.ts";
import { type Blobs, blobsOf } from "../blobs.ts";
import { Budget } from "../budget.ts";
import type { Libgit2Calls } from "../libgit2/engine.ts";
import { renameSourcesOf } from "../libgit2/scratch_repository.ts";
import type { Change } from "../tree_comparison.ts";
import { type Candidates, findRelations, MIN_SIMILARITY, type Relation } from "./relations.ts";

/**
 * A line of the list: a letter, the old name, and the new name if it differs. A star follows the name of an
 * executable file.
 */
const STATUS_LINE = /^([ACDMR])\t(\d+)[ *]?(?: +(\d+)[ *]?)?$/;

/**
 * Maximum number of file pairs that libgit2 searches. A larger search would take more than six seconds, and
 * leave out most old files.
 */
const MAX_PAIRS_OF_LIBGIT2 = 2 ** 20;

/** The two sides of one file. Each side belongs to a change. */
export interface FilePair {
  /** The change with the old side; the same as `to`, unless the file was moved or copied. */
  readonly from: Change;
  /** The change with the new side. */
  readonly to: Change;
  readonly isRename: boolean;
}

/** The changes of a diff, their blobs, and the possible renames. */
export interface PairedFiles {
  readonly changes: readonly Change[];
  readonly blobs: Blobs;
  /** Files that may have been moved or copied; `undefined` if no file can have been. */
  readonly candidates: Candidates | undefined;
}

/**
 * Returns the files of a diff, in the order of their new paths. If every file is similar to at most one other
 * file, libgit2 compares only the pairs whose similarity is uncertain. If a file is similar to several files,
 * libgit2 compares all files. If that would take too long, each added file is paired with the most similar
 * old file, without libgit2.
 *
 * @throws {DamagedError} when the content of a blob does not match its id.
 * @throws {OverBudgetError} when the files to be compared, in this module or by libgit2, are too large.
 * @throws {Libgit2Error} when libgit2 fails.
 */
export async function pairFiles(
  libgit2: Libgit2Calls,
  { changes, blobs, candidates }: PairedFiles,
  budget: Budget = new Budget(),
): Promise<readonly FilePair[]> {
  await budget.yield();
  if (candidates === undefined) return changes.map(unpaired);
  budget.check("renameBytes", candidates.comparedBytes);
  const { compared } = candidates;
  const { pairs, areAll } = pairsOfLibgit2(changes);
  const isLong = pairs > MAX_PAIRS_OF_LIBGIT2;
  /** The best relation of each added file. */
  const found = new Map<Change, Relation>();
  const sources = new Set<Change>();
  /**
   * Stores a relation. Returns `false` to end the search when a file has a second relation, because libgit2
   * has to search in this case. If the search of libgit2 would take too long, stores the most similar old
   * file of each added file instead.
   */
  function take(relation: Relation): boolean {
    const { from, to, similarity } = relation;
    const best = found.get(to);
    if (!isLong && (best !== undefined || sources.has(from))) return false;
    sources.add(from);
    const isBetter = best === undefined
      ? !isLong || similarity >= MIN_SIMILARITY
      : similarity > best.similarity || similarity === best.similarity && from.path < best.from.path;
    if (isBetter) found.set(to, relation);
    return true;
  }
  const areFound = (isLong || areAll) && await findRelations(candidates, blobs, take, budget);
  if (!areFound) return await askForPairs(libgit2, changes, compared, blobs, budget);
  const paired: FilePair[] = [];
  const moved = new Set<Change>();
  const open = new Set<Change>();
  for (const { from, to, areSurelyAlike } of [...found.values()].sort(bySimilarity)) {
    if (!isLong && !areSurelyAlike) {
      open.add(from).add(to);
      continue;
    }
    // A deleted file was moved to the most similar target. Further targets are copies.
    const isRename = from.new === undefined && !moved.has(from);
    if (isRename) moved.add(from);
    paired.push({ from, to, isRename });
  }
  if (open.size > 0) {
    const asked = changes.filter((change) => open.has(change));
    paired.push(...await askForPairs(libgit2, asked, compared, blobs, budget));
  }
  return inOrder(changes, paired);
}

/** Returns how many file pairs libgit2 compares, and whether these are all possible pairs. */
function pairsOfLibgit2(changes: readonly Change[]): { readonly pairs: number; readonly areAll: boolean } {
  let added = 0;
  for (const { old } of changes) if (old === undefined) added++;
  const [sources, most] = [changes.length - added, renameSourcesOf(added)];
  return { pairs: Math.min(sources, most) * added, areAll: sources <= most };
}

/** Orders relations by similarity, the highest first, and then by the path of the added file. */
function bySimilarity(a: Relation, b: Relation): number {
  return b.similarity - a.similarity || (a.to.path < b.to.path ? -1 : 1);
}

function unpaired(change: Change): FilePair {
  return { from: change, to: change, isRename: false };
}

/**
 * Returns the files of all changes in the order of their new paths. The old path of a moved file is left out.
 */
function inOrder(changes: readonly Change[], pairs: readonly FilePair[]): readonly FilePair[] {
  const files = new Map<Change, FilePair | undefined>();
  for (const pair of pairs) files.set(pair.to, pair);
  for (const { from, isRename } of pairs) if (isRename) files.set(from, undefined);
  const ordered: FilePair[] = [];
  for (const change of changes) {
    const file = files.has(change) ? files.get(change) : unpaired(change);
    if (file !== undefined) ordered.push(file);
  }
  return ordered;
}

/** Returns the pairs that libgit2 finds. libgit2 does not get the contents of blobs that are not compared. */
async function askForPairs(
  libgit2: Libgit2Calls,
  changes: readonly Change[],
  compared: ReadonlySet<Oid>,
  blobs: Blobs,
  budget: Budget,
): Promise<readonly FilePair[]> {
  budget.check("enginePairs", pairsOfLibgit2(changes).pairs);
  // libgit2 must see that a file is modified, because the old content of a modified file can be the source of
  // a copy. The new content does not matter. So all modified files get the same new blob.
  const shown = changes.map((change): Change =>
    change.old && change.new ? { ...change, new: { ...change.new, oid: ANY_OTHER } } : change
  );
  const contents = new Map<Oid, Uint8Array | undefined>();
  const wanted: Oid[] = [];
  for (const oid of blobsOf(shown)) {
    contents.set(oid, undefined);
    if (compared.has(oid)) wanted.push(oid);
  }
  budget.check("engineBytes", blobs.bytesIn(wanted));
  for await (const read of blobs.read(wanted)) for (const [oid, bytes] of read) contents.set(oid, bytes);
  return readStatus(await libgit2.status(shown, contents), changes);
}

/** Id that stands for the new blob of every modified file in the data for libgit2. */
const ANY_OTHER = "0000000000000000000000000000000000000001" as Oid;

/**
 * Thresholds that decide whether the contents of two files are compared, in binary digits of their sizes. A
 * file with at most `SMALL_SIZE_DIGITS` digits (below 256 bytes) is compared with files of any size. Larger
 * files are compared if their digits differ by at most `MAX_SIZE_DIGITS_APART`, because libgit2 does not
 * compare two files if one is more than eight times as large as the other.
 */
const [SMALL_SIZE_DIGITS, MAX_SIZE_DIGITS_APART] = [8, 3];

/**
 * In the item at index `n`, bit `m` is set if files whose sizes have `n` and `m` binary digits are compared.
 */
const SIZES_LIKE = Array.from({ length: 32 }, (_, digits) => {
  let sizes = 0;
  for (let others = 0; others < 32; others++) {
    const isSmall = Math.min(digits, others) <= SMALL_SIZE_DIGITS;
    if (isSmall || Math.abs(digits - others) <= MAX_SIZE_DIGITS_APART) sizes |= 1 << others;
  }
  return sizes;
});

/**
 * Returns the files that may have been moved or copied, and their possible originals; `undefined` if no
 * rename is possible.
 */
export function candidatesAmong(
  changes: readonly Change[],
  blobs: Pick<Blobs, "sizeOf" | "bytesIn">,
): Candidates | undefined {
  const [sources, targets] = [new Map<Oid, Change[]>(), new Map<Oid, Change[]>()];
  for (const change of changes) {
    const files = change.old === undefined ? targets : sources;
    const { oid } = (change.old ?? change.new)!;
    const same = files.get(oid);
    if (same === undefined) files.set(oid, [change]);
    else same.push(change);
  }
  if (sources.size === 0 || targets.size === 0) return undefined;
  const compared = new Set<Oid>();
  for (const [some, others] of [[sources, targets], [targets, sources]] as const) {
    /**
     * The sizes that are compared with at least one file of `others`, as bits like an item of `SIZES_LIKE`.
     */
    let like = 0;
    for (const oid of others.keys()) {
      const size = blobs.sizeOf(oid);
      if (size !== undefined) like |= SIZES_LIKE[digitsOf(size)]!;
    }
    for (const oid of some.keys()) {
      const size = blobs.sizeOf(oid);
      if (size !== undefined && (like >> digitsOf(size) & 1) === 1) compared.add(oid);
    }
  }
  if (compared.size === 0 && ![...targets.keys()].some((oid) => sources.has(oid))) return undefined;
  return { sources, targets, compared, comparedBytes: blobs.bytesIn(compared) };
}

/** Returns the number of binary digits of a size. */
function digitsOf(size: number): number {
  return 32 - Math.clz32(size);
}

/**
 * Parses the list of changed files that libgit2 prints, one file in each line. Each line contains an index of
 * `changes` instead of a path.
 *
 * @throws {TypeError} when the text is not such a list.
 */
export function readStatus(list: string, changes: readonly Change[]): readonly FilePair[] {
  return list.split("\n").slice(0, -1).map((line) => {
    const [, letter, source, target = source] = STATUS_LINE.exec(line) ?? [];
    const [from, to] = [changes[Number(source)], changes[Number(target)]];
    if (from === undefined || to === undefined) throw new TypeError("Not a list of these changes");
    return { from, to, isRename: letter === "R" };
  });
}

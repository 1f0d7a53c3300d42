/** Pairs the sides of moved and copied files: files that libgit2 finds similar. */
import type { Oid } from "../../ids/oid.ts";
import { type Blobs, blobsOf } from "../blobs.ts";
import { Budget } from "../budget.ts";
import type { Libgit2Calls } from "../libgit2/engine.ts";
import { renameSourcesOf } from "../libgit2/scratch_repository.ts";
import type { Change } from "../tree_comparison.ts";
import { type Candidates, findRelations, MIN_SIMILARITY, type Relation } from "./relations.ts";

/** A letter, the old name, and the new name if it differs; a star follows the name of an executable file. */
const STATUS_LINE = /^([ACDMR])\t(\d+)[ *]?(?: +(\d+)[ *]?)?$/;

/**
 * Pairs of files above which libgit2 does not search: it would take more than six seconds, and omit most old
 * files.
 */
const MAX_PAIRS_OF_LIBGIT2 = 2 ** 20;

/** The changes with the two sides of one file. */
export interface FilePair {
  /** The change that has the old side: `to` itself unless the file was moved or copied. */
  readonly from: Change;
  /** The change that has the new side. */
  readonly to: Change;
  readonly isRename: boolean;
}

/** Files of a diff with their blobs, and the candidates among them. */
export interface PairedFiles {
  readonly changes: readonly Change[];
  readonly blobs: Blobs;
  /** `undefined` if no file can have been moved or copied. */
  readonly candidates: Candidates | undefined;
}

/**
 * The files of a diff, in the order of their new paths. If every file is similar to one other file at most,
 * libgit2 compares only the pairs whose similarity is uncertain. If a file is similar to several, libgit2
 * compares all files, because its choice depends on all of them. If that would take too long, each added file
 * is paired with the most similar old one.
 *
 * @throws {DamagedError} when a blob's content does not match its id.
 * @throws {OverBudgetError} when the files to be compared, here or by libgit2, are too large.
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
  /** One relation of each added file. */
  const found = new Map<Change, Relation>();
  const sources = new Set<Change>();
  /**
   * Takes a relation while no file has more than one. If libgit2 does not search, takes for each added file
   * the relation to the most similar old file, among equally similar ones the first by path.
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
    // A deleted file was moved to the most similar of its targets; the other targets are copies of it.
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

/** Pairs of an old and an added file that libgit2 compares, and whether these are all. */
function pairsOfLibgit2(changes: readonly Change[]): { readonly pairs: number; readonly areAll: boolean } {
  let added = 0;
  for (const { old } of changes) if (old === undefined) added++;
  const [sources, most] = [changes.length - added, renameSourcesOf(added)];
  return { pairs: Math.min(sources, most) * added, areAll: sources <= most };
}

/** The order of relations: the most similar first. */
function bySimilarity(a: Relation, b: Relation): number {
  return b.similarity - a.similarity || (a.to.path < b.to.path ? -1 : 1);
}

/** A file that was neither moved nor copied. */
function unpaired(change: Change): FilePair {
  return { from: change, to: change, isRename: false };
}

/** The files of all changes in the order of their new paths. Omits the old path of a moved file. */
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

/** The pairs that libgit2 finds. Only submodules have no contents. */
async function askForPairs(
  libgit2: Libgit2Calls,
  changes: readonly Change[],
  compared: ReadonlySet<Oid>,
  blobs: Blobs,
  budget: Budget,
): Promise<readonly FilePair[]> {
  budget.check("enginePairs", pairsOfLibgit2(changes).pairs);
  // The new content of a modified file does not matter, only that the file exists: one content for all.
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

/** Id of the content that replaces the new content of modified files. */
const ANY_OTHER = "0000000000000000000000000000000000000001" as Oid;

/**
 * Most binary digits in the size of a file that is compared with files of any size: below 256 bytes; and
 * most digits between the sizes of two others. libgit2 does not compare files of which one is more than eight
 * times as large as the other.
 */
const [SMALL_SIZE_DIGITS, MAX_SIZE_DIGITS_APART] = [8, 3];

/** For each number of digits a bit for each number that a file to be compared with such a file may have. */
const SIZES_LIKE = Array.from({ length: 32 }, (_, digits) => {
  let sizes = 0;
  for (let others = 0; others < 32; others++) {
    const isSmall = Math.min(digits, others) <= SMALL_SIZE_DIGITS;
    if (isSmall || Math.abs(digits - others) <= MAX_SIZE_DIGITS_APART) sizes |= 1 << others;
  }
  return sizes;
});

/**
 * The files among which moved and copied ones are looked for: added files, and others by their old sides.
 * `undefined` if no rename is possible.
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
    /** The sizes that may be like those of the others, as in {@link SIZES_LIKE}. */
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

/** Binary digits of a size. */
function digitsOf(size: number): number {
  return 32 - Math.clz32(size);
}

/**
 * Parses the list of files that libgit2 prints, where the number of a change replaces its path.
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

/** Pairs the sides of moved and copied files: files that libgit2 finds similar. */
import type { Oid } from "../../ids/oid.ts";
import { type Blobs, blobsOf } from "../blobs.ts";
import { Budget } from "../budget.ts";
import type { Libgit2Calls } from "../libgit2/engine.ts";
import { renameSourcesOf } from "../libgit2/scratch_repository.ts";
import type { Change } from "../tree_comparison.ts";
import { findRelations, MIN_SIMILARITY, type Relation } from "./relations.ts";

/** A letter, the old name, and the new name if it differs; a star follows the name of an executable file. */
const STATUS_LINE = /^([ACDMR])\t(\d+)[ *]?(?: +(\d+)[ *]?)?$/;

/**
 * Pairs of files above which libgit2 is not asked: it would search for more than six seconds, and leave out
 * most old files.
 */
const MAX_PAIRS_OF_LIBGIT2 = 2 ** 20;

/**
 * The files of a diff, in the order of their new paths. If every file is similar to one other file at most,
 * libgit2 compares only the pairs whose similarity is uncertain. If a file is similar to several, libgit2
 * compares all files, because its choice depends on all of them. Where that takes too long, each added file
 * is paired with the most similar old one.
 *
 * @throws {DamagedError} when a blob's content does not match its id.
 * @throws {OverBudgetError} when the files to be compared, here or by libgit2, are too large.
 * @throws {Libgit2Error} when libgit2 fails.
 */
export async function pairFiles(
  libgit2: Libgit2Calls,
  changes: readonly Change[],
  blobs: Blobs,
  budget: Budget = new Budget(),
): Promise<readonly FilePair[]> {
  const compared = comparedBlobs(changes, blobs);
  const pause = budget.yield();
  if (pause !== undefined) await pause;
  if (compared === undefined) return changes.map(unpaired);
  budget.checkRenames(blobs.bytesIn(compared));
  const ask = (asked: readonly Change[]) => askForPairs(libgit2, asked, compared, blobs, budget);
  if (pairsIn(changes) > MAX_PAIRS_OF_LIBGIT2) {
    const best = new BestRelations();
    const areFound = await findRelations(changes, compared, blobs, best.take, budget);
    return areFound ? inOrder(changes, best.pairs()) : await ask(changes);
  }
  const single = new SingleRelations();
  const areSingle = sourcesIn(changes) <= renameSourcesOf(changes) &&
    await findRelations(changes, compared, blobs, single.take, budget);
  const { relations } = single;
  if (!areSingle || relations === undefined) return await ask(changes);
  const pairs = relations.filter(({ areSurelyAlike }) => areSurelyAlike).map(({ from, to }): FilePair => ({
    from,
    to,
    isRename: from.new === undefined,
  }));
  const open = new Set(
    relations.flatMap((relation) => relation.areSurelyAlike ? [] : [relation.from, relation.to]),
  );
  if (open.size > 0) pairs.push(...await ask(changes.filter((change) => open.has(change))));
  return inOrder(changes, pairs);
}

/** Files that may have been moved or copied. */
function sourcesIn(changes: readonly Change[]): number {
  return changes.filter(({ old }) => old !== undefined).length;
}

/** Pairs of an old and an added file that libgit2 compares. */
function pairsIn(changes: readonly Change[]): number {
  const sources = sourcesIn(changes);
  return Math.min(sources, renameSourcesOf(changes)) * (changes.length - sources);
}

/** A file that was neither moved nor copied. */
function unpaired(change: Change): FilePair {
  return { from: change, to: change, isRename: false };
}

/** Keeps the most similar old file of each added one; of several the one whose path comes first. */
class BestRelations {
  readonly #best = new Map<Change, Relation>();

  readonly take = (relation: Relation): boolean => {
    const { from, to, similarity } = relation;
    const best = this.#best.get(to);
    const isBetter = best === undefined
      ? similarity >= MIN_SIMILARITY
      : similarity > best.similarity || similarity === best.similarity && from.path < best.from.path;
    if (isBetter) this.#best.set(to, relation);
    return true;
  };

  /** Pairs each added file with the most similar old one; a file that is gone was moved to one of them. */
  pairs(): readonly FilePair[] {
    const moved = new Set<Change>();
    const best = [...this.#best.values()].sort((a, b) =>
      b.similarity - a.similarity || (a.to.path < b.to.path ? -1 : 1)
    );
    return best.map(({ from, to }) => {
      const isRename = from.new === undefined && !moved.has(from);
      if (isRename) moved.add(from);
      return { from, to, isRename };
    });
  }
}

/** Relations for as long as no file has more than one. */
class SingleRelations {
  readonly #seen = new Set<Change>();
  /** `undefined` when a file has more than one. */
  relations: Relation[] | undefined = [];

  /** Needs no more when a file has a second relation. */
  readonly take = (relation: Relation): boolean => {
    const { from, to } = relation;
    if (this.#seen.has(from) || this.#seen.has(to)) this.relations = undefined;
    this.#seen.add(from).add(to);
    this.relations?.push(relation);
    return this.relations !== undefined;
  };
}

/** The files of all changes in the order of their new paths. Omits the old path of a moved file. */
function inOrder(changes: readonly Change[], pairs: readonly FilePair[]): FilePair[] {
  const files = new Map<Change, FilePair | undefined>(pairs.map((pair) => [pair.to, pair]));
  for (const { from, isRename } of pairs) if (isRename) files.set(from, undefined);
  return changes.flatMap((change) => files.has(change) ? files.get(change) ?? [] : unpaired(change));
}

/** The pairs that libgit2 finds. Only submodules have no contents. */
async function askForPairs(
  libgit2: Libgit2Calls,
  changes: readonly Change[],
  compared: ReadonlySet<Oid>,
  blobs: Blobs,
  budget: Budget,
): Promise<readonly FilePair[]> {
  budget.checkEnginePairs(pairsIn(changes));
  // The new content of a modified file does not matter, only that the file exists: one content for all.
  const shown = changes.map((change): Change =>
    change.old && change.new ? { ...change, new: { ...change.new, oid: ANY_OTHER } } : change
  );
  const contents = new Map<Oid, Uint8Array | undefined>([...blobsOf(shown)].map((oid) => [oid, undefined]));
  const wanted = [...contents.keys()].filter((oid) => compared.has(oid));
  budget.checkEngineBytes(blobs.bytesIn(wanted));
  for await (const read of blobs.read(wanted)) for (const [oid, bytes] of read) contents.set(oid, bytes);
  return readStatus(await libgit2.status(shown, contents), changes);
}

/** Id of the content that replaces the new content of modified files. */
const ANY_OTHER = "0000000000000000000000000000000000000001" as Oid;

/**
 * Blobs whose contents are needed to detect renames and copies: added files and old sides of other files that
 * have a counterpart of similar size. `undefined` if no rename is possible.
 */
export function comparedBlobs(
  changes: readonly Change[],
  blobs: Pick<Blobs, "sizeOf">,
): Set<Oid> | undefined {
  const [sources, targets] = [new Set<Oid>(), new Set<Oid>()];
  for (const { old, new: now } of changes) {
    if (old !== undefined) sources.add(old.oid);
    else if (now !== undefined) targets.add(now.oid);
  }
  if (sources.size === 0 || targets.size === 0) return undefined;
  const compared = new Set<Oid>();
  let canBePaired = [...targets].some((oid) => sources.has(oid));
  for (const [some, others] of [[sources, targets], [targets, sources]] as const) {
    const sizes = new SizeSet([...others].flatMap((oid) => blobs.sizeOf(oid) ?? []));
    for (const oid of some) {
      const size = blobs.sizeOf(oid);
      if (size === undefined || !sizes.hasLike(size)) continue;
      compared.add(oid);
      canBePaired = true;
    }
  }
  return canBePaired ? compared : undefined;
}

/** Most binary digits in the size of a file that is compared with files of any size: below 256 bytes. */
const SMALL_SIZE_DIGITS = 8;
/**
 * Most binary digits between the sizes of two compared files. libgit2 does not compare files of which one is
 * more than eight times as large as the other.
 */
const MAX_SIZE_DIGITS_APART = 3;

/** A set of file sizes, by their number of binary digits. */
class SizeSet {
  readonly #has = new Array<boolean>(33).fill(false);

  constructor(sizes: readonly number[]) {
    for (const size of sizes) this.#has[digitsOf(size)] = true;
  }

  /** Whether a file of this size may be similar to a file of a size in the set. */
  hasLike(size: number): boolean {
    const digits = digitsOf(size);
    return this.#has.some((has, others) =>
      has &&
      (Math.min(digits, others) <= SMALL_SIZE_DIGITS || Math.abs(digits - others) <= MAX_SIZE_DIGITS_APART)
    );
  }
}

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

/** The changes with the two sides of one file. */
export interface FilePair {
  /** The change that has the old side: `to` itself unless the file was moved or copied. */
  readonly from: Change;
  /** The change that has the new side. */
  readonly to: Change;
  readonly isRename: boolean;
}

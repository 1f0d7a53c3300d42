/**
 * Plans a diff before any line is compared. `planDiff` finds the files that differ and their sizes, from
 * trees and headers alone; `filesOf` then finds the moved and copied ones, for which it reads files. All
 * limits that refuse a diff are checked here, so that an answer is complete once begun.
 */
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { Blobs, type Sides, STEP_FILES } from "./blobs.ts";
import { Budget, MIN_OBJECT_COST } from "./budget.ts";
import type { FileContent, FileKind } from "./diff_object.ts";
import type { Libgit2Calls } from "./libgit2/engine.ts";
import { candidatesAmong, type FilePair, type PairedFiles, pairFiles } from "./renames/pairing.ts";
import { type Change, compareTrees } from "./tree_comparison.ts";

/** A file of a diff. */
export interface PlannedFile extends Sides {
  readonly kind: FileKind;
  /** Path of the file; the old path of a moved or copied file. */
  readonly path: string;
  /** New path of a moved or copied file. */
  readonly newPath?: string;
}

/** A diff before any content is compared, from trees and headers of blobs alone. */
export interface DiffPlan extends PairedFiles {
  readonly cost: DiffCost;
}

/**
 * A plan as JSON in pieces, for a worker: the runtime takes several times as long to copy each value by
 * itself.
 */
export interface PackedPlan {
  readonly changes: readonly Uint8Array[];
  /** Blobs and their sizes, if they are known. */
  readonly sizes: readonly Uint8Array[] | undefined;
}

/** Cost of making a diff, which decides the place where it is made. */
export interface DiffCost {
  /** Bytes of both sides of all files, {@link MIN_OBJECT_COST} for each file at least. */
  readonly fileBytes: number;
  /** Bytes of the largest blob. */
  readonly largestBytes: number;
  /** Bytes of the files that are compared with each other to find moved and copied ones. */
  readonly comparedBytes: number;
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

/**
 * Plans the diff between two trees of a repository; without an old tree all files were added.
 *
 * @throws {OverBudgetError} when trees or files are too large for the budget.
 * @throws {TooLargeError} when files are too many.
 * @throws {DamagedError} when a tree or a blob is missing or broken.
 */
export async function planDiff(
  repository: Repository,
  oldTree: Oid | undefined,
  newTree: Oid,
  budget: Budget = new Budget(),
): Promise<DiffPlan> {
  return await planChanges(repository, await compareTrees(repository, oldTree, newTree, budget), budget);
}

/**
 * Plans a diff of which the differing files are known.
 *
 * @param known Bytes of their blobs; by default the repository is asked.
 * @throws {OverBudgetError} when files are too many, or too large, for the budget.
 * @throws {DamagedError} when a blob is missing.
 */
export async function planChanges(
  repository: Repository,
  changes: readonly Change[],
  budget: Budget,
  known?: ReadonlyMap<Oid, number>,
): Promise<DiffPlan> {
  const blobs = known === undefined
    ? await Blobs.of(repository, changes, budget)
    : new Blobs(repository, known, budget);
  await budget.yield();
  const bytes = blobs.bytesOfAll(changes);
  budget.check("fileBytes", bytes);
  const { sizes } = blobs;
  const candidates = candidatesAmong(changes, blobs);
  const fileBytes = Math.max(bytes, MIN_OBJECT_COST * Math.max(changes.length, sizes.size));
  let largestBytes = 0;
  for (const bytes of sizes.values()) largestBytes = Math.max(largestBytes, bytes);
  const cost = { fileBytes, largestBytes, comparedBytes: candidates?.comparedBytes ?? 0 };
  return { changes, blobs, candidates, cost };
}

/** Packs a plan for a worker, or the differing files where nothing else could be planned. */
export async function packPlan(
  { changes, blobs }: Pick<DiffPlan, "changes"> & Partial<DiffPlan>,
  budget: Budget,
): Promise<PackedPlan> {
  return {
    changes: await pack(changes, budget),
    sizes: blobs && await pack([...blobs.sizes], budget),
  };
}

/** The plan that {@link packPlan} has packed, or the one that it has begun. Throws as {@link planChanges}. */
export async function unpackPlan(
  repository: Repository,
  { changes, sizes }: PackedPlan,
  budget: Budget = new Budget(),
): Promise<DiffPlan> {
  const known = sizes && new Map(await unpack<[Oid, number]>(sizes, budget));
  return await planChanges(repository, await unpack<Change>(changes, budget), budget, known);
}

async function pack(list: readonly unknown[], budget: Budget): Promise<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < list.length; at += STEP_FILES) {
    await budget.yield();
    pieces.push(encoder.encode(JSON.stringify(list.slice(at, at + STEP_FILES))));
  }
  return pieces;
}

async function unpack<T>(pieces: readonly Uint8Array[], budget: Budget): Promise<readonly T[]> {
  const list: T[] = [];
  for (const piece of pieces) {
    await budget.yield();
    list.push(...JSON.parse(decoder.decode(piece)));
  }
  return list;
}

/**
 * The files of a diff in the order of their (new) paths, of which some may have been moved or copied. To find
 * these, reads the files that may be among them.
 *
 * @throws {OverBudgetError} when the files to be read exceed the budget.
 * @throws {DamagedError} when a blob is missing or damaged.
 * @throws {Libgit2Error} when libgit2 fails, as when memory runs out.
 */
export async function filesOf(
  libgit2: Libgit2Calls,
  plan: DiffPlan,
  budget: Budget,
): Promise<readonly PlannedFile[]> {
  const files: PlannedFile[] = [];
  for (const pair of await pairFiles(libgit2, plan, budget)) {
    if (files.length % STEP_FILES === 0) await budget.yield();
    files.push(planFile(pair));
  }
  return files;
}

/** Determines the kind of change of a file. */
export function planFile({ from, to, isRename }: FilePair): PlannedFile {
  const { path } = from;
  if (from !== to) {
    if (from.old === undefined || to.new === undefined) throw new TypeError("Not a pair of files");
    return { kind: isRename ? "moved" : "copied", path, newPath: to.path, old: from.old, new: to.new };
  }
  if (to.old === undefined) return { kind: "added", path, new: to.new };
  if (to.new === undefined) return { kind: "deleted", path, old: to.old };
  return { kind: "modified", path, old: to.old, new: to.new };
}

/** The wire form of a planned file with its content: with the sides that the file has. */
export function toDiffFile({ kind, path, newPath, old, new: now }: PlannedFile, diff: FileContent): object {
  if (newPath === undefined) return { path, diff, ...(old && { old }), ...(now && { new: now }) };
  if (isOnlyMoved({ kind, old, new: now })) return { oldPath: path, newPath, current: now };
  return { oldPath: path, newPath, old, new: now, diff };
}

/** Whether only the path of a file has changed. Its wire form has no content then. */
export function isOnlyMoved({ kind, old, new: now }: Pick<PlannedFile, "kind" | "old" | "new">): boolean {
  return kind === "moved" && old?.oid === now?.oid && old?.mode === now?.mode;
}

/** Renders diffs as JSON, one file after the other. A long diff is divided into parts. */
import { Blobs, blobsOf } from "../../diff/blobs.ts";
import type { FileContent, FileKind } from "../../diff/diff_object.ts";
import { Budget } from "../../diff/budget.ts";
import { compareFile } from "../../diff/file_content.ts";
import type { Libgit2Calls } from "../../diff/libgit2/engine.ts";
import { isOnlyMoved, planDiff, type PlannedFile } from "../../diff/plan.ts";
import { type LineContent, NO_CONTENT, TRUNCATED_CONTENT } from "../../diff/text/hunks.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Repository } from "../../ports/storage.ts";
import type { DiffForm, FileBatch, MadeDiff, MadePart } from "../../ports/workers.ts";
import { diffByKind, diffMoves, diffStats, type DiffView } from "../../views/diff.ts";
import { diffInOrder, diffStatsAlone } from "../../views/today/diff.ts";
import { JsonBytes } from "./json_bytes.ts";
import { writeHunks } from "./json_hunks.ts";

/**
 * Size of JSON after which the first part of a diff ends, in bytes. This part is in memory until the client
 * reads it.
 */
export const FIRST_PART_BYTES = 2 ** 20;
/** Size of JSON after which a later part ends, in bytes. */
export const PART_BYTES = 4 * 2 ** 20;
/** Time after which a part ends with the current file, in milliseconds. */
export const PART_LIMIT_MS = 1000;
/**
 * Maximum total size of the files that are in memory at the same time, in bytes, and their maximum number.
 */
export const [BATCH_BYTES, BATCH_FILES] = [4 * 2 ** 20, 256];
/** Minimum size of the files of a batch, in bytes. Only the last batch of a diff may be smaller. */
export const MIN_BATCH_BYTES = 2 ** 17;
/**
 * Maximum size of the JSON of one file, in bytes. Longer JSON is left out, and the file is marked as
 * truncated.
 */
export const MAX_FILE_JSON_BYTES = 64 * 2 ** 20;

const VIEWS: Readonly<Record<DiffForm, DiffView>> = {
  v1: diffByKind,
  "v1-stats": diffStats,
  moves: diffMoves,
  today: diffInOrder,
  "today-stats": diffStatsAlone,
};

/** Returns the functions that write the JSON of a diff in the format of a dialect; `v1` by default. */
export function viewOf(form: DiffForm = "v1"): DiffView {
  return VIEWS[form];
}

/** Limits after which a part of a diff ends: its size in bytes, and its duration in milliseconds. */
export interface PartLimits {
  readonly jsonBytes: number;
  readonly ms: number;
}

export const FIRST_PART: PartLimits = { jsonBytes: FIRST_PART_BYTES, ms: PART_LIMIT_MS };
const PART: PartLimits = { jsonBytes: PART_BYTES, ms: PART_LIMIT_MS };

export interface DiffTools {
  readonly libgit2: Libgit2Calls;
  readonly repository: Repository;
  /** Limits the work; the largest possible budget by default. */
  readonly budget?: Budget | undefined;
  /** Dialect of the JSON; `v1` by default. */
  readonly form?: DiffForm | undefined;
}

/**
 * Renders the diff between two trees. Without an old tree, all files count as added. For a long diff, renders
 * only the first part, and returns batches of the remaining files for {@link makePart}.
 *
 * @throws {OverBudgetError} when trees or files are too large for the budget.
 * @throws {TooLargeError} when there are too many files.
 * @throws {DamagedError} when a tree or a blob is missing or damaged.
 */
export async function makeDiff(
  { libgit2, repository, budget = new Budget(), form }: DiffTools,
  oldTree: Oid | undefined,
  newTree: Oid,
  limits: PartLimits = FIRST_PART,
): Promise<MadeDiff> {
  const plan = await planDiff(libgit2, repository, oldTree, newTree, budget);
  const { blobs } = plan;
  const view = viewOf(form);
  const files = view.arrange(plan.files);
  const part = new Part({ libgit2, budget, blobs, view });
  const shown = await part.show(files, limits);
  const { counts } = part;
  const [filesChanged, last] = [files.length, files.at(-1)?.kind];
  if (shown === files.length) part.json.write(view.afterFiles(last, { filesChanged, ...counts }));
  // Judging by the files so far, a batch of this size makes one part.
  const bytesSoFar = blobs.bytesOfAll(files.slice(0, shown));
  const bytesOfPart = Math.floor(PART_BYTES * bytesSoFar / Math.max(part.json.length, 1));
  const batchBytes = Math.min(Math.max(bytesOfPart, MIN_BATCH_BYTES), BATCH_BYTES);
  return {
    json: part.json.toBytes(),
    ...counts,
    filesChanged,
    last,
    touched: [...blobs.sizes.keys()],
    touchedBytes: blobs.bytesIn(blobs.sizes.keys()),
    left: toBatches(files.slice(shown), blobs, batchBytes, shown, part.last),
  };
}

/**
 * Renders a further part of a diff: a whole batch, or its first files.
 *
 * @throws {DamagedError} when a blob is missing or damaged.
 */
export async function makePart(
  { libgit2, repository, budget = new Budget(), form }: DiffTools,
  batch: FileBatch,
): Promise<MadePart> {
  const files = decodeFiles(batch);
  const blobs = await Blobs.of(repository, files, budget);
  const part = new Part({ libgit2, budget, blobs, view: viewOf(form) }, batch.last);
  const shown = await part.show(files, PART);
  return {
    json: part.json.toBytes(),
    ...part.counts,
    left: toBatches(files.slice(shown), blobs, Infinity, batch.start + shown, part.last),
  };
}

function toBatches(
  files: readonly PlannedFile[],
  blobs: Blobs,
  batchBytes: number,
  start: number,
  last: FileBatch["last"],
): readonly FileBatch[] {
  const batches: FileBatch[] = [];
  for (const group of groupsOf(files, blobs, batchBytes)) {
    batches.push(encodeFiles(group, start, last));
    start += group.length;
    last = group.at(-1)!.kind;
  }
  return batches;
}

interface PartTools {
  readonly libgit2: Libgit2Calls;
  readonly budget: Budget;
  readonly blobs: Blobs;
  readonly view: DiffView;
}

/** Collects the JSON of files until a limit is reached. */
class Part {
  readonly json = new JsonBytes();
  /**
   * Number of added and deleted lines. Moved and copied files count only if the format counts them
   * (`countsMoved`).
   */
  readonly counts = { insertions: 0, deletions: 0 };
  /** How the last file was changed. */
  last: FileBatch["last"];
  readonly #tools: PartTools;

  constructor(tools: PartTools, last?: FileBatch["last"]) {
    this.#tools = tools;
    this.last = last;
  }

  /** Writes files until a limit is reached, but at least one file. Returns the number of written files. */
  async show(files: readonly PlannedFile[], { jsonBytes, ms }: PartLimits): Promise<number> {
    const { libgit2, budget, blobs } = this.#tools;
    const start = performance.now();
    let shown = 0;
    for (const group of groupsOf(files, blobs)) {
      const contents = new Map<Oid, Uint8Array>();
      for await (const read of blobs.read(blobsOf(group.filter((file) => !isOnlyMoved(file))))) {
        for (const [oid, bytes] of read) contents.set(oid, bytes);
      }
      for (const file of group) {
        await budget.yield();
        this.#write(file, await compareFile(libgit2, file, contents, budget));
        shown++;
        if (this.json.length >= jsonBytes || performance.now() - start >= ms) return shown;
      }
    }
    return shown;
  }

  #write(file: PlannedFile, content: LineContent | FileContent): void {
    const { json } = this;
    const { view } = this.#tools;
    json.write(view.beforeFile(this.last, file.kind));
    this.last = file.kind;
    const { stats, eof } = content;
    const [hunks, shown] = "texts" in content
      ? [content, { ...NO_CONTENT, stats, eof }]
      : [undefined, content];
    if (view.countsMoved || file.newPath === undefined) {
      this.counts.insertions += hunks?.insertions ?? 0;
      this.counts.deletions += hunks?.deletions ?? 0;
    }
    const start = json.length;
    const [before, after] = view.fileJson(file, shown);
    json.write(before);
    if (after === undefined) return;
    if (hunks && !writeHunks(json, hunks, start + MAX_FILE_JSON_BYTES)) {
      json.returnTo(start);
      json.write(view.fileJson(file, { ...TRUNCATED_CONTENT, stats, eof }).join(""));
      return;
    }
    json.write(after);
  }
}

/** Yields groups of files whose contents are in memory at the same time. */
function* groupsOf(
  files: readonly PlannedFile[],
  blobs: Blobs,
  maxBytes: number = BATCH_BYTES,
): Generator<PlannedFile[]> {
  let group: PlannedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    const size = blobs.bytesOf(file);
    if (group.length > 0 && (bytes + size > maxBytes || group.length === BATCH_FILES)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(file);
    bytes += size;
  }
  if (group.length > 0) yield group;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Encodes files as bytes, which take little memory and are quickly sent to a worker.
 *
 * @param start Number of files in the diff before these files.
 * @param last Kind of change of the file before these files.
 */
export function encodeFiles(
  files: readonly PlannedFile[],
  start: number,
  last: FileKind | undefined,
): FileBatch {
  return { start, last, bytes: encoder.encode(JSON.stringify(files)) };
}

export function decodeFiles({ bytes }: FileBatch): readonly PlannedFile[] {
  return JSON.parse(decoder.decode(bytes));
}

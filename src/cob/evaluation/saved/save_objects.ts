/**
 * Saves the evaluations of all issues or patches of a repository in blocks. The newest objects come first, so
 * that the first page of a list needs only one or two blocks. Blocks whose objects have not changed are not
 * written again.
 */
import { compressed } from "../../../bytes/compressed.ts";
import { toFile, toRoot } from "../../../derived/derived_files.ts";
import type { Oid } from "../../../ids/oid.ts";
import type { DerivedFile, DerivedRoot } from "../../../ports/derived_data.ts";
import type { ResolvedRef } from "../../../git/references.ts";
import type { CachedEvaluation } from "../store_options.ts";
import type { EvaluationContext } from "../evaluation_context.ts";
import type { ObjectSummary } from "../object_summary.ts";
import { isSameList } from "../../entry/fields.ts";
import { targetsByObject } from "../targets.ts";
import { areCut } from "../text_budget.ts";
import { encodeEvaluation } from "./saved_evaluation.ts";
import {
  BLOCK_BYTES,
  encodeList,
  isSavedObject,
  isShortRow,
  listName,
  type ListSubject,
  MAX_LINE_BYTES,
  type SavedBlock,
  type SavedList,
  type SavedRow,
  type UnplacedObject,
} from "./saved_list.ts";

/**
 * Minimum and maximum number of objects in a block. A block ends below the minimum if no more objects have
 * the same status, or if its lines reach {@link BLOCK_BYTES}.
 */
const [LEAST_OBJECTS, MOST_OBJECTS] = [16, 64];
/**
 * A block ends at an object whose id begins with these digits, so that a new object does not move other
 * objects to another block.
 */
const BLOCK_END = /^0/;
/**
 * Maximum total length of the lines in memory, in UTF-16 units. Lines beyond this limit are dropped. Their
 * objects are evaluated a second time when their block is written.
 */
const HELD_LINES = 2 ** 24;

export interface SaveOptions<S extends ObjectSummary> {
  readonly subject: ListSubject;
  readonly context: EvaluationContext;
  readonly refs: readonly ResolvedRef[];
  evaluate(id: Oid, targets: readonly Oid[]): Promise<CachedEvaluation<S>>;
  /** The list that was saved before; `undefined` if no list was saved. */
  readonly earlier: SavedList | undefined;
  /** Stores a new file. Called for a file before the files that refer to it. */
  write(file: DerivedFile): Promise<void>;
}

/** A row to be saved. `line` is the encoded evaluation, or `undefined` if it is not in memory. */
interface Draft {
  readonly row: UnplacedObject;
  line: string | undefined;
}

/** Saves all objects of a type. Returns `undefined` when there are too many objects. */
export async function saveObjects<S extends ObjectSummary>(
  options: SaveOptions<S>,
): Promise<DerivedRoot | undefined> {
  const { subject, context: { task }, refs, earlier, write } = options;
  const drafts: Draft[] = [];
  const failures: SavedRow[] = [];
  let held = 0;
  for (const [id, targets] of await targetsByObject(refs, subject.type, task)) {
    await task.yield();
    const before = earlier?.rows.get(id);
    if (before !== undefined && isSavedObject(before) && await holds(options, before, targets)) {
      drafts.push({ row: before, line: undefined });
      continue;
    }
    const draft = await draftOf(options, id, targets);
    if (draft === "failed") failures.push({ id, targets });
    else if (draft !== undefined) {
      held += draft.line?.length ?? 0;
      drafts.push(held > HELD_LINES ? { ...draft, line: undefined } : draft);
    }
  }
  drafts.sort((a, b) => compareRows(a.row, b.row));
  const blocks: SavedBlock[] = [];
  const rows: SavedRow[] = [];
  for (const group of blocksOf(drafts)) {
    const same = sameBlock(group, earlier);
    const written = same === undefined ? await withLines(options, group) : group;
    if (written.length === 0) continue;
    blocks.push(same ?? await writeBlock(options, written));
    for (const draft of written) {
      draft.line = undefined;
      rows.push({ ...draft.row, block: blocks.length - 1 });
    }
  }
  const bytes = await encodeList(subject, blocks, [...rows, ...failures], task);
  if (bytes === undefined) return undefined;
  const file = await toFile(bytes);
  await write(file);
  return toRoot(listName(subject), file, blocks);
}

async function holds<S extends ObjectSummary>(
  { context }: SaveOptions<S>,
  { isComplete, targets, heads }: UnplacedObject,
  now: readonly Oid[],
): Promise<boolean> {
  return isComplete && isSameList(targets, now) && await context.hasHeads(heads);
}

/**
 * Evaluates an object, and encodes the result. Returns `failed` when the object cannot be evaluated, and
 * `undefined` when its texts are too long to be saved.
 */
async function draftOf<S extends ObjectSummary>(
  { evaluate }: SaveOptions<S>,
  id: Oid,
  targets: readonly Oid[],
): Promise<Draft | "failed" | undefined> {
  const { evaluation } = await evaluate(id, targets);
  if (evaluation === undefined) return "failed";
  if (areCut(evaluation.texts) || evaluation.texts.bytes > MAX_LINE_BYTES) return undefined;
  const line = encodeEvaluation({ id, targets, evaluation });
  const { state, size, texts, isComplete, heads } = evaluation;
  const { author, timeSeconds, title, state: { status }, labels, assignees } = state;
  const row: UnplacedObject = {
    isSaved: true,
    id,
    targets,
    heads: new Map(heads),
    author,
    timeSeconds,
    title,
    state: { status },
    labels,
    assignees,
    size,
    textBytes: texts.bytes,
    isComplete,
    length: line.length,
  };
  return line.length * 3 <= MAX_LINE_BYTES && isShortRow(row) ? { row, line } : undefined;
}

/** Orders open objects first, then by status. Within a status, the newest object comes first. */
function compareRows(a: UnplacedObject, b: UnplacedObject): number {
  const [x, y] = [a, b].map(({ state: { status } }) => status === "open" ? "" : status) as [string, string];
  if (x !== y) return x < y ? -1 : 1;
  return b.timeSeconds - a.timeSeconds || (a.id < b.id ? -1 : 1);
}

/**
 * Divides the drafts into blocks, beginning with the last draft. Because the newest object of a status comes
 * first, a new object changes only the first blocks of its status.
 */
function blocksOf(drafts: readonly Draft[]): readonly Draft[][] {
  const blocks: Draft[][] = [];
  let block: Draft[] = [];
  let length = 0;
  for (const [at, draft] of [...drafts.entries()].reverse()) {
    const { row } = draft;
    block.unshift(draft);
    length += row.length;
    const isLastOfStatus = drafts[at - 1]?.row.state.status !== row.state.status;
    const isEnd = block.length >= LEAST_OBJECTS && BLOCK_END.test(row.id);
    if (!isLastOfStatus && !isEnd && block.length < MOST_OBJECTS && length < BLOCK_BYTES) continue;
    blocks.unshift(block);
    [block, length] = [[], 0];
  }
  return blocks;
}

/**
 * Returns the block of the earlier list with exactly these objects, or `undefined` if no block has exactly
 * these objects.
 */
function sameBlock(group: readonly Draft[], earlier: SavedList | undefined): SavedBlock | undefined {
  const place = group[0]!.row.block;
  if (place === undefined || group.some(({ row }) => row.block !== place)) return undefined;
  const block = earlier?.blocks[place];
  return block?.count === group.length ? block : undefined;
}

async function withLines<S extends ObjectSummary>(
  options: SaveOptions<S>,
  group: readonly Draft[],
): Promise<readonly Draft[]> {
  const drafts: Draft[] = [];
  for (const draft of group) {
    const { id, targets } = draft.row;
    const whole = draft.line === undefined ? await draftOf(options, id, targets) : draft;
    if (typeof whole === "object" && whole.line !== undefined) drafts.push(whole);
    await options.context.task.yield();
  }
  return drafts;
}

async function writeBlock<S extends ObjectSummary>(
  { write }: SaveOptions<S>,
  drafts: readonly Draft[],
): Promise<SavedBlock> {
  const text = drafts.map(({ line }) => line!).join("\n");
  const file = await toFile(await compressed(new TextEncoder().encode(text)));
  await write(file);
  return { digest: file.digest, bytes: file.bytes.length, count: drafts.length };
}

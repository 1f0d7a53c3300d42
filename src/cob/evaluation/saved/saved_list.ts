/**
 * The file that lists the saved objects of one type: for each its references, the members by which lists are
 * filtered and counted, and the block with its evaluation. It is lines of JSON in a zlib stream: a head, then
 * a row for each object in the order of the blocks. In a block each object has a line ({@link
 * encodeEvaluation}).
 */
import * as v from "valibot";
import type { Task } from "../../../scheduling/task.ts";
import { compressed, decompressed } from "../../../bytes/compressed.ts";
import type { Oid } from "../../../ids/oid.ts";
import type { RepoId } from "../../../ids/rid.ts";
import type { CachedType } from "../../../ports/cob_cache.ts";
import type { ObjectSummary } from "../object_summary.ts";
import type { Generation } from "../../rules.ts";
import { Count, FullDid, FullNid, FullOid, Seconds } from "../../entry/state_forms.ts";

/** Raised when the meaning of a saved file changes, or an evaluation has another result than before. */
export const EVALUATION_VERSION = 1;

/** Longest list, in bytes of JSON: some 60,000 objects. A longer one is not saved. */
export const MAX_LIST_BYTES = 2 ** 25;
/** Longest row, in bytes. An object with more labels and assignees is not saved. */
export const MAX_ROW_BYTES = 2 ** 16;
/** Longest line of an evaluation, in bytes. A longer object is not saved. */
export const MAX_LINE_BYTES = 2 ** 24;
/** Bytes of lines from which on a block ends; a longer object has a block of its own. */
export const BLOCK_BYTES = 2 ** 18;
/** Longest block, in bytes of JSON. */
export const MAX_BLOCK_BYTES = BLOCK_BYTES + MAX_LINE_BYTES;
/** Rows decoded in one step: below a millisecond. */
const ROWS_AT_ONCE = 32;

/** Targets of references by name; `undefined` for a reference that does not exist. */
export type Heads = ReadonlyMap<string, Oid | undefined>;

/** Facts of a saved object besides its summary. */
export interface SavedFacts {
  /** Targets of its references, ascending. */
  readonly targets: readonly Oid[];
  /** Number of entries. */
  readonly size: number;
  /** Bytes of the texts in its state. */
  readonly textBytes: number;
  readonly isComplete: boolean;
  /** Length of its line in the block, in UTF-16 units. */
  readonly length: number;
}

/** An object that was evaluated. */
export interface SavedObject extends ObjectSummary, SavedFacts {
  /** Tells it from a state. */
  readonly isSaved: true;
}

/** Makes a saved object. Of a state, which may have megabytes, it holds the members of a summary alone. */
export function toSavedObject(summary: ObjectSummary, facts: SavedFacts): SavedObject {
  const { id, author, timeSeconds, title, state: { status }, labels, assignees } = summary;
  return { id, author, timeSeconds, title, state: { status }, labels, assignees, ...facts, isSaved: true };
}

/** Whether a member of a list is a saved object, in place of a state. */
export function isSavedObject(value: unknown): value is SavedObject {
  return typeof value === "object" && value !== null && "isSaved" in value;
}

/** A row: an object, or the failure to evaluate one. */
export interface SavedRow {
  readonly id: Oid;
  /** Targets of the object's references, ascending. */
  readonly targets: readonly Oid[];
  /** References that the result depends on besides the object's own. */
  readonly heads: Heads;
  /** Absent when the object cannot be evaluated. */
  readonly object?: SavedObject;
  /** Digest of the block with the evaluation; absent when there is none. */
  readonly block?: string;
}

/** The saved objects of one type. */
export interface SavedList {
  readonly rows: ReadonlyMap<Oid, SavedRow>;
  readonly blocks: readonly SavedBlock[];
  /** Length of its JSON, in UTF-16 units. */
  readonly length: number;
}

/** A block of evaluations. */
export interface SavedBlock {
  readonly digest: string;
  /** Size of the file. */
  readonly bytes: number;
  /** Number of objects. */
  readonly count: number;
}

/** The repository, type and rules of a list. */
export interface ListSubject {
  readonly rid: RepoId;
  readonly type: CachedType;
  readonly generation: Generation;
  /** The statuses that an object can have. */
  readonly statuses: readonly string[];
}

/** Name of the list of a type by the rules of a generation. */
export function listName({ type, generation }: Pick<ListSubject, "type" | "generation">): string {
  return `${type}-${generation}-${EVALUATION_VERSION}`;
}

const Digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const Head = v.strictObject({
  version: v.literal(EVALUATION_VERSION),
  rid: v.string(),
  type: v.string(),
  generation: v.string(),
  blocks: v.array(v.strictTuple([Digest, Count, Count])),
  /** References that results depend on, with their targets: rows have their numbers. */
  heads: v.array(v.strictTuple([v.string(), v.nullable(FullOid)])),
});
const Failure = v.strictTuple([FullOid, v.array(FullOid)]);
const Row = v.strictTuple([
  FullOid,
  v.array(FullOid),
  v.array(Count),
  FullNid,
  Seconds,
  v.string(),
  v.string(),
  v.array(v.string()),
  v.array(v.union([FullNid, FullDid])),
  Count,
  Count,
  v.boolean(),
  Count,
]);

/** The row of an object as a line, without the numbers of its references. */
function toLine({ id, targets, object }: SavedRow, heads: readonly number[]): string {
  if (object === undefined) return JSON.stringify([id, targets]);
  const { author, timeSeconds, title, state, labels, assignees, size, textBytes, isComplete, length } =
    object;
  return JSON.stringify([
    id,
    targets,
    heads,
    author,
    timeSeconds,
    state.status,
    title,
    labels,
    assignees,
    size,
    textBytes,
    isComplete,
    length,
  ]);
}

/** Whether the row of an object is short enough to be saved. */
export function isSavedRow(row: SavedRow): boolean {
  return toLine(row, []).length * 3 <= MAX_ROW_BYTES;
}

/**
 * Encodes a list; `undefined` when it is too long.
 *
 * @param rows In the order of the blocks, those without a block at the end.
 */
export async function encodeList(
  { rid, type, generation }: ListSubject,
  blocks: readonly SavedBlock[],
  rows: readonly SavedRow[],
  task: Task,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const numbers = new Map<string, number>();
  const heads: [string, Oid | null][] = [];
  const lines = [""];
  let length = 0;
  for (const row of rows) {
    const ofRow = [...row.heads].map(([name, oid]) => {
      const key = `${oid} ${name}`;
      let number = numbers.get(key);
      if (number === undefined) {
        numbers.set(key, number = heads.length);
        heads.push([name, oid ?? null]);
      }
      return number;
    });
    const line = toLine(row, ofRow);
    length += line.length;
    if (length > MAX_LIST_BYTES) return undefined;
    lines.push(line);
    await task.yield();
  }
  const ofBlocks = blocks.map(({ digest, bytes, count }) => [digest, bytes, count]);
  lines[0] = JSON.stringify({ version: EVALUATION_VERSION, rid, type, generation, blocks: ofBlocks, heads });
  const bytes = new TextEncoder().encode(lines.join("\n"));
  return bytes.length > MAX_LIST_BYTES ? undefined : await compressed(bytes);
}

/** Decodes a list; `undefined` when the bytes are no list of this subject and version. Yields in between. */
export async function decodeList(
  subject: ListSubject,
  packed: Uint8Array,
  task: Task,
): Promise<SavedList | undefined> {
  const bytes = await decompressed(packed, MAX_LIST_BYTES);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  const end = text.indexOf("\n");
  const head = parse(Head, end < 0 ? text : text.slice(0, end));
  if (head?.rid !== subject.rid || head.type !== subject.type || head.generation !== subject.generation) {
    return undefined;
  }
  const blocks = head.blocks.map(([digest, bytes, count]) => ({ digest, bytes, count }));
  const rows = new Map<Oid, SavedRow>();
  let [block, left] = [0, blocks[0]?.count ?? 0];
  for (let start = end + 1; end >= 0 && start <= text.length;) {
    const stop = text.indexOf("\n", start);
    const line = text.slice(start, stop < 0 ? text.length : stop);
    start = stop < 0 ? text.length + 1 : stop + 1;
    for (; left === 0 && block + 1 < blocks.length; left = blocks[block]!.count) block++;
    const row = left > 0 ? decodeRow(line, subject, head.heads, blocks[block]!.digest) : decodeFailure(line);
    if (row === undefined || rows.has(row.id)) return undefined;
    rows.set(row.id, row);
    if (left > 0) left--;
    if (rows.size % ROWS_AT_ONCE === 0) await task.yield();
  }
  return left === 0 ? { rows, blocks, length: text.length } : undefined;
}

const NO_HEADS: Heads = new Map();

function decodeRow(
  line: string,
  { statuses }: ListSubject,
  allHeads: readonly (readonly [string, Oid | null])[],
  block: string,
): SavedRow | undefined {
  const row = parse(Row, line);
  if (row === undefined) return undefined;
  const [id, targets, numbers, author, timeSeconds, status, title, labels, assignees] = row;
  const [, , , , , , , , , size, textBytes, isComplete, length] = row;
  if (!statuses.includes(status) || numbers.some((number) => number >= allHeads.length)) return undefined;
  const heads = numbers.length === 0
    ? NO_HEADS
    : new Map(numbers.map((number) => [allHeads[number]![0], allHeads[number]![1] ?? undefined]));
  const object = toSavedObject(
    { id, author, timeSeconds, title, state: { status }, labels, assignees },
    { targets, size, textBytes, isComplete, length },
  );
  return { id, targets, heads, object, block };
}

function decodeFailure(line: string): SavedRow | undefined {
  const failure = parse(Failure, line);
  return failure && { id: failure[0], targets: failure[1], heads: NO_HEADS };
}

function parse<T>(form: v.GenericSchema<unknown, T>, line: string): T | undefined {
  try {
    const result = v.safeParse(form, JSON.parse(line), { abortEarly: true });
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

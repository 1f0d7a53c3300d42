/**
 * The file that lists the saved objects of one type. For each object it has the references, the members by
 * which lists are filtered and counted, and the block with its evaluation. The file contains lines of JSON in
 * a zlib stream: a head, then a row for each object. A block has a line for each of its objects ({@link
 * encodeEvaluation}).
 */
import * as v from "valibot";
import type { Task } from "../../../scheduling/task.ts";
import { compressed, decompressed } from "../../../bytes/compressed.ts";
import type { Oid } from "../../../ids/oid.ts";
import type { RepoId } from "../../../ids/rid.ts";
import type { CachedType } from "../../../ports/cob_cache.ts";
import type { Generation } from "../../rules.ts";
import {
  Count,
  FullDid,
  FullNid,
  FullOid,
  listOf,
  mapOf,
  orUndefined,
  Seconds,
  toFormJson,
} from "../../entry/state_forms.ts";

/**
 * Incremented when the meaning of a saved file changes, or when evaluations give another result than before.
 */
export const EVALUATION_VERSION = 3;

/** Longest list, in bytes of JSON: some 60,000 objects. A longer one is not saved. */
export const MAX_LIST_BYTES = 2 ** 25;
/** Longest row, in bytes. An object with more labels and assignees is not saved. */
export const MAX_ROW_BYTES = 2 ** 16;
/** Longest line of an evaluation, in bytes. A longer object is not saved. */
export const MAX_LINE_BYTES = 2 ** 24;
/** A block ends when its lines have this many bytes. A longer object has a block of its own. */
export const BLOCK_BYTES = 2 ** 18;
/** Longest block, in bytes of JSON. */
export const MAX_BLOCK_BYTES = BLOCK_BYTES + MAX_LINE_BYTES;
/** Rows decoded in one step: below a millisecond. */
const ROWS_AT_ONCE = 32;

/**
 * References, besides the references of the object itself, on which an evaluation depends, with their
 * targets.
 */
export const Heads = mapOf(v.string(), orUndefined(FullOid));

/**
 * A saved object: the members by which lists are filtered, ordered and counted, and the place of its state.
 */
const SavedObject = v.strictObject({
  /** Marks a saved object; states do not have this member. */
  isSaved: v.literal(true),
  id: FullOid,
  /** Targets of the object's references, in ascending order. */
  targets: listOf(FullOid),
  heads: Heads,
  author: FullNid,
  timeSeconds: Seconds,
  title: v.string(),
  state: v.strictObject({ status: v.string() }),
  labels: listOf(v.string()),
  assignees: listOf(v.union([FullNid, FullDid])),
  /** Number of entries. */
  size: Count,
  /** Bytes of the texts in its state. */
  textBytes: Count,
  isComplete: v.boolean(),
  /** Length of the object's line in the block, in UTF-16 units. */
  length: Count,
  /** Index of the block with the object's evaluation. */
  block: Count,
});

const Failure = v.strictObject({ id: FullOid, targets: listOf(FullOid) });
const Row = v.union([SavedObject, Failure]);

export type SavedObject = v.InferOutput<typeof SavedObject>;
/** A saved object that is not assigned to a block yet. */
export type UnplacedObject = Omit<SavedObject, "block"> & { readonly block?: number };
/** A row: a saved object, or an object that could not be evaluated. */
export type SavedRow = v.InferOutput<typeof Row>;

/** Whether a value is a saved object, not a failure or a state. */
export function isSavedObject(value: object): value is SavedObject {
  return "isSaved" in value;
}

export interface SavedList {
  readonly rows: ReadonlyMap<Oid, SavedRow>;
  readonly blocks: readonly SavedBlock[];
  /** Length of the list as JSON, in UTF-16 units. */
  readonly length: number;
}

export interface SavedBlock {
  readonly digest: string;
  /** Size of the file, in bytes. */
  readonly bytes: number;
  /** Number of objects in the block. */
  readonly count: number;
}

/** The repository, type and rules of a list. */
export interface ListSubject {
  readonly rid: RepoId;
  readonly type: CachedType;
  readonly generation: Generation;
  readonly statuses: readonly string[];
}

/** Name of the list of a type under the rules of a generation. */
export function listName({ type, generation }: Pick<ListSubject, "type" | "generation">): string {
  return `${type}-${generation}-${EVALUATION_VERSION}`;
}

const Digest = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));
const Head = v.strictObject({
  version: v.literal(EVALUATION_VERSION),
  rid: v.string(),
  type: v.string(),
  generation: v.string(),
  blocks: v.array(v.strictObject({ digest: Digest, bytes: Count, count: Count })),
});

/** Whether the row of an object is short enough to be saved. */
export function isShortRow(row: UnplacedObject): boolean {
  return toFormJson(row).length * 3 <= MAX_ROW_BYTES;
}

/** Encodes a list. Returns `undefined` when the list is too long. */
export async function encodeList(
  { rid, type, generation }: ListSubject,
  blocks: readonly SavedBlock[],
  rows: readonly SavedRow[],
  task: Task,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const lines = [JSON.stringify({ version: EVALUATION_VERSION, rid, type, generation, blocks })];
  let length = 0;
  for (const row of rows) {
    const line = toFormJson(row);
    length += line.length;
    if (length > MAX_LIST_BYTES) return undefined;
    lines.push(line);
    await task.yield();
  }
  const bytes = new TextEncoder().encode(lines.join("\n"));
  return bytes.length > MAX_LIST_BYTES ? undefined : await compressed(bytes);
}

/**
 * Decodes a list. Returns `undefined` when the bytes are not a list of this subject and version. Yields in
 * between.
 */
export async function decodeList(
  { rid, type, generation, statuses }: ListSubject,
  packed: Uint8Array,
  task: Task,
): Promise<SavedList | undefined> {
  const bytes = await decompressed(packed, MAX_LIST_BYTES);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  const [first = "", ...lines] = text.split("\n");
  const head = parse(Head, first);
  if (head?.rid !== rid || head.type !== type || head.generation !== generation) return undefined;
  const { blocks } = head;
  const rows = new Map<Oid, SavedRow>();
  for (const line of lines) {
    const row = parse(Row, line);
    if (row === undefined || rows.has(row.id)) return undefined;
    const isPlaced = !isSavedObject(row) || row.block < blocks.length && statuses.includes(row.state.status);
    if (!isPlaced) return undefined;
    rows.set(row.id, row);
    if (rows.size % ROWS_AT_ONCE === 0) await task.yield();
  }
  return { rows, blocks, length: text.length };
}

function parse<T>(form: v.GenericSchema<unknown, T>, line: string): T | undefined {
  try {
    const result = v.safeParse(form, JSON.parse(line), { abortEarly: true });
    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The file that lists the saved issues, or the saved patches, of a repository. The file is a zlib stream of
 * lines of JSON: a header, then a row for each object. A row contains the properties by which lists are
 * filtered and counted, and the index of a block. A block is a separate file, with the evaluation of each of
 * its objects on a line ({@link encodeEvaluation}).
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
 * Version of saved files. Increment it when the format of a saved file changes, or when evaluations give
 * another result than before.
 */
export const EVALUATION_VERSION = 3;

/**
 * Maximum length of a list as JSON, in bytes, which is enough for about 60,000 objects. A longer list is not
 * saved.
 */
export const MAX_LIST_BYTES = 2 ** 25;
/**
 * Maximum length of a row, in bytes. An object with a longer row, because of many labels or assignees, is not
 * saved.
 */
export const MAX_ROW_BYTES = 2 ** 16;
/** Maximum length of the line of an evaluation, in bytes. An object with a longer line is not saved. */
export const MAX_LINE_BYTES = 2 ** 24;
/** A block ends when its lines have at least this total length, in UTF-16 units. */
export const BLOCK_BYTES = 2 ** 18;
/** Maximum length of a block as JSON, in bytes. */
export const MAX_BLOCK_BYTES = BLOCK_BYTES + MAX_LINE_BYTES;
/** Number of rows decoded in one step, which takes less than a millisecond. */
const ROWS_AT_ONCE = 32;

/**
 * Schema of the branches on which an evaluation depends, by the full name of the reference, with their
 * targets.
 */
export const Heads = mapOf(v.string(), orUndefined(FullOid));

/**
 * Schema of the row of a saved object: the properties by which lists are filtered, ordered and counted, and
 * the index of the block with the evaluation.
 */
const SavedObject = v.strictObject({
  /** Distinguishes a saved row from a state, which does not have this property. */
  isSaved: v.literal(true),
  id: FullOid,
  targets: listOf(FullOid),
  heads: Heads,
  author: FullNid,
  timeSeconds: Seconds,
  title: v.string(),
  state: v.strictObject({ status: v.string() }),
  labels: listOf(v.string()),
  assignees: listOf(v.union([FullNid, FullDid])),
  /** Number of the object's entries. */
  size: Count,
  /** Size of the texts in the object's state, in bytes. */
  textBytes: Count,
  isComplete: v.boolean(),
  /** Length of the object's line in the block, in UTF-16 units. */
  length: Count,
  block: Count,
});

const Failure = v.strictObject({ id: FullOid, targets: listOf(FullOid) });
const Row = v.union([SavedObject, Failure]);

export type SavedObject = v.InferOutput<typeof SavedObject>;
/** A saved row without a block, or with the index of the block in an earlier list. */
export type UnplacedObject = Omit<SavedObject, "block"> & { readonly block?: number };
/** A row of a saved object, or of an object that could not be evaluated. */
export type SavedRow = v.InferOutput<typeof Row>;

/**
 * Checks whether `value` is the row of a saved object. A state, or the row of an object that could not be
 * evaluated, is not.
 */
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
  readonly count: number;
}

/**
 * The repository, type of object and generation of Radicle programs for which a list is saved, and the
 * statuses that the objects can have.
 */
export interface ListSubject {
  readonly rid: RepoId;
  readonly type: CachedType;
  readonly generation: Generation;
  readonly statuses: readonly string[];
}

/** Returns the name under which a list is saved. */
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
 * Decodes a list. Returns `undefined` when the bytes are not a list of this subject and
 * {@link EVALUATION_VERSION}.
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

/** Files that are still to be compared, as bytes: so the process that answers holds many of them, and hands them to workers, at little cost. */
import type { FileKind } from "../diff/diff_object.ts";
import type { PlannedFile } from "../diff/diff_plan.ts";
import type { FileBatch } from "../ports/workers.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Packs files, which are those from number `start` on, after one of the kind `last`. */
export function encodeFiles(
  files: readonly PlannedFile[],
  start: number,
  last: FileKind | undefined,
): FileBatch {
  return { start, last, bytes: encoder.encode(JSON.stringify(files)) };
}

/** The files of a batch that {@link encodeFiles} has packed. */
export function decodeFiles({ bytes }: FileBatch): readonly PlannedFile[] {
  return JSON.parse(decoder.decode(bytes));
}

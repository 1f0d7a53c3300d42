/** A diff that this thread and a worker make together. */
import type { DiffForm, FileBatch, MadeDiff } from "../ports/workers.ts";
import { appendParts } from "./diff_answer.ts";
import { SHARED_PIECE_BYTES, SMALL_DIFF } from "./limits.ts";
import { divideDiff, PART_BYTES, type PlannedDiff } from "./render/diff.ts";
import { viewOf } from "./render/forms.ts";
import { shareWork } from "./shared_work.ts";

/** Those who make parts of a diff. */
export interface PartMakers {
  /** Makes a part within the limits of this thread; `undefined` when it exceeds them. */
  here(batch: FileBatch): Promise<MadeDiff | undefined>;
  byWorker(batch: FileBatch): Promise<MadeDiff>;
}

/** Makes a planned diff; of one whose JSON is long, the beginning. */
export async function shareDiff(
  planned: PlannedDiff,
  form: DiffForm,
  { here, byWorker }: PartMakers,
): Promise<MadeDiff> {
  const { start, largestBytes } = divideDiff(planned, SHARED_PIECE_BYTES);
  const pieces = start.rest.map((batch, i) => ({
    batch,
    isForAnybody: largestBytes[i]! <= SMALL_DIFF.blobBytes,
  }));
  const wholeByWorker = async (batch: FileBatch): Promise<MadeDiff[]> => {
    const parts: MadeDiff[] = [];
    for (let left: FileBatch | undefined = batch; left !== undefined;) {
      const part: MadeDiff = await byWorker(left);
      parts.push(part);
      left = part.rest[0];
    }
    return parts;
  };
  let bytes = 0;
  const made = await shareWork<typeof pieces[number], readonly MadeDiff[]>(pieces, {
    byWorker: ({ batch }) => wholeByWorker(batch),
    here: async ({ batch }) => {
      const part = await here(batch);
      if (part === undefined) return await wholeByWorker(batch);
      const [left] = part.rest;
      return left === undefined ? [part] : [part, ...await wholeByWorker(left)];
    },
    isEnough: (parts) => (bytes += parts.reduce((sum, { json }) => sum + json.length, 0)) > PART_BYTES,
  });
  return appendParts(start, made.flat(), start.rest.slice(made.length), viewOf(form));
}

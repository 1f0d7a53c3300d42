/** A diff that this thread and a worker make together. */
import type { Oid } from "../ids/oid.ts";
import type { DiffForm, FileBatch, MadeDiff, MadeMembers } from "../ports/workers.ts";
import { appendParts, type Members } from "./diff_answer.ts";
import { MAX_MEMBERS_BYTES, SHARED_PIECE_BYTES, SMALL_DIFF } from "./limits.ts";
import { divideDiff, PART_BYTES, type PlannedDiff } from "./render/diff.ts";
import { viewOf } from "./render/forms.ts";
import { shareWork } from "./shared_work.ts";

/** Those who make parts of a diff, with the members of `files` of some blobs. */
export interface PartMakers {
  /** Makes a part within the limits of this thread; `undefined` when it exceeds them. */
  here(batch: FileBatch, shown: readonly Oid[] | undefined): Promise<MadeDiff | undefined>;
  byWorker(batch: FileBatch, shown: readonly Oid[] | undefined): Promise<MadeDiff>;
}

/** A diff, or its beginning, with the members of `files` that were made with it. */
export interface SharedDiff {
  readonly diff: MadeDiff;
  readonly members?: Members | undefined;
}

/**
 * Makes a planned diff; of one whose JSON is long, the beginning.
 *
 * @param hasFiles Whether the answer has `files`, too.
 */
export async function shareDiff(
  planned: PlannedDiff,
  { form, hasFiles }: { readonly form: DiffForm; readonly hasFiles: boolean },
  { here, byWorker }: PartMakers,
): Promise<SharedDiff> {
  const { start, largestBytes, blobs } = divideDiff(planned, SHARED_PIECE_BYTES);
  const pieces = start.rest.map((batch, i) => ({
    batch,
    shown: hasFiles ? blobs[i]! : undefined,
    isForAnybody: largestBytes[i]! <= SMALL_DIFF.blobBytes,
  }));
  const wholeByWorker = async (
    batch: FileBatch | undefined,
    shown?: readonly Oid[] | undefined,
  ): Promise<MadeDiff[]> => {
    const parts: MadeDiff[] = [];
    for (let left = batch; left !== undefined; left = parts.at(-1)!.rest[0]) {
      parts.push(await byWorker(left, parts.length === 0 ? shown : undefined));
    }
    return parts;
  };
  const members = new HeldMembers();
  let bytes = 0;
  const made = await shareWork<typeof pieces[number], readonly MadeDiff[]>(pieces, {
    byWorker: ({ batch, shown }) => wholeByWorker(batch, shown),
    here: async ({ batch, shown }) => {
      const part = await here(batch, shown);
      return part === undefined
        ? await wholeByWorker(batch, shown)
        : [part, ...await wholeByWorker(part.rest[0])];
    },
    isEnough: (parts) => (bytes += parts.reduce((sum, { json }) => sum + json.length, 0)) > PART_BYTES,
  });
  const diff = appendParts(start, made.flat(), start.rest.slice(made.length), viewOf(form));
  made.forEach(([part], i) => part?.members && members.add(blobs[i]!, part.members));
  return { diff, members: members.all };
}

/** Members of `files`, as many as may be held. */
export class HeldMembers {
  readonly #members = new Map<Oid, Uint8Array<ArrayBuffer>>();
  #bytes = 0;

  /** The members so far. */
  get all(): Members {
    return this.#members;
  }

  /** Adds members of these blobs; tells whether more may be added. */
  add(oids: readonly Oid[], { json, ends }: MadeMembers): boolean {
    this.#bytes += json.length;
    if (this.#bytes > MAX_MEMBERS_BYTES) return false;
    oids.forEach((oid, i) => this.#members.set(oid, json.subarray(ends[i - 1] ?? 0, ends[i])));
    return true;
  }
}

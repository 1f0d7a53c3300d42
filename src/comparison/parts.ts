/** Parts of a long answer: made a few ahead of what the client has read, handed out in their order. */
import type { BytesUnderWay, Lease } from "./bytes_under_way.ts";

/** Parts of one answer that are made, or wait to be read, at a time: as many as there are workers. */
export const PARTS_AHEAD = 2;

/** Room that is taken for a part before its size is known. */
export const EXPECTED_PART_BYTES = 4 * 2 ** 20;

/** How parts are made. */
export interface PartMaker<Work, Part extends { readonly json: Uint8Array }> {
  make(work: Work): Promise<Part>;
  /** What is left of the work after a part. */
  leftOf(part: Part): Work | undefined;
  readonly room: BytesUnderWay;
  readonly signal: AbortSignal | undefined;
}

interface Making<Part> {
  readonly part: Promise<Part>;
  readonly lease: Lease;
}

/** The parts of all work. Each is given up when the next one is asked for; what is under way is given up when no more are wanted. */
export async function* partsOf<Work, Part extends { readonly json: Uint8Array }>(
  works: readonly Work[],
  { make, leftOf, room, signal }: PartMaker<Work, Part>,
): AsyncGenerator<Part> {
  const underWay: Making<Part>[] = [];
  let next = 0;
  const begin = (work: Work, lease: Lease): Making<Part> => {
    const part = make(work).then((made) => {
      lease.resize(made.json.length);
      return made;
    });
    // It is heard when its turn comes.
    part.catch(() => lease.release());
    return { part, lease };
  };
  try {
    while (next < works.length || underWay.length > 0) {
      while (next < works.length && underWay.length < PARTS_AHEAD) {
        const lease = underWay.length === 0
          ? await room.take(EXPECTED_PART_BYTES, signal)
          : room.tryTake(EXPECTED_PART_BYTES);
        if (lease === undefined) break;
        underWay.push(begin(works[next++]!, lease));
      }
      const { part, lease } = underWay.shift()!;
      const made = await part;
      const left = leftOf(made);
      // No waiting for room here: this answer may have it all.
      if (left !== undefined) underWay.unshift(begin(left, room.force(EXPECTED_PART_BYTES)));
      try {
        yield made;
      } finally {
        lease.release();
      }
    }
  } finally {
    for (const { part, lease } of underWay) void part.catch(() => {}).then(() => lease.release());
  }
}

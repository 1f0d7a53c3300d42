/** Makes parts of long answers a little ahead of the client. One bound of memory holds for all answers. */
import { UnavailableError } from "../errors.ts";
import type { ByteSemaphore, Reservation } from "../scheduling/byte_semaphore.ts";

/** Most bytes of parts being made or waiting to be read, in all answers together, approximately. */
export const MAX_BYTES_UNDER_WAY = 64 * 2 ** 20;

/** Most parts of one answer being made or waiting to be read. Two keep two workers busy. */
const PARTS_AHEAD = 2;

/** Longest time of making the parts of one answer, in milliseconds. The time of the client does not count. */
export const PARTS_LIMIT_MS = 10 * 60_000;

/** Memory reserved for a part before its size is known, in bytes. */
const EXPECTED_PART_BYTES = 4 * 2 ** 20;

export interface PartMaker<Work, Part extends { readonly json: Uint8Array }> {
  make(work: Work): Promise<Part>;
  /** The rest of the work after a part. */
  leftOf(part: Part): Work | undefined;
  readonly room: ByteSemaphore;
  readonly signal: AbortSignal | undefined;
  /** A clock in milliseconds; the clock of the runtime by default. */
  readonly now?: () => number;
}

interface Making<Part> {
  readonly part: Promise<Part>;
  readonly reservation: Reservation;
}

/**
 * The parts of all work. The memory of a part is released when the next part is requested. When the caller
 * stops, the parts being made are released, too.
 *
 * @throws {UnavailableError} after {@link PARTS_LIMIT_MS}.
 */
export async function* partsOf<Work, Part extends { readonly json: Uint8Array }>(
  works: readonly Work[],
  { make, leftOf, room, signal, now = () => performance.now() }: PartMaker<Work, Part>,
): AsyncGenerator<Part> {
  const underWay: Making<Part>[] = [];
  let [next, ms] = [0, 0];
  const begin = (work: Work, reservation: Reservation): Making<Part> => {
    const part = make(work).then((made) => {
      reservation.resize(made.json.length);
      return made;
    });
    // Also prevents an unhandled rejection; the `await` below throws the error.
    part.catch(() => reservation.release());
    return { part, reservation };
  };
  try {
    while (next < works.length || underWay.length > 0) {
      while (next < works.length && underWay.length < PARTS_AHEAD) {
        const reservation = underWay.length === 0
          ? await room.take(EXPECTED_PART_BYTES, signal)
          : room.tryTake(EXPECTED_PART_BYTES);
        if (reservation === undefined) break;
        underWay.push(begin(works[next++]!, reservation));
      }
      const { part, reservation } = underWay.shift()!;
      const sinceMs = now();
      const made = await part;
      ms += now() - sinceMs;
      const left = leftOf(made);
      // Does not wait for memory, since this answer may hold all of it.
      if (left !== undefined) underWay.unshift(begin(left, room.force(EXPECTED_PART_BYTES)));
      try {
        if (ms > PARTS_LIMIT_MS) throw new UnavailableError("This takes too long");
        yield made;
      } finally {
        reservation.release();
      }
    }
  } finally {
    for (const { part, reservation } of underWay) void part.catch(() => {}).then(() => reservation.release());
  }
}

/**
 * Computes the parts of long responses slightly before the client reads them. All responses together have one
 * memory limit.
 */
import { UnavailableError } from "../errors.ts";
import type { ByteSemaphore, Reservation } from "../scheduling/byte_semaphore.ts";

/** Approximate maximum size of all parts that are being computed or wait to be read, in bytes. */
export const MAX_BYTES_UNDER_WAY = 64 * 2 ** 20;

/**
 * Maximum number of parts of one response that are being computed or wait to be read. Two parts are enough to
 * use two workers.
 */
const PARTS_AHEAD = 2;

/**
 * Timeout for computing all parts of one response, in milliseconds. The time in which the client reads is not
 * counted.
 */
export const PARTS_LIMIT_MS = 10 * 60_000;

/** Memory reserved for a part before its size is known, in bytes. */
const EXPECTED_PART_BYTES = 4 * 2 ** 20;

export interface PartMaker<Work, Part extends { readonly json: Uint8Array }> {
  make(work: Work): Promise<Part>;
  /** Returns the work that is left after a part; `undefined` if nothing is left. */
  leftOf(part: Part): Work | undefined;
  readonly room: ByteSemaphore;
  readonly signal: AbortSignal | undefined;
  /** Returns the current time in milliseconds; the clock of the runtime by default. */
  readonly now?: () => number;
}

interface Making<Part> {
  readonly part: Promise<Part>;
  readonly reservation: Reservation;
}

/**
 * Yields the parts of all work. Requesting the next part releases the memory of the previous part. When the
 * caller stops, all memory is released.
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
    // The `await` below throws the error. Without this handler, the rejection might be reported as unhandled
    // before.
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
      // Reserves memory without waiting, because this response itself may use all memory for parts.
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

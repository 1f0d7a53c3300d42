/** Memory of large commits while an answer shows them. */
import type { CommitReading } from "../git/objects.ts";

/** Memory of a large commit while it is shown, in multiples of its bytes, about. */
const HELD_FACTOR = 2;

/** Makes room for the large commits of one answer, of which it shows one at a time. */
export class CommitMemory implements CommitReading {
  readonly #requireRoom: (bytes: number) => Promise<void>;
  /** Memory of the largest one so far, in bytes, about; 0 when none was large. */
  heldBytes = 0;
  /** Whether memory is reserved: not any more when the answer has begun to leave. */
  isReserved = true;

  /** @param requireRoom Reserves memory, as `Call.requireRoom`. */
  constructor(requireRoom: (bytes: number) => Promise<void>) {
    this.#requireRoom = requireRoom;
  }

  /** @throws {UnavailableError} when no memory becomes free in time. */
  readonly requireRoom = async (bytes: number): Promise<void> => {
    const neededBytes = HELD_FACTOR * bytes;
    if (this.isReserved) await this.#requireRoom(neededBytes);
    this.heldBytes = Math.max(this.heldBytes, neededBytes);
  };
}

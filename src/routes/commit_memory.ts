/** Memory of the large commits of one answer. */
import type { CommitReading } from "../git/objects.ts";
import type { Call } from "./call.ts";

/** Memory of a large commit while it is shown, in multiples of its bytes, about. */
const HELD_FACTOR = 2;

/** Makes room for the large commits of one answer, of which it shows one at a time. */
export class CommitMemory implements CommitReading {
  readonly #call: Call;
  /** Memory of the largest one so far, in bytes, about; 0 when none was large. */
  heldBytes = 0;
  /** Whether memory is reserved: not any more when the answer has begun to leave. */
  isReserved = true;

  constructor(call: Call) {
    this.#call = call;
  }

  /** @throws {ApiError} `unavailable` when no memory becomes free in time. */
  readonly requireRoom = async (bytes: number): Promise<void> => {
    const neededBytes = HELD_FACTOR * bytes;
    if (this.isReserved) await this.#call.requireRoom(neededBytes);
    this.heldBytes = Math.max(this.heldBytes, neededBytes);
  };
}

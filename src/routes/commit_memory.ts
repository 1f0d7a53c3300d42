/** Reserves memory for large commits while a response shows them. */
import type { CommitReading } from "../git/objects.ts";

/** Approximate memory of a large commit while it is shown, as a multiple of its size. */
const HELD_FACTOR = 2;

/** Reserves memory for the large commits of a response. The response shows one commit at a time. */
export class CommitMemory implements CommitReading {
  readonly #requireRoom: (bytes: number) => Promise<void>;
  /** Approximate memory of the largest commit so far, in bytes; 0 if no commit was large. */
  heldBytes = 0;
  /** Whether memory is reserved. Set this member to `false` once the response is being sent. */
  isReserved = true;

  /** @param requireRoom Reserves memory as `Call.requireRoom` does. */
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

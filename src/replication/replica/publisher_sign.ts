/** The sign of life of a publisher: the lease of the bucket, which it puts again every few seconds. */
import { LEASE_KEY, MAX_LEASE_BYTES } from "../format/keys.ts";
import { FreshDocument } from "../storage/fresh_document.ts";
import type { BucketReads } from "../storage/reads.ts";

/** Time between two looks at the lease, in milliseconds. */
export const SIGN_LOOK_MS = 30_000;

/** When a publisher was last there. Nobody waits for the bucket, and no failure of it is told. */
export class PublisherSign {
  readonly #lease: FreshDocument<number | undefined>;
  readonly #now: () => number;
  #lookedMs: number;

  constructor(reads: BucketReads, now: () => number) {
    // A public bucket may tell no times.
    const decode = (_: Uint8Array, modifiedMs: number) => modifiedMs || undefined;
    this.#lease = new FreshDocument({
      key: LEASE_KEY,
      limitBytes: MAX_LEASE_BYTES,
      decode,
      reads,
      freshMs: SIGN_LOOK_MS,
      now,
    });
    this.#now = now;
    // A cold replica has more urgent reads.
    this.#lookedMs = now();
  }

  /**
   * Time of the last sign as far as it is known, in milliseconds since the epoch, by the clock of the bucket.
   * Looks for the next one in the background, once in {@link SIGN_LOOK_MS}; first after this time.
   */
  get seenAtMs(): number | undefined {
    if (Math.abs(this.#now() - this.#lookedMs) >= SIGN_LOOK_MS) {
      this.#lookedMs = this.#now();
      void this.#lease.reload().catch(() => {});
    }
    return this.#lease.known?.value;
  }
}

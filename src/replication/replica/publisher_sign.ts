/** The sign of life of a publisher: the claim of the bucket, which it puts again each minute. */
import { CLAIM_KEY, MAX_CLAIM_BYTES } from "../format/keys.ts";
import { FreshDocument } from "../storage/fresh_document.ts";
import type { BucketReads } from "../storage/reads.ts";

/** Time between two looks at the claim, in milliseconds. */
export const SIGN_LOOK_MS = 30_000;

/** When a publisher was last there. Nobody waits for the bucket, and no failure of it is told. */
export class PublisherSign {
  readonly #claim: FreshDocument<number | undefined>;
  readonly #now: () => number;
  #lookedMs: number;

  constructor(reads: BucketReads, now: () => number) {
    // A public bucket may tell no times.
    const decode = (_: Uint8Array, modifiedMs: number) => modifiedMs || undefined;
    this.#claim = new FreshDocument({
      key: CLAIM_KEY,
      limitBytes: MAX_CLAIM_BYTES,
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
      void this.#claim.reload().catch(() => {});
    }
    return this.#claim.known?.value;
  }
}

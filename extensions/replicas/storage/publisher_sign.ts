/** The sign of life of a publisher: the lease of the bucket, which it puts again every few seconds. */
import { LEASE } from "../format/lease_record.ts";
import type { BucketDocument } from "../format/sealed_json.ts";
import { FreshDocument } from "./fresh_document.ts";
import type { BucketReads } from "./reads.ts";

/** Time between two looks at the lease, in milliseconds. */
export const SIGN_LOOK_MS = 30_000;
/** The same while it is not the lease that somebody expects. */
const UNEXPECTED_LOOK_MS = 1_000;

/** The lease as far as readers need it. */
interface SeenLease {
  /** A public bucket may tell no times. */
  readonly seenAtMs: number | undefined;
  readonly number: number | undefined;
}

/** When a publisher was last there, and which one. */
export class PublisherSign {
  readonly #lease: FreshDocument<SeenLease>;
  readonly #now: () => number;
  #lookedMs: number;

  constructor(reads: BucketReads) {
    const decode: BucketDocument<SeenLease>["decode"] = (bytes, modifiedMs) => ({
      seenAtMs: modifiedMs || undefined,
      number: LEASE.decode(bytes, modifiedMs).number,
    });
    this.#lease = new FreshDocument({ ...LEASE, decode }, reads, SIGN_LOOK_MS);
    this.#now = reads.wallMs;
    // A cold replica has more urgent reads.
    this.#lookedMs = this.#now();
  }

  /**
   * Time of the last sign as far as it is known, in milliseconds since the epoch, by the clock of the bucket.
   * Looks for the next one in the background, once in {@link SIGN_LOOK_MS}; first after this time. Nobody
   * waits for the bucket, and no failure of it is told.
   */
  get seenAtMs(): number | undefined {
    if (Math.abs(this.#now() - this.#lookedMs) >= SIGN_LOOK_MS) {
      this.#lookedMs = this.#now();
      void this.#lease.reload().catch(() => {});
    }
    return this.#lease.known?.value?.seenAtMs;
  }

  /**
   * Whether a lease is the one of the bucket, as it was {@link SIGN_LOOK_MS} ago at the most.
   *
   * @throws {UnavailableError} when the bucket is away and nothing is known.
   */
  async isLease(number: number): Promise<boolean> {
    if ((await this.#lease.get())?.number === number) return true;
    return (await this.#lease.get(UNEXPECTED_LOOK_MS))?.number === number;
  }
}

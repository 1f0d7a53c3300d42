/**
 * The sign of life of a publisher: the lease in the bucket, which the publisher writes again every few
 * seconds.
 */
import { LEASE } from "../format/lease_record.ts";
import type { BucketDocument } from "../format/sealed_json.ts";
import { FreshDocument } from "./fresh_document.ts";
import type { BucketReads } from "./reads.ts";

/** Interval between two reads of the lease, in milliseconds. */
const SIGN_CHECK_MS = 30_000;
/** Interval between two reads of the lease while it is not the expected lease, in milliseconds. */
const UNEXPECTED_CHECK_MS = 1_000;

interface SeenLease {
  /** Time of the last put in milliseconds since the epoch; `undefined` when a public bucket gives no time. */
  readonly seenAtMs: number | undefined;
  readonly number: number | undefined;
}

/** Reads when a publisher last wrote its lease, and the number of the lease. */
export class PublisherSign {
  readonly #lease: FreshDocument<SeenLease>;
  readonly #now: () => number;
  #checkedMs: number;

  constructor(reads: BucketReads) {
    const decode: BucketDocument<SeenLease>["decode"] = (bytes, modifiedMs) => ({
      seenAtMs: modifiedMs || undefined,
      number: LEASE.decode(bytes, modifiedMs).number,
    });
    this.#lease = new FreshDocument({ ...LEASE, decode }, reads, SIGN_CHECK_MS);
    this.#now = reads.wallMs;
    // The first read is delayed, because a replica that has just started has more urgent reads.
    this.#checkedMs = this.#now();
  }

  /**
   * Time of the last sign of life in milliseconds since the epoch, by the clock of the bucket; `undefined`
   * while it is unknown. Reading this property starts a read of the lease in the background, at most once in
   * {@link SIGN_CHECK_MS}, and for the first time after this interval. It never waits for the bucket, and
   * ignores failures of the bucket.
   */
  get seenAtMs(): number | undefined {
    if (Math.abs(this.#now() - this.#checkedMs) >= SIGN_CHECK_MS) {
      this.#checkedMs = this.#now();
      void this.#lease.reload().catch(() => {});
    }
    return this.#lease.known?.value?.seenAtMs;
  }

  /**
   * Checks whether the bucket has the lease with this number, or had it at most {@link SIGN_CHECK_MS} ago.
   *
   * @throws {UnavailableError} when the bucket cannot be read and no lease is known.
   */
  async isLease(number: number): Promise<boolean> {
    if ((await this.#lease.get())?.number === number) return true;
    return (await this.#lease.get(UNEXPECTED_CHECK_MS))?.number === number;
  }
}

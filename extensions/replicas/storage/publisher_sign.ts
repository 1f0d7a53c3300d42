/** The sign of life of a publisher: the lease in the bucket, which it puts again every few seconds. */
import { LEASE } from "../format/lease_record.ts";
import type { BucketDocument } from "../format/sealed_json.ts";
import { FreshDocument } from "./fresh_document.ts";
import type { BucketReads } from "./reads.ts";

/** Time between two reads of the lease, in milliseconds. */
const SIGN_CHECK_MS = 30_000;
/** The same while the lease is not the expected one. */
const UNEXPECTED_CHECK_MS = 1_000;

interface SeenLease {
  /** A public bucket may give no times. */
  readonly seenAtMs: number | undefined;
  readonly number: number | undefined;
}

/** When a publisher last stored its lease, and which one. */
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
    // A cold replica has more urgent reads.
    this.#checkedMs = this.#now();
  }

  /**
   * Time of the last sign, if known, in milliseconds since the epoch, by the clock of the bucket. Starts a
   * read of the next one in the background, once in {@link SIGN_CHECK_MS}, the first one after this time.
   * Never waits for the bucket, and ignores its failures.
   */
  get seenAtMs(): number | undefined {
    if (Math.abs(this.#now() - this.#checkedMs) >= SIGN_CHECK_MS) {
      this.#checkedMs = this.#now();
      void this.#lease.reload().catch(() => {});
    }
    return this.#lease.known?.value?.seenAtMs;
  }

  /**
   * Whether the bucket has this lease, or had it at most {@link SIGN_CHECK_MS} ago.
   *
   * @throws {UnavailableError} when the bucket cannot be read and no lease is known.
   */
  async isLease(number: number): Promise<boolean> {
    if ((await this.#lease.get())?.number === number) return true;
    return (await this.#lease.get(UNEXPECTED_CHECK_MS))?.number === number;
  }
}

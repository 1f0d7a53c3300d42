/**
 * A changing document of a bucket. It is read again after some time, and the last known version is used while
 * the bucket cannot be read.
 */
import { isUnreadable, pauseFor, UnavailableError } from "../../../src/mod.ts";
import { BucketError } from "../bucket/bucket.ts";
import type { BucketDocument } from "../format/sealed_json.ts";
import { type BucketReads, damagedLine, LOST_READ_MS, MIN_STALE_MS, unavailable } from "./reads.ts";

/** Maximum time to wait for a read of a document when an earlier version is known, in milliseconds. */
export const REVALIDATION_TIMEOUT_MS = 1_000;
/**
 * Age above which a document is not used while the bucket denies access, in milliseconds. The reader may no
 * longer have the right to see the repository.
 */
export const MAX_DENIED_AGE_MS = 30_000;

/** The known version of a document, or the knowledge that the document does not exist. */
interface Known<T> {
  readonly value: T | undefined;
  readonly etag: string | undefined;
  /**
   * Start time of the last request to which the bucket responded with this document, in milliseconds since
   * the epoch.
   */
  readonly confirmedAtMs: number;
}

/** A document that is read on demand, and is read again after some time. */
export class FreshDocument<T> {
  readonly #document: BucketDocument<T>;
  readonly #reads: BucketReads;
  readonly #freshMs: number;
  #known: Known<T> | undefined;
  /** Whether the bucket denied access at the last read. */
  #isDenied = false;
  /** Whether a read has been running for longer than {@link REVALIDATION_TIMEOUT_MS}. */
  #isLate = false;
  #checkedMs = -Infinity;
  /**
   * Whether the known document was marked as outdated by {@link expire}, and no read has begun since then.
   */
  #isExpired = false;
  #readingSinceMs = -Infinity;
  #reading: Promise<T | undefined> | undefined;

  /**
   * @param freshMs Time after which the document is read again, in milliseconds; `freshMs` of the reads by
   *   default.
   */
  constructor(document: BucketDocument<T>, reads: BucketReads, freshMs: number = reads.freshMs) {
    this.#document = document;
    this.#reads = reads;
    this.#freshMs = freshMs;
  }

  /**
   * The last known document, and the time when the bucket confirmed it; `undefined` before the first read.
   */
  get known(): Pick<Known<T>, "value" | "confirmedAtMs"> | undefined {
    return this.#known;
  }

  /**
   * Whether the last finished read of the document has succeeded, and no read has been running for longer
   * than {@link REVALIDATION_TIMEOUT_MS}.
   */
  get isConfirmed(): boolean {
    return this.#known !== undefined && this.#known.confirmedAtMs === this.#checkedMs && !this.#isLate;
  }

  /**
   * Returns the document, or `undefined` when it does not exist. A fresh document is returned at once. While
   * the bucket cannot be read, the last known document is returned, unless it is older than `maxStaleMs` of
   * the reads, or than {@link MAX_DENIED_AGE_MS} if the bucket denies access.
   *
   * @param freshMs Time after which the document is read again, in milliseconds, for this call only.
   * @throws {UnavailableError} when the bucket cannot be read, and the document is unknown or too old.
   */
  get(freshMs: number = this.#freshMs): T | undefined | Promise<T | undefined> {
    if (this.#isExpired) return this.renewed();
    const known = this.#known;
    if (known === undefined) return this.#read();
    const isTooOld = this.#isTooOld(known);
    if (!this.#isOlder(this.#checkedMs, isTooOld ? Math.min(freshMs, MIN_STALE_MS) : freshMs)) {
      return isTooOld ? Promise.reject(unavailable()) : known.value;
    }
    return this.#patient(this.#read());
  }

  /** Marks the document as outdated, so that the next call reads it. */
  expire(): void {
    this.#isExpired = true;
  }

  /**
   * Reads the document from the bucket even if it is fresh. Like {@link get}, returns the known document if
   * the read fails or takes long, unless the known document is too old.
   */
  async renewed(): Promise<T | undefined> {
    return await (this.#known === undefined ? this.reload() : this.#patient(this.reload()));
  }

  /**
   * Reads the document from the bucket even if it is fresh, and fails when the read fails.
   *
   * @throws {UnavailableError} when the bucket cannot be read.
   */
  async reload(): Promise<T | undefined> {
    this.#isExpired = false;
    await this.#reading?.catch(() => {});
    return await this.#read();
  }

  #isOlder(sinceMs: number, ageMs: number): boolean {
    return Math.abs(this.#reads.wallMs() - sinceMs) >= ageMs;
  }

  #isTooOld({ confirmedAtMs }: Known<T>): boolean {
    const { maxStaleMs } = this.#reads;
    return this.#isOlder(
      confirmedAtMs,
      this.#isDenied ? Math.min(MAX_DENIED_AGE_MS, maxStaleMs) : maxStaleMs,
    );
  }

  /**
   * Returns the known document as soon as a read ends, or after {@link REVALIDATION_TIMEOUT_MS}. If the known
   * document is too old, waits until the read ends.
   *
   * @throws {UnavailableError} when the document is too old and the read has failed.
   */
  async #patient(reading: Promise<unknown>): Promise<T | undefined> {
    const ending = new AbortController();
    const ended = reading.catch(() => {}).finally(() => ending.abort());
    await pauseFor(REVALIDATION_TIMEOUT_MS, ending.signal, this.#reads.startTimer);
    if (!ending.signal.aborted) {
      this.#isLate = true;
      this.#reads.log("warn", `The bucket has not sent "${this.#document.key}" within a second`);
    }
    if (this.#isTooOld(this.#known!)) await ended;
    if (this.#isTooOld(this.#known!)) throw unavailable();
    return this.#known!.value;
  }

  #read(): Promise<T | undefined> {
    const nowMs = this.#reads.wallMs();
    if (this.#reading !== undefined && Math.abs(nowMs - this.#readingSinceMs) < LOST_READ_MS) {
      return this.#reading;
    }
    this.#readingSinceMs = nowMs;
    const reading = this.#ask().finally(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return this.#reading = reading;
  }

  async #ask(): Promise<T | undefined> {
    const { key, limitBytes, decode } = this.#document;
    const askedMs = this.#reads.wallMs();
    try {
      const known = this.#known;
      const found = await this.#reads.document(key, limitBytes, known?.etag);
      this.#known = found === "unchanged"
        ? { value: undefined, etag: undefined, ...known, confirmedAtMs: askedMs }
        : {
          value: found && decode(found.bytes, found.modifiedMs),
          etag: found?.etag,
          confirmedAtMs: askedMs,
        };
      this.#isDenied = false;
      return this.#known.value;
    } catch (error) {
      const cause = error instanceof UnavailableError ? error.cause : undefined;
      if (cause instanceof BucketError && cause.obstacle === "denied") this.#isDenied = true;
      if (!isUnreadable(error)) throw error;
      this.#reads.log("warn", damagedLine(key), error);
      throw unavailable();
    } finally {
      this.#isLate = false;
      // The time is also set after a failure, so that not every request reads the bucket while it fails.
      if (this.#known !== undefined) this.#checkedMs = askedMs;
    }
  }
}

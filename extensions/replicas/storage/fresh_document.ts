/**
 * A changing document of a bucket: read again after some time, and still shown while the bucket cannot be
 * read.
 */
import { isUnreadable, pauseFor, UnavailableError } from "../../../src/mod.ts";
import { BucketError } from "../bucket/bucket.ts";
import type { BucketDocument } from "../format/sealed_json.ts";
import { type BucketReads, damagedLine, LOST_READ_MS, MIN_STALE_MS, unavailable } from "./reads.ts";

/** Longest wait for the check whether a known document has changed, in milliseconds. */
export const REVALIDATION_TIMEOUT_MS = 1_000;
/**
 * Age above which a document is not shown while the bucket denies access, in milliseconds: the reader may no
 * longer have the right to see the repository.
 */
export const MAX_DENIED_AGE_MS = 30_000;

/** A document, or its absence. */
interface Known<T> {
  readonly value: T | undefined;
  readonly etag: string | undefined;
  /** When the request began that the bucket last answered with this document, in milliseconds. */
  readonly confirmedAtMs: number;
}

/** A document that is read on demand, and again after some time. */
export class FreshDocument<T> {
  readonly #document: BucketDocument<T>;
  readonly #reads: BucketReads;
  readonly #freshMs: number;
  #known: Known<T> | undefined;
  /** Whether the bucket denied access the last time. */
  #isDenied = false;
  #checkedMs = -Infinity;
  /** Whether a newer document exists than the reads so far can have found. */
  #isExpired = false;
  #readingSinceMs = -Infinity;
  #reading: Promise<T | undefined> | undefined;

  /** @param freshMs Time after which it is read again, in milliseconds; by default the time of the reads. */
  constructor(document: BucketDocument<T>, reads: BucketReads, freshMs: number = reads.freshMs) {
    this.#document = document;
    this.#reads = reads;
    this.#freshMs = freshMs;
  }

  /** The last known document, and the time of its confirmation; `undefined` before the first read. */
  get known(): Pick<Known<T>, "value" | "confirmedAtMs"> | undefined {
    return this.#known;
  }

  /** Whether the bucket answered the last read. */
  get isConfirmed(): boolean {
    return this.#known !== undefined && this.#known.confirmedAtMs === this.#checkedMs;
  }

  /**
   * The document; `undefined` when it does not exist. While it is fresh, it is returned at once. While the
   * bucket cannot be read, the last known one is returned, unless it is older than `maxStaleMs` of the reads,
   * or than {@link MAX_DENIED_AGE_MS} if the bucket denies access.
   *
   * @param freshMs Replaces the time of the document.
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

  /** Marks the document as outdated: the next call reads it. */
  expire(): void {
    this.#isExpired = true;
  }

  /** As {@link get}, but reads the bucket even if the document is fresh. */
  async renewed(): Promise<T | undefined> {
    return await (this.#known === undefined ? this.reload() : this.#patient(this.reload()));
  }

  /**
   * Reads the document, even if it is fresh.
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

  /** The document after a read has ended or takes too long. If the document is too old, waits for the end. */
  async #patient(reading: Promise<unknown>): Promise<T | undefined> {
    const ending = new AbortController();
    const ended = reading.catch(() => {}).finally(() => ending.abort());
    await pauseFor(REVALIDATION_TIMEOUT_MS, ending.signal, this.#reads.startTimer);
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
      // While the bucket fails, not every request reads it.
      if (this.#known !== undefined) this.#checkedMs = askedMs;
    }
  }
}

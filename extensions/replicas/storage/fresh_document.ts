/**
 * A document of a bucket that changes: asked for again after some time, and shown while the bucket is away.
 */
import { pauseFor } from "../../../src/async/timer.ts";
import { BucketError } from "../bucket/bucket.ts";
import { isUnreadable, UnavailableError } from "../../../src/errors.ts";
import type { BucketDocument } from "../format/sealed_json.ts";
import { type BucketReads, damagedLine, LOST_READ_MS, MIN_STALE_MS, unavailable } from "./reads.ts";

/** Longest wait for the answer whether a known document has changed, in milliseconds. */
export const REVALIDATION_TIMEOUT_MS = 1_000;
/**
 * Age beyond which a document is not shown while the bucket refuses it, in milliseconds: the repository may
 * not be for this reader any more.
 */
export const MAX_DENIED_AGE_MS = 30_000;

/** A document, or its absence. */
interface Known<T> {
  readonly value: T | undefined;
  readonly etag: string | undefined;
  /** Time of the last question that the bucket has answered by this document, in milliseconds. */
  readonly confirmedAtMs: number;
}

/** A document that is read when it is asked for, and again after some time. */
export class FreshDocument<T> {
  readonly #document: BucketDocument<T>;
  readonly #reads: BucketReads;
  readonly #freshMs: number;
  #known: Known<T> | undefined;
  /** Whether the last answers of the bucket were refusals. */
  #isDenied = false;
  #checkedMs = -Infinity;
  /** Whether there is a later one than any read has found that has begun. */
  #isExpired = false;
  #readingSinceMs = -Infinity;
  #reading: Promise<T | undefined> | undefined;

  /** @param freshMs Time after which it is asked for again, in milliseconds; that of the reads by default. */
  constructor(document: BucketDocument<T>, reads: BucketReads, freshMs: number = reads.freshMs) {
    this.#document = document;
    this.#reads = reads;
    this.#freshMs = freshMs;
  }

  /** The document as it was read last, and the time of it; `undefined` before the first read. */
  get known(): Pick<Known<T>, "value" | "confirmedAtMs"> | undefined {
    return this.#known;
  }

  /** Whether the bucket has answered when it was asked last. */
  get isConfirmed(): boolean {
    return this.#known !== undefined && this.#known.confirmedAtMs === this.#checkedMs;
  }

  /**
   * The document; `undefined` when there is none. At once while it is fresh. While the bucket is away, the
   * last known one, unless it is too old: older than {@link MAX_DENIED_AGE_MS} when the bucket refuses it,
   * and than `maxStaleMs` of the reads otherwise.
   *
   * @param freshMs Replaces that of the document.
   * @throws {UnavailableError} when the bucket is away and nothing is known, or it is too old.
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

  /** Says that there is a later one: it is asked for when it is next needed. */
  expire(): void {
    this.#isExpired = true;
  }

  /** As {@link get}, but asks the bucket now, fresh or not. */
  async renewed(): Promise<T | undefined> {
    return await (this.#known === undefined ? this.reload() : this.#patient(this.reload()));
  }

  /**
   * Reads the document, fresh or not.
   *
   * @throws {UnavailableError} when the bucket is away.
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

  /** The document when a read has ended, or takes too long; while it is too old, the end is awaited. */
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
      // A bucket that fails is not asked for each request.
      if (this.#known !== undefined) this.#checkedMs = askedMs;
    }
  }
}

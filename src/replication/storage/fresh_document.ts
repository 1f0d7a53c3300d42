/**
 * A document of a bucket that changes: asked for again after some time, and shown while the bucket is away.
 */
import { DamagedError } from "../../errors.ts";
import { type BucketReads, damagedLine, LOST_READ_MS, unavailable } from "./reads.ts";

/** Longest wait for the answer whether a known document has changed, in milliseconds. */
export const REVALIDATION_TIMEOUT_MS = 1_000;

/** Parts of a {@link FreshDocument}. */
export interface FreshDocumentDependencies<T> {
  readonly key: string;
  readonly limitBytes: number;
  /** @throws {DamagedError} */
  readonly decode: (bytes: Uint8Array) => T;
  readonly reads: BucketReads;
  /** Time after which it is asked for again, in milliseconds. */
  readonly freshMs: number;
  /** Milliseconds; the clock of `freshMs`. */
  readonly now: () => number;
}

/** A document, or its absence. */
interface Known<T> {
  readonly value: T | undefined;
  readonly etag: string | undefined;
}

/** A document that is read when it is asked for, and again after some time. */
export class FreshDocument<T> {
  readonly #dependencies: FreshDocumentDependencies<T>;
  #known: Known<T> | undefined;
  #checkedMs = -Infinity;
  #readingSinceMs = -Infinity;
  #reading: Promise<T | undefined> | undefined;

  constructor(dependencies: FreshDocumentDependencies<T>) {
    this.#dependencies = dependencies;
  }

  /**
   * The document; `undefined` when there is none. At once while it is fresh. While the bucket is away, the
   * last known one.
   *
   * @param freshMs Replaces that of the parts.
   * @throws {ApiError} `unavailable` when the bucket is away and nothing is known.
   */
  get(freshMs: number = this.#dependencies.freshMs): T | undefined | Promise<T | undefined> {
    const { now } = this.#dependencies;
    const known = this.#known;
    if (known === undefined) return this.#read();
    if (Math.abs(now() - this.#checkedMs) < freshMs) return known.value;
    return this.#patient(this.#read().catch(() => known.value), known.value);
  }

  /**
   * Reads the document, fresh or not.
   *
   * @throws {ApiError} `unavailable` when the bucket is away.
   */
  async reload(): Promise<T | undefined> {
    await this.#reading?.catch(() => {});
    return await this.#read();
  }

  /** The result, or the value when the result takes too long. The promise must not reject. */
  #patient(result: Promise<T | undefined>, value: T | undefined): Promise<T | undefined> {
    return new Promise((resolve) => {
      const stop = this.#dependencies.reads.startTimer(REVALIDATION_TIMEOUT_MS, () => resolve(value));
      void result.then((result) => {
        stop();
        resolve(result);
      });
    });
  }

  #read(): Promise<T | undefined> {
    const nowMs = this.#dependencies.now();
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
    const { key, limitBytes, decode, reads, now } = this.#dependencies;
    const askedMs = now();
    try {
      const known = this.#known;
      const found = await reads.document(key, limitBytes, known?.etag);
      if (found === "unchanged") return known?.value;
      const value = found && decode(found.bytes);
      this.#known = { value, etag: found?.etag };
      return value;
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      reads.log("warn", damagedLine(key), error);
      throw unavailable();
    } finally {
      // A bucket that fails is not asked for each request.
      if (this.#known !== undefined) this.#checkedMs = askedMs;
    }
  }
}

/**
 * Reads of a bucket. All concurrent readers of a part of an immutable object share one read, and the part is
 * cached in a folder if there is a folder. Changing documents are read from the bucket each time. Failures
 * become `UnavailableError`. Wrong bytes are never returned.
 */
import { type Bucket, BucketError, type ByteRange } from "../bucket/bucket.ts";
import {
  ByteSemaphore,
  type CacheFolder,
  createUnpack,
  type Environment,
  type Inflate,
  isUnreadable,
  Limiter,
  startSystemTimer,
  type StartTimer,
  Task,
  UnavailableError,
  type Unpack,
} from "../../../src/mod.ts";
import { logRarely } from "./rare_log.ts";
import { SharedReads } from "./shared_reads.ts";

/** Timeout of one read of the bucket, in milliseconds. It includes the wait for a slot. */
const READ_TIMEOUT_MS = 8_000;
/**
 * Time after which a read that has not ended counts as lost, in milliseconds. Some hosts (workerd) drop the
 * work of a request, including its timers, after the response to the request.
 */
export const LOST_READ_MS: number = READ_TIMEOUT_MS + 1_000;
/** Time after which work with several reads counts as lost, in milliseconds. */
const LOST_WORK_MS = 60_000;
/**
 * Maximum number of concurrent reads of the bucket. Further reads wait for a slot, within
 * {@link READ_TIMEOUT_MS}.
 */
const MAX_READS_AT_ONCE = 32;
/** Value of `Retry-After` when the bucket cannot be read, in seconds. */
const BUCKET_RETRY_SECONDS = 5;
/**
 * Minimum of `maxStaleSeconds`, in milliseconds. It is also the minimum time between two reads of a document
 * that is too old.
 */
export const MIN_STALE_MS = 1_000;
/** Maximum size of all unfinished writes to the folder, in bytes. Beyond it, further parts are not saved. */
export const MAX_SAVED_AT_ONCE_BYTES = 2 ** 24;
/** Number of bytes that each unfinished write counts in addition to its content. */
export const SAVE_BYTES = 2 ** 16;
/** Maximum number of attempts of a read that brings wrong bytes. */
const TRIES = 2;

/**
 * Error of a read when the bucket no longer has an object that a changing document names, such as a manifest.
 * A new version of the document has replaced the known version.
 */
export class GoneError extends Error {
  override readonly name = "GoneError";
}

export interface Document {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Time of the last put, in milliseconds since the epoch by the clock of the bucket. */
  readonly modifiedMs: number;
}

/** Default time after which a manifest is read again, in seconds. */
export const DEFAULT_FRESH_SECONDS = 2;

export interface BucketReadsOptions {
  readonly bucket: Bucket;
  /** Folder that caches parts of immutable objects; none by default. */
  readonly cacheFolder?: CacheFolder;
  /** The clock that gives the ages of documents, and the log. */
  readonly environment?: Partial<Environment> | undefined;
  /** Starts the timers for all waits for the bucket; the runtime's timer by default. */
  readonly startTimer?: StartTimer | undefined;
  /**
   * Returns the time for the timeouts of reads, in milliseconds; the runtime's monotonic clock by default.
   */
  readonly now?: (() => number) | undefined;
  /** Time after which a manifest is read again, in seconds; {@link DEFAULT_FRESH_SECONDS} by default. */
  readonly freshSeconds?: number | undefined;
  /**
   * Age above which a document is not used while the bucket fails, in seconds. The age is the time since the
   * bucket last confirmed the document. Unlimited by default. While the bucket denies access, it is at most
   * half a minute.
   */
  readonly maxStaleSeconds?: number | undefined;
  /** Decompresses blocks. The default is several times slower, because it is TypeScript. */
  readonly inflate?: Inflate | undefined;
}

/** Decodes bytes, or throws `DamagedError`. */
export type Decode<T> = (bytes: Uint8Array, task: Task) => T | Promise<T>;

export class BucketReads {
  readonly #bucket: Bucket;
  readonly #folder: CacheFolder | undefined;
  /** The log; it leaves out repeated lines. */
  readonly log: Environment["log"];
  readonly #underWay: SharedReads<string, Uint8Array>;
  readonly #places: Limiter;
  readonly #saving = new ByteSemaphore(MAX_SAVED_AT_ONCE_BYTES);
  readonly #now: () => number;
  /** Starts the timers for all waits for the bucket. */
  readonly startTimer: StartTimer;
  /** Age above which a document is not used while the bucket fails, in milliseconds. */
  readonly maxStaleMs: number;
  /** Default time after which a document is read again, in milliseconds. */
  readonly freshMs: number;
  /** Returns the time for the ages of documents, in milliseconds since the epoch. */
  readonly wallMs: () => number;
  readonly unpack: Unpack;

  /**
   * @throws {TypeError} for a negative `freshSeconds`, and for a `maxStaleSeconds` below
   *   {@link MIN_STALE_MS}.
   */
  constructor(options: BucketReadsOptions) {
    const { bucket, cacheFolder, environment = {}, inflate, maxStaleSeconds = Infinity } = options;
    const { startTimer = startSystemTimer, now = () => performance.now() } = options;
    const { freshSeconds = DEFAULT_FRESH_SECONDS } = options;
    this.freshMs = 1000 * freshSeconds;
    this.maxStaleMs = 1000 * maxStaleSeconds;
    if (!(this.freshMs >= 0)) throw new TypeError(`Cannot use ${freshSeconds} seconds`);
    if (!(this.maxStaleMs >= MIN_STALE_MS)) throw new TypeError(`Cannot use ${maxStaleSeconds} seconds`);
    this.#bucket = bucket;
    this.#folder = cacheFolder;
    this.startTimer = startTimer;
    this.#now = now;
    this.#underWay = this.createShared(1);
    this.unpack = createUnpack(inflate);
    this.wallMs = () => environment.now?.() ?? Date.now();
    this.#places = new Limiter({ atOnce: MAX_READS_AT_ONCE }, { lostMs: LOST_READ_MS, now });
    this.log = logRarely((...line) => environment.log?.(...line), now);
  }

  /** Whether a read of the bucket is in progress. */
  get isReading(): boolean {
    return this.#places.running > 0;
  }

  /**
   * Reads a changing document.
   *
   * @param etag Tag of the document that the caller already has.
   * @returns "unchanged" when the document still has this tag, `undefined` when the document does not exist.
   * @throws {UnavailableError} when the bucket cannot be read. Its cause is the bucket's error.
   */
  async document(
    key: string,
    limitBytes: number,
    etag: string | undefined,
  ): Promise<Document | "unchanged" | undefined> {
    return await this.#ask((signal) =>
      this.#bucket.get(key, { limitBytes, signal, ...(etag && { ifNoneMatch: etag }) })
    );
  }

  /**
   * Reads a part of an immutable object and decodes it.
   *
   * @param decode Decodes the bytes, and throws `DamagedError` if they are wrong. It is called for each
   *   reader, and must not write to the bytes. The task that it gets begins after the read.
   * @throws {GoneError} when the object does not exist.
   * @throws {UnavailableError} when the bucket cannot be read, or the bytes are wrong.
   */
  async part<T>(key: string, range: ByteRange, decode: Decode<T>): Promise<T> {
    const saved = await this.savedPart(
      key,
      range,
      async (bytes, task) => ({ value: await decode(bytes, task) }),
    );
    return saved === undefined ? await this.fetchedPart(key, range, decode) : saved.value;
  }

  /**
   * Returns an empty set of reads that concurrent readers share.
   *
   * @param tries Maximum number of reads of the bucket, one after the other, for one result.
   */
  createShared<K, T>(tries: number = TRIES): SharedReads<K, T> {
    return new SharedReads(this.#now, tries * LOST_READ_MS);
  }

  /**
   * Returns a limiter for work that reads the bucket several times. Work that takes longer than
   * {@link LOST_WORK_MS} counts as lost.
   */
  createLimiter(atOnce: number): Limiter {
    return new Limiter({ atOnce }, { lostMs: LOST_WORK_MS, now: this.#now });
  }

  /** Whether there is a folder with copies of parts. */
  get hasFolder(): boolean {
    return this.#folder !== undefined;
  }

  /**
   * Reads the copy of a part in the folder. Returns `undefined` when there is no copy, or the copy is
   * damaged.
   */
  async savedPart<T extends object>(
    key: string,
    range: ByteRange,
    decode: Decode<T>,
  ): Promise<T | undefined> {
    const saved = await this.#readFolder(savedName(key, range), range.end - range.start);
    if (saved === undefined) return undefined;
    try {
      return await decode(saved, new Task());
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.log("warn", `The saved copy of object "${key}" is damaged; the object is read again`, error);
      return undefined;
    }
  }

  /**
   * Reads a part from the bucket, and saves it in the folder. If the bytes are wrong, reads them once more.
   * Throws the same errors as {@link part}.
   *
   * @param pieces The ranges that are saved separately; the whole range by default.
   */
  async fetchedPart<T>(
    key: string,
    range: ByteRange,
    decode: Decode<T>,
    pieces: readonly ByteRange[] = [range],
  ): Promise<T> {
    for (let tries = 1;; tries++) {
      const bytes = await this.#readOnce(savedName(key, range), key, range);
      try {
        const result = await decode(bytes, new Task());
        for (const piece of pieces) {
          const { start, end } = piece;
          this.#writeFolder(savedName(key, piece), bytes.subarray(start - range.start, end - range.start));
        }
        return result;
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        if (tries < TRIES) continue;
        // A copy in the folder may be equally wrong.
        for (const piece of pieces) this.#writeFolder(savedName(key, piece), new Uint8Array());
        this.log("warn", damagedLine(key), error);
        throw unavailable();
      }
    }
  }

  /**
   * Reads a range of an object that is sent to a client as it is. It is neither checked nor saved in the
   * folder.
   *
   * @throws {GoneError} when the object does not exist.
   * @throws {UnavailableError} when the bucket cannot be read.
   */
  async piece(key: string, range: ByteRange): Promise<Uint8Array<ArrayBuffer>> {
    const limitBytes = range.end - range.start;
    const found = await this.#ask((signal) => this.#bucket.get(key, { range, limitBytes, signal }));
    if (typeof found !== "object") throw new GoneError(`Object "${key}" is not in the bucket`);
    return found.bytes;
  }

  /**
   * Returns the size of an object; `undefined` when it does not exist.
   *
   * @throws {UnavailableError} when the bucket cannot be read.
   */
  async size(key: string): Promise<number | undefined> {
    return (await this.#ask((signal) => this.#bucket.head(key, { signal })))?.size;
  }

  /** Returns the bytes of a read that all concurrent readers of these bytes share. */
  #readOnce(name: string, key: string, range: ByteRange): Promise<Uint8Array> {
    return this.#underWay.share(name, async () => {
      const limitBytes = range.end - range.start;
      const found = await this.#ask((signal) => this.#bucket.get(key, { range, limitBytes, signal }));
      if (found === undefined) throw new GoneError(`Object "${key}" is not in the bucket`);
      return found === "unchanged" ? new Uint8Array() : found.bytes;
    });
  }

  async #ask<T>(read: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const { signal } = controller;
    const stopTimer = this.startTimer(
      READ_TIMEOUT_MS,
      () => controller.abort(new BucketError("unavailable", "The bucket takes too long")),
    );
    try {
      return await this.#places.run(() => read(signal), { signal });
    } catch (error) {
      // A bucket that the host implements may throw an error that is not a `BucketError`.
      this.log(error instanceof BucketError ? "warn" : "error", "The bucket cannot be read", error);
      throw unavailable(error);
    } finally {
      stopTimer();
    }
  }

  async #readFolder(name: string, length: number): Promise<Uint8Array | undefined> {
    try {
      const bytes = await this.#folder?.read(name);
      return bytes?.length === length ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Saves bytes in the folder in the background. Empty bytes delete the entry. Deletions run even while the
   * folder is slow.
   */
  #writeFolder(name: string, bytes: Uint8Array): void {
    const folder = this.#folder;
    if (folder === undefined) return;
    const saving = bytes.length === 0
      ? this.#saving.force(0)
      : this.#saving.tryTake(bytes.length + SAVE_BYTES);
    if (saving === undefined) return;
    void (async () => await folder.write(name, bytes))().catch((error) => {
      this.log("warn", "Cannot write into the cache folder", error);
    }).finally(saving.release);
  }
}

/** Returns the name under which a part of an object is saved in the folder. */
function savedName(key: string, { start, end }: ByteRange): string {
  return `${key.replaceAll("/", "-")}-${start}-${end}`;
}

/** Returns the line in the log for a damaged object. */
export function damagedLine(key: string): string {
  return `Object "${key}" of the bucket is damaged`;
}

/** Creates the error for clients while the bucket cannot be read. */
export function unavailable(cause?: unknown): UnavailableError {
  return new UnavailableError("The bucket cannot be read now", {
    retryAfterSeconds: BUCKET_RETRY_SECONDS,
    isOfStorage: true,
    cause,
  });
}

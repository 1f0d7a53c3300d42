/**
 * Reads of a bucket. Parts of immutable objects are read once for all concurrent readers, and cached in a
 * folder if there is one. Changing documents are read directly. Failures become `UnavailableError`; wrong
 * bytes are never returned.
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
} from "../../../src/mod.ts";
import type { UnpackBlock } from "../format/block.ts";
import { logRarely } from "./rare_log.ts";

/** Longest time of one read of the bucket, in milliseconds: the wait for a place, and the bucket's answer. */
const READ_TIMEOUT_MS = 8_000;
/**
 * Time after which a read that has not ended counts as lost, in milliseconds: some hosts (workerd) drop the
 * work of a request that has been answered, timers included.
 */
export const LOST_READ_MS: number = READ_TIMEOUT_MS + 1_000;
/** Reads of the bucket at a time; further ones wait for a place, within {@link READ_TIMEOUT_MS}. */
const MAX_READS_AT_ONCE = 32;
/** `Retry-After` when the bucket cannot be read, in seconds. */
const BUCKET_RETRY_SECONDS = 5;
/**
 * Least value of `maxStaleSeconds`, in milliseconds, and the time between two reads of a document that is too
 * old.
 */
export const MIN_STALE_MS = 1_000;
/** Most bytes of unfinished writes to the folder. Beyond it, nothing is saved. */
export const MAX_SAVED_AT_ONCE_BYTES = 2 ** 24;
/** Bytes that each such write counts in addition to its content. */
export const SAVE_BYTES = 2 ** 16;
/** Tries of a read that brings wrong bytes. */
const TRIES = 2;

/** The bucket lacks an object that a manifest names: the manifest has been replaced. */
export class GoneError extends Error {
  override readonly name = "GoneError";
}

export interface Document {
  readonly bytes: Uint8Array;
  readonly etag: string;
  /** Time of the last put in milliseconds since the epoch, by the clock of the bucket. */
  readonly modifiedMs: number;
}

/** Time after which a manifest is read again, in seconds. */
export const DEFAULT_FRESH_SECONDS = 2;

export interface BucketReadsOptions {
  readonly bucket: Bucket;
  /** Folder for parts of immutable objects; none by default. */
  readonly cacheFolder?: CacheFolder;
  /** The runtime's timer by default. */
  readonly environment?: Partial<Environment> | undefined;
  /** Clock of reads, in milliseconds; by default the runtime's monotonic clock. */
  readonly startTimer?: StartTimer | undefined;
  /** Time after which a manifest is read again, in seconds; {@link DEFAULT_FRESH_SECONDS} by default. */
  readonly now?: (() => number) | undefined;
  /**
   * Age above which a document is not shown while the bucket fails, in seconds: the time since the bucket
   * last confirmed it. Unlimited by default; but at most half a minute while the bucket denies access.
   */
  readonly freshSeconds?: number | undefined;
  /**
   * Age beyond which a document is not shown while the bucket fails, in seconds: the time since it confirmed
   * what is shown. None by default; a bucket that refuses is given half a minute at most.
   */
  readonly maxStaleSeconds?: number | undefined;
  /** Decompresses blocks; the default is several times slower, because it is TypeScript. */
  readonly inflate?: Inflate | undefined;
}

/** A read that other readers of the same bytes join. */
interface JoinedRead {
  readonly bytes: Promise<Uint8Array>;
  readonly sinceMs: number;
}

export class BucketReads {
  readonly #bucket: Bucket;
  readonly #folder: CacheFolder | undefined;
  /** Leaves out repeated lines. */
  readonly log: Environment["log"];
  readonly #underWay = new Map<string, JoinedRead>();
  readonly #places: Limiter;
  readonly #saving = new ByteSemaphore(MAX_SAVED_AT_ONCE_BYTES);
  /** The timer of all waits for the bucket. */
  readonly startTimer: StartTimer;
  /** Age above which a document is not shown while the bucket fails, in milliseconds. */
  readonly maxStaleMs: number;
  /** Time after which a document is read again, in milliseconds. */
  readonly freshMs: number;
  /** The clock for the ages of documents: milliseconds since the epoch. */
  readonly wallMs: () => number;
  readonly unpack: UnpackBlock;
  readonly #now: () => number;

  /** @throws {TypeError} for a negative time, and an age below {@link MIN_STALE_MS}. */
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
    this.unpack = createUnpack(inflate);
    this.wallMs = () => environment.now?.() ?? Date.now();
    this.#places = new Limiter({ atOnce: MAX_READS_AT_ONCE }, { lostMs: LOST_READ_MS, now });
    this.log = logRarely((...line) => environment.log?.(...line), now);
  }

  /** Whether a read is in progress. */
  get isReading(): boolean {
    return this.#places.running > 0;
  }

  /**
   * Reads a changing document.
   *
   * @param etag Tag of the document that the caller has.
   * @returns "unchanged" when it still has this tag, `undefined` when it does not exist.
   * @throws {UnavailableError} when the bucket cannot be read; its cause is the bucket's error.
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
   * @param decode Decodes the bytes, and throws `DamagedError` if they are wrong. It is called once for each
   *   reader, and must not write to the bytes. Its task begins after the read.
   * @throws {GoneError} when the object does not exist.
   * @throws {UnavailableError} when the bucket cannot be read, or the bytes are wrong.
   */
  async part<T>(
    key: string,
    range: ByteRange,
    decode: (bytes: Uint8Array, task: Task) => T | Promise<T>,
  ): Promise<T> {
    const decoded = (bytes: Uint8Array) => decode(bytes, new Task());
    const name = savedName(key, range);
    const saved = await this.#readFolder(name, range.end - range.start);
    if (saved !== undefined) {
      try {
        return await decoded(saved);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        this.log("warn", `The saved copy of object "${key}" is damaged; the object is read again`, error);
      }
    }
    for (let tries = 1;; tries++) {
      const bytes = await this.#readOnce(name, key, range);
      try {
        const result = await decoded(bytes);
        this.#writeFolder(name, bytes);
        return result;
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        if (tries < TRIES) continue;
        if (saved !== undefined) this.forget(key, range);
        this.log("warn", damagedLine(key), error);
        throw unavailable();
      }
    }
  }

  /**
   * Removes a part from the folder, because it turned out to be wrong after it was decoded. The removal runs
   * in the background.
   */
  forget(key: string, range: ByteRange): void {
    this.#writeFolder(savedName(key, range), new Uint8Array());
  }

  /** One read for all concurrent readers of the same bytes. */
  #readOnce(name: string, key: string, range: ByteRange): Promise<Uint8Array> {
    const joined = this.#underWay.get(name);
    if (joined !== undefined && this.#now() - joined.sinceMs < LOST_READ_MS) return joined.bytes;
    const bytes = this.#ask((signal) =>
      this.#bucket.get(key, { range, limitBytes: range.end - range.start, signal })
    )
      .then((found) => {
        if (found === undefined) throw new GoneError(`Object "${key}" is not in the bucket`);
        return found === "unchanged" ? new Uint8Array() : found.bytes;
      }).finally(() => {
        if (this.#underWay.get(name) === read) this.#underWay.delete(name);
      });
    const read = { bytes, sinceMs: this.#now() };
    this.#underWay.set(name, read);
    return bytes;
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
      // A bucket that the host implements may throw other errors.
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
   * Saves bytes in the background. Empty bytes delete an entry; that is done even while the folder is slow.
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

/** Name in the folder of a part of an object. */
function savedName(key: string, { start, end }: ByteRange): string {
  return `${key.replaceAll("/", "-")}-${start}-${end}`;
}

/** The line in the log for a damaged object. */
export function damagedLine(key: string): string {
  return `Object "${key}" of the bucket is damaged`;
}

/** The error for clients while the bucket cannot be read. */
export function unavailable(cause?: unknown): UnavailableError {
  return new UnavailableError("The bucket cannot be read now", {
    retryAfterSeconds: BUCKET_RETRY_SECONDS,
    cause,
  });
}

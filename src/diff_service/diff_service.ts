/**
 * Computes diffs for requests, or takes them from the cache. A small diff is computed in this thread, any
 * other diff in a worker. Without workers, this thread computes all diffs in time slices, and other requests
 * wait while libgit2 runs.
 */
import { SingleFlight } from "../async/single_flight.ts";
import type { ByteCache } from "../cache/byte_cache.ts";
import {
  type BudgetLimits,
  LARGEST_DIFF,
  MIN_OBJECT_COST,
  OverBudgetError,
  SMALL_DIFF,
} from "../diff/budget.ts";
import { fixedCache, weighRefusal } from "../cache/memory.ts";
import { Libgit2 } from "../diff/libgit2/engine.ts";
import { TooLargeError, UnavailableError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Repository } from "../ports/storage.ts";
import {
  type DiffForm,
  type FileBatch,
  type Job,
  type MadeFiles,
  type MadePart,
  NoWorkersError,
  type Requester,
  type Result,
  type Workers,
} from "../ports/workers.ts";
import { ByteSemaphore } from "../scheduling/byte_semaphore.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import {
  cachedDiff,
  cacheDiff,
  cacheTouched,
  type DiffAnswer,
  diffPieces,
  wholeDiff,
} from "./diff_answer.ts";
import { InThread } from "./in_thread.ts";
import { makeJob } from "./make.ts";
import { MAX_BYTES_UNDER_WAY, partsOf } from "./parts.ts";
import { viewOf } from "./render/diff.ts";
import { FILES_PART_BYTES } from "./render/files.ts";

/** Maximum number of files in a part of `files`. */
const FILES_PER_PART = 1000;

/** Limits for rendering `files` in this thread. Files are only read and shown, not compared. */
const SMALL_FILES: BudgetLimits = { ...SMALL_DIFF, blobBytes: SMALL_DIFF.fileBytes };

/** `Retry-After` when libgit2 has failed, in seconds. */
const RETRY_SECONDS = 30;

export interface DiffServiceOptions {
  readonly loadLibgit2: LoadLibgit2;
  /** Workers for large diffs. By default this thread computes all diffs. */
  readonly workers?: Workers | undefined;
  /** Cache of responses and diffs. */
  readonly answerCache: ByteCache;
  /** Limits the memory of diff parts that clients have not read yet. */
  readonly room?: ByteSemaphore;
  /** Decides when diffs in this thread pause. */
  readonly scheduler?: Scheduler;
}

export class DiffService {
  readonly #workers: Workers | undefined;
  readonly #answerCache: ByteCache;
  readonly #room: ByteSemaphore;
  readonly #libgit2: Libgit2;
  readonly #inThread: InThread;
  readonly #underWay = new SingleFlight<Result<Job>>();
  /** Cached error messages for diffs that are too large, because each error takes long to find. */
  readonly #refused = fixedCache<string, string>("refusals", weighRefusal);

  constructor({ loadLibgit2, workers, answerCache, room, scheduler }: DiffServiceOptions) {
    this.#workers = workers;
    this.#answerCache = answerCache;
    this.#room = room ?? new ByteSemaphore(MAX_BYTES_UNDER_WAY);
    this.#libgit2 = new Libgit2(loadLibgit2);
    this.#inThread = new InThread(scheduler);
  }

  /** Number of diffs that wait to be computed in this thread. */
  get waiting(): number {
    return this.#inThread.waiting;
  }

  /**
   * Computes the diff between two trees. Without an old tree, all files count as added. When the promise
   * resolves, the whole diff is within the limits.
   *
   * @param form Dialect of the JSON.
   * @throws {TooLargeError} when the number or the size of trees or files exceeds a limit.
   * @throws {DamagedError} when a tree or a blob is missing or damaged.
   * @throws {UnavailableError} when the diff takes too long, libgit2 fails, or too many diffs are waiting.
   */
  async diff(
    repository: Repository,
    oldTree: Oid | undefined,
    newTree: Oid,
    requester: Requester = {},
    form: DiffForm = "v1",
  ): Promise<DiffAnswer> {
    const { rid } = repository;
    // The key contains the repository, because the client may be allowed to read only this repository.
    const key = `${rid} ${oldTree ?? ""} ${newTree}${form === "v1" ? "" : ` ${form}`}`;
    const cached = cachedDiff(this.#answerCache, key);
    if (cached !== undefined) return cached;
    const refusal = this.#refused.get(key);
    if (refusal !== undefined) throw new TooLargeError(refusal);

    const job = { kind: "diff", rid, oldTree, newTree, form } as const;
    const made = await this.#make(key, repository, job, SMALL_DIFF, requester).catch((error) => {
      // Only diffs that are too large for a worker cause this error.
      if (error instanceof TooLargeError) this.#refused.set(key, error.message);
      throw error;
    });
    const { touched, touchedBytes, json, left } = made;
    if (left.length === 0) {
      cacheDiff(this.#answerCache, key, made);
      return { touched, touchedBytes, bytes: json.length, pieces: wholeDiff(key, json) };
    }

    const parts = (signal: AbortSignal) =>
      partsOf<FileBatch, MadePart>(left, {
        make: (batch) => {
          // The length is part of the key, because the same diff may have been divided into different
          // batches.
          const partKey = `${key} ${batch.start} ${batch.bytes.length}`;
          const job = { kind: "part", rid, batch, form } as const;
          return this.#make(partKey, repository, job, undefined, { ...requester, signal });
        },
        leftOf: ({ left }) => left[0],
        room: this.#room,
        signal,
      });
    const whenMade = () => cacheTouched(this.#answerCache, key, made);
    const pieces = diffPieces(key, made, parts, requester.signal, whenMade, viewOf(form));
    return { touched, touchedBytes, bytes: json.length, pieces };
  }

  /**
   * Yields the member `files` for all blobs of a diff, in parts. Blobs that are known to be damaged are left
   * out. Blobs that are too large have no content, and are marked as truncated.
   *
   * @throws {DamagedError} when a blob turns out to be damaged while it is read.
   * @throws {UnavailableError} as in {@link diff}.
   */
  async *files(
    repository: Repository,
    { touched, touchedBytes }: Pick<DiffAnswer, "touched" | "touchedBytes">,
    requester: Requester = {},
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const { rid } = repository;
    const cost = Math.max(touchedBytes, MIN_OBJECT_COST * touched.length);
    const small = cost <= SMALL_FILES.fileBytes ? SMALL_FILES : undefined;
    const parts = Math.ceil(touchedBytes / FILES_PART_BYTES) || 1;
    const count = Math.min(FILES_PER_PART, Math.ceil(touched.length / parts) || 1);
    const works: (readonly Oid[])[] = [];
    for (let start = 0; start < touched.length; start += count) {
      works.push(touched.slice(start, start + count));
    }
    const made = partsOf<readonly Oid[], MadeFiles>(works, {
      make: (oids) =>
        this.#make(`${rid} ${oids.join()}`, repository, { kind: "files", rid, oids }, small, requester),
      leftOf: ({ left }) => left.length > 0 ? left : undefined,
      room: this.#room,
      signal: works.length > 1 ? requester.signal : undefined,
    });
    for await (const { json } of made) if (json.length > 0) yield json;
  }

  /**
   * Returns the result of a job. Concurrent calls with the same key share one computation.
   *
   * @param key Only equal jobs have the same key.
   * @param small Limits for computing the job in this thread; `undefined` when the job is known to be too
   * large.
   */
  async #make<J extends Job>(
    key: string,
    repository: Repository,
    job: J,
    small: BudgetLimits | undefined,
    requester: Requester,
  ): Promise<Result<J>> {
    const { peer, spend } = requester;
    const begin = async (signal: AbortSignal): Promise<Result<J>> => {
      const makeInThread = (limits: BudgetLimits) =>
        this.#inThread.run(
          repository.rid,
          { signal, peer, spend },
          limits,
          (budget) => makeJob({ libgit2: this.#libgit2, repository, budget }, job),
        );
      if (this.#workers === undefined) return await makeInThread(LARGEST_DIFF);
      if (small !== undefined) {
        try {
          return await makeInThread(small);
        } catch (error) {
          if (!(error instanceof OverBudgetError)) throw error;
        }
      }
      try {
        return await this.#workers.run(job, signal, peer, spend);
      } catch (error) {
        if (!(error instanceof NoWorkersError)) throw error;
      }
      return await makeInThread(LARGEST_DIFF);
    };
    try {
      // Jobs with the same key have the same type of result.
      return await this.#underWay.join(key, begin, requester.signal) as Result<J>;
    } catch (error) {
      // The name is checked, because an error from a worker is not an instance of `Libgit2Error`.
      if (!(error instanceof Error) || error.name !== "Libgit2Error") throw error;
      throw new UnavailableError("This diff cannot be made", { retryAfterSeconds: RETRY_SECONDS });
    }
  }
}

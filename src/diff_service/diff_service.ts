/**
 * Diffs for requests. A diff comes from the cache; otherwise it is planned in this thread, then its cost and
 * the load decide the place where it is made: here in time slices, or by a worker, which gets the plan.
 * Without workers this thread makes all diffs, and requests wait for libgit2, which cannot be interrupted.
 */
import { SingleFlight } from "../async/single_flight.ts";
import type { ByteCache } from "../cache/byte_cache.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { fixedCache, Memory, weighRefusal } from "../cache/memory.ts";
import { LARGEST_SHARE } from "../cache/tiny_lfu_map.ts";
import { type Budget, LARGEST_DIFF, MIN_OBJECT_COST, OverBudgetError } from "../diff/budget.ts";
import { Libgit2 } from "../diff/libgit2/engine.ts";
import { type DiffPlan, type PackedPlan, packPlan, planChanges } from "../diff/plan.ts";
import { compareTrees } from "../diff/tree_comparison.ts";
import { ApiError, TooLargeError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Repository } from "../ports/storage.ts";
import {
  type DiffForm,
  type DiffJob,
  type FileBatch,
  type Job,
  type Made,
  type MadeDiff,
  NoWorkersError,
  type Requester,
  type Result,
  type Workers,
} from "../ports/workers.ts";
import {
  cachedDiff,
  cacheDiff,
  cacheTouched,
  type DiffAnswer,
  diffPieces,
  joinParts,
  wholeDiff,
} from "./diff_answer.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { makeInBoth } from "./in_both.ts";
import { InThread } from "./in_thread.ts";
import { makeJob } from "./make.ts";
import { MAX_BYTES_UNDER_WAY, partsOf } from "./parts.ts";
import { BOTH_BATCH_BYTES, HERE, type Load, MOST_HANDED_FILES, MOST_HERE, placeOf } from "./place.ts";
import { type DiffTools, DIVIDED, makePart, makePlanned, viewOf } from "./render/diff.ts";
import { FILES_PART_BYTES, makeFiles } from "./render/files.ts";
import { ByteSemaphore } from "../scheduling/byte_semaphore.ts";

/** Most files in a part. */
export const FILES_PER_PART = 1000;

/** `Retry-After` of a diff on which libgit2 failed, in seconds. */
const RETRY_SECONDS = 30;

/** Parts of a diff service. */
export interface DiffServiceOptions {
  readonly loadLibgit2: LoadLibgit2;
  /** Workers for large diffs; by default this thread makes them. */
  readonly workers?: Workers | undefined;
  /** Caches diffs. */
  readonly answerCache: ByteCache;
  /** Sizes of caches; the usual ones by default. */
  readonly memory?: Memory;
  /** Bounds the memory of parts that clients have not read yet. */
  readonly room?: ByteSemaphore;
  /** Decides when diffs of this thread pause; the scheduler of the thread by default. */
  readonly scheduler?: Scheduler;
}

/** A diff to be made. */
interface Comparison {
  readonly repository: Repository;
  /** The job of a worker that makes it, without a plan. */
  readonly job: DiffJob & { readonly form: DiffForm };
  /** Key of the diff in caches: repository, trees and form. */
  readonly key: string;
}

/** Makes diffs. Calls may be concurrent. */
export class DiffService {
  readonly #workers: Workers | undefined;
  readonly #answerCache: ByteCache;
  readonly #room: ByteSemaphore;
  readonly #libgit2: Libgit2;
  readonly #underWay = new SingleFlight<Made | MadeDiff>();
  readonly #inThread: InThread;
  /** First parts of diffs that were made in parts. A large diff is too large for the cache of answers. */
  readonly #begun: LruMap<string, MadeDiff>;
  readonly #largestBegun: number;
  /** Messages for diffs that are too large, because finding that out takes time. */
  readonly #refused = fixedCache<string, string>("refusals", weighRefusal);

  constructor(
    { loadLibgit2, workers, answerCache, memory = new Memory(), room, scheduler }: DiffServiceOptions,
  ) {
    this.#begun = memory.map("begunDiffs", bytesOfBegun);
    this.#largestBegun = memory.share("begunDiffs") * LARGEST_SHARE;
    this.#inThread = new InThread(scheduler);
    this.#workers = workers;
    this.#answerCache = answerCache;
    this.#room = room ?? new ByteSemaphore(MAX_BYTES_UNDER_WAY);
    this.#libgit2 = new Libgit2(loadLibgit2);
  }

  /** Number of diffs that wait for a place in this thread. */
  get waiting(): number {
    return this.#inThread.waiting;
  }

  /**
   * The diff between two trees; without an old tree all files were added. All limits have been checked when
   * the promise resolves.
   *
   * @param form Form of the JSON.
   * @throws {TooLargeError} when trees or files are too many or too large.
   * @throws {DamagedError} when a tree or a blob is missing or damaged.
   * @throws {ApiError} `unavailable` when the diff takes too long or too many diffs are waiting.
   */
  async diff(
    repository: Repository,
    oldTree: Oid | undefined,
    newTree: Oid,
    requester?: Requester,
    form: DiffForm = "v1",
  ): Promise<DiffAnswer> {
    // With the repository: a client that may read another repository only must not see these objects.
    const key = `${repository.rid} ${oldTree ?? ""} ${newTree}${form === "v1" ? "" : ` ${form}`}`;
    const cached = cachedDiff(this.#answerCache, key);
    if (cached !== undefined) return cached;
    const refusal = this.#refused.get(key);
    if (refusal !== undefined) throw new TooLargeError(refusal);
    const { rid } = repository;
    const comparison = { repository, job: { kind: "diff", rid, oldTree, newTree, form }, key } as const;
    const first = this.#begun.get(key) ?? await this.#make(comparison, requester).catch((error) => {
      if (error instanceof TooLargeError) this.#refused.set(key, error.message);
      throw error;
    });
    const { touched, touchedBytes, json } = first;
    if (first.rest.length === 0) {
      cacheDiff(this.#answerCache, key, first);
      return { touched, touchedBytes, bytes: json.length, pieces: wholeDiff(key, json) };
    }
    if (bytesOfBegun(first) <= this.#largestBegun) this.#begun.set(key, first);
    const parts = (signal: AbortSignal) =>
      partsOf<FileBatch, MadeDiff>(first.rest, {
        make: (batch) => {
          const { peer, spend } = requester ?? {};
          return this.#part(comparison, batch, { signal, peer, spend });
        },
        leftOf: ({ rest }) => rest[0],
        room: this.#room,
        signal,
      });
    const whenMade = () => cacheTouched(this.#answerCache, key, first);
    return {
      touched,
      touchedBytes,
      bytes: json.length,
      pieces: diffPieces(key, first, parts, requester, whenMade, viewOf(form)),
    };
  }

  /**
   * Members of `files` for all blobs of a diff, in parts. Damaged blobs are omitted, too large ones marked.
   *
   * @throws {DamagedError} when a blob is damaged.
   * @throws {ApiError} `unavailable` as in {@link diff}.
   */
  async *files(
    repository: Repository,
    { touched, touchedBytes }: Pick<DiffAnswer, "touched" | "touchedBytes">,
    requester?: Requester,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const fileBytes = Math.max(touchedBytes, MIN_OBJECT_COST * touched.length);
    // When both places are idle, each makes parts of a few files.
    const isDivided = placeOf({ fileBytes, largestBytes: 0, comparedBytes: 0 }, this.#load) === "both";
    const partBytes = isDivided ? BOTH_BATCH_BYTES : FILES_PART_BYTES;
    const parts = Math.ceil(touchedBytes / partBytes) || 1;
    const count = Math.min(FILES_PER_PART, Math.ceil(touched.length / parts) || 1);
    const works: (readonly Oid[])[] = [];
    for (let start = 0; start < touched.length; start += count) {
      works.push(touched.slice(start, start + count));
    }
    const made = partsOf<readonly Oid[], Made>(works, {
      make: (oids) => this.#filesOf(repository, oids, isDivided ? partBytes : fileBytes, requester),
      leftOf: ({ left }) => left.length > 0 ? left : undefined,
      room: this.#room,
      signal: works.length > 1 ? requester?.signal : undefined,
    });
    for await (const { json } of made) if (json.length > 0) yield json;
  }

  async #filesOf(
    repository: Repository,
    oids: readonly Oid[],
    fileBytes: number,
    requester: Requester | undefined,
  ): Promise<Made> {
    const { rid } = repository;
    // Lines are not compared: only the sizes count.
    const cost = { fileBytes, largestBytes: 0, comparedBytes: 0 };
    if (this.#workers && placeOf(cost, this.#load) !== "worker") {
      const limits = { ...HERE, blobBytes: MOST_HERE.fileBytes };
      const work = (budget: Budget) => makeFiles(repository, oids, budget);
      const made = await this.#inThread.run(rid, requester, limits, work).catch(ifOverBudget);
      if (made !== undefined) return made;
    }
    const job = { kind: "files", rid, oids } as const;
    return await this.#byWorker(`${rid} ${oids.join()}`, repository, job, requester);
  }

  get #load(): Load {
    return { here: this.#inThread.load, worker: this.#workers?.load };
  }

  /** Plans a diff, and makes it or its first part. */
  async #make(comparison: Comparison, requester: Requester | undefined): Promise<MadeDiff> {
    const { repository, job, key } = comparison;
    const { oldTree, newTree, form } = job;
    let plan: PackedPlan | undefined;
    if (this.#workers !== undefined) {
      const { load } = this.#inThread;
      const work = async (budget: Budget) => {
        const tools = { libgit2: this.#libgit2, repository, form, budget };
        const changes = await compareTrees(repository, oldTree, newTree, budget);
        const planned = await planChanges(repository, changes, budget).catch(ifOverBudget);
        const place = planned && placeOf(planned.cost, { here: load, worker: this.#workers?.load });
        const making = place === "here"
          ? makePlanned(tools, planned!)
          : place === "both"
          ? this.#makeInBoth(comparison, tools, planned!, requester)
          : undefined;
        const made = await making?.catch(ifOverBudget);
        if (made !== undefined || changes.length > MOST_HANDED_FILES) return made;
        plan = await packPlan(planned ?? { changes }, budget.largest());
        return undefined;
      };
      const made = await this.#inThread.run(job.rid, requester, HERE, work).catch(ifOverBudget);
      if (made !== undefined) return made;
    }
    return await this.#byWorker(key, repository, { ...job, plan }, requester);
  }

  /** Makes a planned diff in this thread and in a worker; of one whose JSON is long, the beginning. */
  async #makeInBoth(
    comparison: Comparison,
    tools: DiffTools & { readonly budget: Budget },
    plan: DiffPlan,
    requester: Requester | undefined,
  ): Promise<MadeDiff> {
    const { repository, job, key } = comparison;
    const { budget } = tools;
    const divide = async () => {
      const planned = { ...job, plan: await packPlan(plan, budget), isDivided: true };
      return await this.#byWorker(`${key} divided`, repository, planned, requester);
    };
    const divided =
      await (plan.cost.comparedBytes > MOST_HERE.comparedBytes
        ? divide()
        : makePlanned(tools, plan, DIVIDED));
    const parts = await makeInBoth<FileBatch, MadeDiff>(divided.rest, {
      here: (batch) => makePart(tools, batch).catch(ifOverBudget),
      worker: (batch) => this.#part(comparison, batch, requester),
      isForWorker: ({ fileBytes }) => fileBytes > BOTH_BATCH_BYTES,
      mayBeHere: () => this.#inThread.load === 1 && budget.mayPause,
    });
    return joinParts(divided, parts, viewOf(job.form));
  }

  #part(
    { repository, job: { rid, form }, key }: Comparison,
    batch: FileBatch,
    requester: Requester | undefined,
  ): Promise<MadeDiff> {
    // Where a batch ends depends on how the files before it were made.
    const partKey = `${key} ${batch.start} ${batch.bytes.length}`;
    return this.#byWorker(partKey, repository, { kind: "part", rid, batch, form }, requester);
  }

  /** Runs a job in a worker, or in this thread when there are no workers. */
  async #byWorker<J extends Job>(
    key: string,
    repository: Repository,
    job: J,
    requester: Requester | undefined,
  ): Promise<Result<J>> {
    const begin = async (signal: AbortSignal): Promise<Result<J>> => {
      try {
        const { peer, spend } = requester ?? {};
        if (this.#workers !== undefined) return await this.#workers.run(job, signal, peer, spend);
      } catch (error) {
        if (!(error instanceof NoWorkersError)) throw error;
      }
      const tools = { libgit2: this.#libgit2, repository };
      const work = (budget: Budget) => makeJob({ ...tools, budget }, job);
      return await this.#inThread.run(repository.rid, requester, LARGEST_DIFF, work);
    };
    try {
      // Jobs with the same key are of the same kind.
      return await this.#underWay.join(key, begin, requester?.signal) as Result<J>;
    } catch (error) {
      // An error from a worker is not an instance of its class.
      if (!(error instanceof Error) || error.name !== "Libgit2Error") throw error;
      throw new ApiError("unavailable", "This diff cannot be made", { retryAfterSeconds: RETRY_SECONDS });
    }
  }
}

/** `undefined` for work that this thread cannot do within its budget: a worker does it. */
function ifOverBudget(error: unknown): undefined {
  if (!(error instanceof OverBudgetError)) throw error;
}

/** Memory of a touched blob's id, and of a batch beside its bytes, approximately. */
const [OID_MEMORY_BYTES, BATCH_MEMORY_BYTES] = [64, 256];

/** Memory of the first part of a diff, approximately. */
function bytesOfBegun({ json, touched, rest }: MadeDiff): number {
  const start = json.length + OID_MEMORY_BYTES * touched.length;
  return rest.reduce((sum, { bytes }) => sum + bytes.length + BATCH_MEMORY_BYTES, start);
}

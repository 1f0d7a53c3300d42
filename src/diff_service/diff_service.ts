/**
 * Diffs for requests. A diff comes from the cache, or it is planned within the small budget of this thread.
 * If the plan fits, this thread makes the diff in steps; otherwise, or when a worker has less to do, a
 * worker plans and makes it within the budget of the largest diff. Without workers this thread makes all
 * diffs, and requests wait for libgit2, which cannot be interrupted.
 */
import type { ByteCache } from "../cache/byte_cache.ts";
import type { LruMap } from "../cache/lru_map.ts";
import { Memory, smallTable } from "../cache/memory.ts";
import { LARGEST_SHARE } from "../cache/tiny_lfu_map.ts";
import { type Budget, type BudgetLimits, LARGEST_DIFF, OverBudgetError } from "../diff/budget.ts";
import { Libgit2 } from "../diff/libgit2/engine.ts";
import { ApiError, TooLargeError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Repository } from "../ports/storage.ts";
import {
  type DiffForm,
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
  appendParts,
  cachedDiff,
  cacheDiff,
  cacheTouched,
  type DiffAnswer,
  diffPieces,
  type Members,
  wholeDiff,
} from "./diff_answer.ts";
import type { Scheduler } from "../scheduling/scheduler.ts";
import { InThread } from "./in_thread.ts";
import {
  ALONE,
  MAX_SHARED_BYTES,
  MAX_SHARED_JOBS,
  SHARED_FROM_BYTES,
  SHARED_PLAN,
  SMALL_DIFF,
  SMALL_FILES,
} from "./limits.ts";
import { MAX_BYTES_UNDER_WAY, partsOf } from "./parts.ts";
import {
  FIRST_PART,
  isWithin,
  makeDiff,
  makePart,
  planFiles,
  type PlannedDiff,
  showDiff,
} from "./render/diff.ts";
import { viewOf } from "./render/forms.ts";
import { FILES_PART_BYTES, makeFiles, makeMembers } from "./render/files.ts";
import { RecentBlobs } from "./repositories.ts";
import { HeldMembers, type SharedDiff, shareDiff } from "./shared_diff.ts";
import { SingleFlight } from "../async/single_flight.ts";
import { ByteSemaphore } from "../scheduling/byte_semaphore.ts";

/** Most files in a part. */
export const FILES_PER_PART = 1000;

/** Members of `files` made between looks whether a worker has ended its diff: a few milliseconds of work. */
const MEMBERS_AT_ONCE = 8;

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

/** Form of a diff, and what its answer shows beside it. */
export interface DiffOptions {
  /** Form of the JSON; `v1` by default. */
  readonly form?: DiffForm;
  /** Whether the answer shows `files`, too: {@link DiffService.allFiles} follows. By default not. */
  readonly hasFiles?: boolean;
}

/** Two trees to compare, and the form of their diff. */
interface Comparison {
  readonly repository: Repository;
  readonly oldTree: Oid | undefined;
  readonly newTree: Oid;
  readonly form: DiffForm;
  readonly hasFiles: boolean;
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
  readonly #recent: RecentBlobs;
  readonly #inThread: InThread;
  /** First parts of diffs that were made in parts. A large diff is too large for the cache of answers. */
  readonly #begun: LruMap<string, MadeDiff>;
  readonly #largestBegun: number;
  /** Messages for diffs that are too large, because finding that out takes time. */
  readonly #refused = smallTable<string, string>("refusedDiffs");

  constructor(
    { loadLibgit2, workers, answerCache, memory = new Memory(), room, scheduler }: DiffServiceOptions,
  ) {
    this.#begun = memory.map("begunDiffs", bytesOfBegun);
    this.#largestBegun = memory.share("begunDiffs") * LARGEST_SHARE;
    this.#recent = new RecentBlobs(memory);
    this.#inThread = new InThread(scheduler);
    this.#workers = workers;
    this.#answerCache = answerCache;
    this.#room = room ?? new ByteSemaphore(MAX_BYTES_UNDER_WAY);
    this.#libgit2 = new Libgit2(loadLibgit2);
  }

  /**
   * The diff between two trees; without an old tree all files were added. All limits have been checked when
   * the promise resolves.
   *
   * @throws {TooLargeError} when trees or files are too many or too large.
   * @throws {DamagedError} when a tree or a blob is missing or damaged.
   * @throws {ApiError} `unavailable` when the diff takes too long or too many diffs are waiting.
   */
  async diff(
    repository: Repository,
    oldTree: Oid | undefined,
    newTree: Oid,
    requester?: Requester,
    { form = "v1", hasFiles = false }: DiffOptions = {},
  ): Promise<DiffAnswer> {
    const { rid } = repository;
    // With the repository: a client that may read another repository only must not see these objects.
    const key = `${rid} ${oldTree ?? ""} ${newTree}${form === "v1" ? "" : ` ${form}`}`;
    const cached = cachedDiff(this.#answerCache, key);
    if (cached !== undefined) return cached;
    const refusal = this.#refused.get(key);
    if (refusal !== undefined) throw new TooLargeError(refusal);
    const comparison = { repository, oldTree, newTree, form, hasFiles, key };
    const begun = this.#begun.get(key);
    const { diff: first, members }: SharedDiff = begun
      ? { diff: begun }
      : await this.#first(comparison, requester).catch((error) => {
        if (error instanceof TooLargeError) this.#refused.set(key, error.message);
        throw error;
      });
    const { touched, touchedBytes, json } = first;
    if (first.rest.length === 0) {
      cacheDiff(this.#answerCache, key, first);
      return {
        touched,
        touchedBytes,
        bytes: json.length,
        members,
        pieces: () => wholeDiff(key, [() => json]),
      };
    }
    if (bytesOfBegun(first) <= this.#largestBegun) this.#begun.set(key, first);
    const parts = (signal: AbortSignal) =>
      partsOf<FileBatch, MadeDiff>(first.rest, {
        make: (batch) => this.#part(comparison, batch, { signal, peer: requester?.peer }),
        leftOf: ({ rest }) => rest[0],
        room: this.#room,
        signal,
      });
    return {
      touched,
      touchedBytes,
      bytes: json.length,
      pieces: () =>
        diffPieces(
          key,
          first,
          parts,
          requester,
          () => cacheTouched(this.#answerCache, key, first),
          viewOf(form),
        ),
    };
  }

  /**
   * Members of `files` for the first of these blobs, at least for one; {@link Made.left} has the remaining
   * blobs. Damaged blobs are omitted, too large ones marked.
   *
   * @throws {DamagedError} when a blob is damaged.
   * @throws {ApiError} `unavailable` as in {@link diff}.
   */
  async files(
    repository: Repository,
    oids: readonly Oid[],
    requester?: Requester,
    mayBeSmall = true,
  ): Promise<Made> {
    const { rid } = repository;
    const some = oids.slice(0, FILES_PER_PART);
    const here = mayBeSmall && !this.#isBusier
      ? await this.#inBudget(
        repository,
        requester,
        SMALL_FILES,
        (from, budget) => makeFiles(from, some, budget),
      )
      : undefined;
    const { json, left } = here ??
      await this.#byWorker(
        `${rid} ${some.join()}`,
        { kind: "files", rid, oids: some },
        requester,
        () => makeFiles(repository, some),
      );
    return { json, left: [...left, ...oids.slice(FILES_PER_PART)] };
  }

  /** Members of `files` for all blobs of a diff, in parts. */
  async *allFiles(
    repository: Repository,
    { touched, touchedBytes, members }: DiffAnswer,
    requester?: Requester,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    let shown = 0;
    for (let json; (json = members?.get(touched[shown]!)) !== undefined; shown++) {
      if (json.length > 0) yield json;
    }
    const mayBeSmall = touchedBytes <= MAX_SHARED_BYTES;
    const partBytes = mayBeSmall && this.#isIdle ? SHARED_FROM_BYTES : FILES_PART_BYTES;
    const parts = Math.ceil(touchedBytes / partBytes) || 1;
    const count = Math.min(FILES_PER_PART, Math.ceil(touched.length / parts) || 1);
    const works: (readonly Oid[])[] = [];
    for (let start = shown; start < touched.length; start += count) {
      works.push(touched.slice(start, start + count));
    }
    const made = partsOf<readonly Oid[], Made>(works, {
      make: (oids) => this.files(repository, oids, requester, mayBeSmall),
      leftOf: ({ left }) => left.length > 0 ? left : undefined,
      room: this.#room,
      signal: works.length > 1 ? requester?.signal : undefined,
    });
    for await (const { json } of made) if (json.length > 0) yield json;
  }

  /** Whether this thread has more to do than a worker, which then gets a small diff. */
  get #isBusier(): boolean {
    const load = this.#workers?.load ?? Infinity;
    return load < MAX_SHARED_JOBS && load < this.#inThread.load;
  }

  /** Whether neither this thread nor a worker has anything to do, so that both can make one diff. */
  get #isIdle(): boolean {
    return this.#workers?.load === 0 && this.#inThread.load === 0;
  }

  /** The first part of a diff, or all of it. */
  async #first(comparison: Comparison, requester: Requester | undefined): Promise<SharedDiff> {
    const { repository, oldTree, newTree, form, hasFiles, key } = comparison;
    const { rid } = repository;
    const libgit2 = this.#libgit2;
    const isShared = this.#isIdle;
    let touched: readonly Oid[] = [];
    const here = this.#isBusier ? undefined : await this.#inBudget(
      repository,
      requester,
      isShared ? SHARED_PLAN : SMALL_DIFF,
      async (from, budget) => {
        const tools = { libgit2, repository: from, budget, form };
        const planned = await planFiles(tools, oldTree, newTree, (oids) => touched = oids);
        return isShared && !isWithin(planned, ALONE) ? planned : await showDiff(tools, planned);
      },
    );
    if (here === undefined) {
      const made = this.#byWorker(
        key,
        { kind: "diff", rid, oldTree, newTree, ...(form !== "v1" && { form }) },
        requester,
        () =>
          this.#inThread.run(
            rid,
            requester,
            LARGEST_DIFF,
            (budget) => makeDiff({ libgit2, repository, budget, form }, oldTree, newTree, FIRST_PART),
          ),
      );
      // Moved files are searched by the worker. Meanwhile this thread has nothing to do.
      const members = isShared && hasFiles
        ? this.#membersDuring(made, repository, touched, requester)
        : undefined;
      return { diff: await made, members: await members };
    }
    if ("files" in here) return await this.#shared(comparison, here, requester);
    const [batch] = here.rest;
    // A file exceeds the budget of this thread. A worker continues with it before the answer begins, so that
    // the answer can still be an error.
    if (batch === undefined) return { diff: here };
    const part = await this.#part(comparison, batch, requester);
    return { diff: appendParts(here, [part], [...part.rest, ...here.rest.slice(1)], viewOf(form)) };
  }

  /** Makes members of `files` in this thread, of the first of these blobs, until other work has ended. */
  async #membersDuring(
    work: Promise<unknown>,
    repository: Repository,
    oids: readonly Oid[],
    requester: Requester | undefined,
  ): Promise<Members> {
    let hasEnded = false;
    const end = () => hasEnded = true;
    work.then(end, end);
    const members = new HeldMembers();
    for (let start = 0; start < oids.length && !hasEnded; start += MEMBERS_AT_ONCE) {
      const some = oids.slice(start, start + MEMBERS_AT_ONCE);
      const made = await this.#inBudget(
        repository,
        requester,
        SMALL_FILES,
        (from, budget) => makeMembers(from, some, budget),
      ).catch(() => undefined);
      if (made === undefined || !members.add(some, made)) break;
    }
    return members.all;
  }

  /** Makes a planned diff in this thread and in a worker; of one whose JSON is long, the beginning. */
  #shared(
    comparison: Comparison,
    planned: PlannedDiff,
    requester: Requester | undefined,
  ): Promise<SharedDiff> {
    const { repository, form, hasFiles } = comparison;
    const libgit2 = this.#libgit2;
    return shareDiff(planned, { form, hasFiles }, {
      here: (batch, shown) =>
        this.#inBudget(
          repository,
          requester,
          SMALL_DIFF,
          (from, budget) => makePart({ libgit2, repository: from, budget, form }, batch, shown),
        ),
      byWorker: (batch, shown) => this.#part(comparison, batch, requester, shown),
    });
  }

  #part(
    { repository, form, key }: Comparison,
    batch: FileBatch,
    requester: Requester | undefined,
    shown?: readonly Oid[],
  ): Promise<MadeDiff> {
    const { rid } = repository;
    const libgit2 = this.#libgit2;
    // Where a batch ends depends on how the files before it were made.
    return this.#byWorker(
      `${key} ${batch.start} ${batch.bytes.length}${shown === undefined ? "" : " shown"}`,
      { kind: "part", rid, batch, ...(form !== "v1" && { form }), ...shown && { shown } },
      requester,
      () =>
        this.#inThread.run(
          rid,
          requester,
          LARGEST_DIFF,
          (budget) => makePart({ libgit2, repository, budget, form }, batch, shown),
        ),
    );
  }

  /** Works in this thread within limits; `undefined` when they are exceeded, or when there are no workers. */
  async #inBudget<T>(
    repository: Repository,
    requester: Requester | undefined,
    limits: BudgetLimits,
    work: (repository: Repository, budget: Budget) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#workers === undefined) return undefined;
    const recent = this.#recent.of(repository);
    try {
      return await this.#inThread.run(repository.rid, requester, limits, (budget) => work(recent, budget));
    } catch (error) {
      if (error instanceof OverBudgetError) return undefined;
      throw error;
    }
  }

  /** Runs a job in a worker, or in this thread when there are no workers. */
  async #byWorker<J extends Job>(
    key: string,
    job: J,
    requester: Requester | undefined,
    inThread: () => Promise<Result<J>>,
  ): Promise<Result<J>> {
    const workers = this.#workers;
    const begin = async (signal: AbortSignal) => {
      try {
        if (workers !== undefined) return await workers.run(job, signal, requester?.peer);
      } catch (error) {
        if (!(error instanceof NoWorkersError)) throw error;
      }
      return await inThread();
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

/** Memory of a touched blob's id, and of a batch beside its bytes, approximately. */
const [OID_MEMORY_BYTES, BATCH_MEMORY_BYTES] = [64, 256];

/** Memory of the first part of a diff, approximately. */
function bytesOfBegun({ json, touched, rest }: MadeDiff): number {
  const start = json.length + OID_MEMORY_BYTES * touched.length;
  return rest.reduce((sum, { bytes }) => sum + bytes.length + BATCH_MEMORY_BYTES, start);
}

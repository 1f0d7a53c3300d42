/**
 * Comparisons for requests: from memory, in this process what is small, and by workers what may take longer, so that short requests stay short
 * meanwhile. Without workers all is done in this process; then nothing can interrupt libgit2, and other requests wait for it.
 */
import type { ByteCache } from "../cache/byte_cache.ts";
import { LruMap } from "../cache/lru_map.ts";
import type { Pause } from "../diff/plan.ts";
import { Libgit2 } from "../diff/libgit2/engine.ts";
import { ApiError, TooLargeError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Repository } from "../ports/storage.ts";
import {
  type Asker,
  type FileBatch,
  type Job,
  type Made,
  type MadeDiff,
  NoWorkersError,
  type Result,
  type Workers,
} from "../ports/workers.ts";
import { BytesUnderWay } from "./parts.ts";
import { type DiffAnswer, diffPieces, keptDiff, rememberDiff } from "./diff_answer.ts";
import { SingleFlight } from "./single_flight.ts";
import { InThread } from "./in_thread.ts";
import { FIRST_PART, makeDiff, makePart } from "./render/diff.ts";
import { FILES_PART_BYTES, makeFiles } from "./render/files.ts";
import { MeteredRepository, ReadLimitError, type ReadLimits } from "./metered_repository.ts";
import { partsOf } from "./parts.ts";
import { TurnsOver } from "./in_thread.ts";
import { RecentBlobs } from "./recent_blobs.ts";
import { Libgit2LimitError, SmallLibgit2 } from "./small_libgit2.ts";

/** What a comparison may read in this process before it is left to workers: most then take a turn or two. */
export const SMALL_DIFF: ReadLimits = { bytes: 2 ** 20, blobBytes: 2 ** 16 };
/** Files that are shown in this process, which takes some milliseconds. */
export const SMALL_FILES: ReadLimits = { bytes: 2 ** 20, blobBytes: 2 ** 20 };
/**
 * Turns that a comparison may take in this process, together with those of its repository, or of the peer that asks. What takes longer, because its
 * texts are made for that, is begun anew by a worker.
 */
export const SMALL_TURNS = 20;

/** Files in a part at most. */
export const FILES_PER_PART = 1000;

/** Diffs that were refused because they are too large, and are remembered: to find that out takes time. */
export const REMEMBERED_REFUSALS = 1000;

/** When a client may ask again for a diff that could not be made, in seconds. */
const RETRY_SECONDS = 30;

/** What a comparer is made with. */
export interface DiffServiceOptions {
  readonly loadLibgit2: LoadLibgit2;
  /** Who does what takes longer; this process by default. */
  readonly workers?: Workers | undefined;
  /** Remembers diffs. */
  readonly finished: ByteCache;
  /** Bounds what is held of answers that are not read as fast as they are made. */
  readonly room?: BytesUnderWay;
  /** A monotonic clock in milliseconds, by which turns end; `performance.now` by default. */
  readonly now?: () => number;
}

/** Compares trees. Any number of calls may be under way. */
export class DiffService {
  readonly #workers: Workers | undefined;
  readonly #finished: ByteCache;
  readonly #room: BytesUnderWay;
  readonly #libgit2: Libgit2;
  readonly #smallLibgit2: SmallLibgit2;
  readonly #underWay = new SingleFlight<Made | MadeDiff>();
  readonly #recent = new RecentBlobs();
  readonly #inThread: InThread;
  readonly #refused = new LruMap<string, string>(REMEMBERED_REFUSALS);

  constructor({ loadLibgit2, workers, finished, room, now }: DiffServiceOptions) {
    this.#inThread = new InThread(now);
    this.#workers = workers;
    this.#finished = finished;
    this.#room = room ?? new BytesUnderWay();
    this.#libgit2 = new Libgit2(loadLibgit2);
    this.#smallLibgit2 = new SmallLibgit2(this.#libgit2);
  }

  /**
   * The diff between two trees; without an old tree all files were added. All limits have been checked when the promise resolves.
   *
   * @throws {TooLargeError} when trees or files are too many or too large.
   * @throws {DamagedError} when a tree or a blob is missing or broken.
   * @throws {ApiError} `unavailable` when it takes too long, or too much is under way.
   */
  async diff(
    repository: Repository,
    oldTree: Oid | undefined,
    newTree: Oid,
    asker?: Asker,
  ): Promise<DiffAnswer> {
    const { rid } = repository;
    // Objects of one repository are none of another's, even where their ids are known there.
    const key = `${rid} ${oldTree ?? ""} ${newTree}`;
    const known = keptDiff(this.#finished, key);
    if (known !== undefined) return known;
    const refusal = this.#refused.get(key);
    if (refusal !== undefined) throw new TooLargeError(refusal);
    const first = await this.#first(key, repository, oldTree, newTree, asker).catch((error) => {
      if (error instanceof TooLargeError) this.#refused.set(key, error.message);
      throw error;
    });
    if (first.rest.length === 0) rememberDiff(this.#finished, key, first, first.json);
    const parts = (signal: AbortSignal) =>
      partsOf<FileBatch, MadeDiff>(first.rest, {
        make: (batch) => this.#part(repository, key, batch, { signal, peer: asker?.peer }),
        leftOf: ({ rest }) => rest[0],
        room: this.#room,
        signal,
      });
    return {
      touched: first.touched,
      touchedBytes: first.touchedBytes,
      pieces: () =>
        diffPieces(first, parts, asker, {
          admits: (bytes) => this.#finished.admits(bytes),
          take: (json) => rememberDiff(this.#finished, key, first, json),
        }),
    };
  }

  /**
   * Members of `files` for the first of these blobs, at least for one; {@link Made.left} are the others. Damaged ones are left out, too large ones marked.
   *
   * @throws {DamagedError} when a blob is broken.
   * @throws {ApiError} `unavailable` as in {@link diff}.
   */
  async files(
    repository: Repository,
    oids: readonly Oid[],
    asker?: Asker,
    mayBeSmall = true,
  ): Promise<Made> {
    const { rid } = repository;
    const some = oids.slice(0, FILES_PER_PART);
    const work = (from: Repository) => makeFiles(from, some);
    const made = mayBeSmall ? await this.#small(repository, asker, SMALL_FILES, work) : undefined;
    const { json, left } = made ??
      await this.#long(
        `${rid} ${some.join()}`,
        { kind: "files", rid, oids: some },
        asker,
        () => work(repository),
      );
    return { json, left: [...left, ...oids.slice(FILES_PER_PART)] };
  }

  /** Members of `files` for all blobs of a diff, in parts. */
  async *allFiles(
    repository: Repository,
    { touched, touchedBytes }: DiffAnswer,
    asker?: Asker,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const mayBeSmall = touchedBytes <= SMALL_FILES.bytes;
    const parts = Math.ceil(touchedBytes / FILES_PART_BYTES) || 1;
    const count = Math.min(FILES_PER_PART, Math.ceil(touched.length / parts) || 1);
    const works: (readonly Oid[])[] = [];
    for (let start = 0; start < touched.length; start += count) {
      works.push(touched.slice(start, start + count));
    }
    const made = partsOf<readonly Oid[], Made>(works, {
      make: (oids) => this.files(repository, oids, asker, mayBeSmall),
      leftOf: ({ left }) => left.length > 0 ? left : undefined,
      room: this.#room,
      signal: works.length > 1 ? asker?.signal : undefined,
    });
    for await (const { json } of made) if (json.length > 0) yield json;
  }

  async #first(
    key: string,
    repository: Repository,
    oldTree: Oid | undefined,
    newTree: Oid,
    asker: Asker | undefined,
  ): Promise<MadeDiff> {
    const { rid } = repository;
    const small = await this.#small(
      repository,
      asker,
      SMALL_DIFF,
      (metered, pause) =>
        makeDiff({ libgit2: this.#smallLibgit2, repository: metered, pause }, oldTree, newTree),
    );
    return small ??
      await this.#long(
        key,
        { kind: "diff", rid, oldTree, newTree },
        asker,
        () =>
          this.#whole(
            repository,
            asker,
            (pause) => makeDiff({ libgit2: this.#libgit2, repository, pause }, oldTree, newTree, FIRST_PART),
          ),
      );
  }

  #part(repository: Repository, key: string, batch: FileBatch, asker: Asker): Promise<MadeDiff> {
    const { rid } = repository;
    return this.#long(
      `${key} ${batch.start}`,
      { kind: "part", rid, batch },
      asker,
      () =>
        this.#whole(
          repository,
          asker,
          (pause) => makePart({ libgit2: this.#libgit2, repository, pause }, batch),
        ),
    );
  }

  /** Does something here for which there are no workers. */
  #whole(
    { rid }: Repository,
    asker: Asker | undefined,
    work: (pause: Pause) => Promise<MadeDiff>,
  ): Promise<MadeDiff> {
    return this.#inThread.run(rid, asker, Infinity, work);
  }

  /** Tries it here, as far as that is quick; `undefined` when it is not. Without workers there is no need to try. */
  async #small<T>(
    repository: Repository,
    asker: Asker | undefined,
    limits: ReadLimits,
    work: (metered: Repository, pause: Pause) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#workers === undefined) return undefined;
    try {
      return await this.#inThread.run(
        repository.rid,
        asker,
        SMALL_TURNS,
        (pause) => work(new MeteredRepository(this.#recent.of(repository), limits, pause), pause),
      );
    } catch (error) {
      if ([ReadLimitError, TurnsOver, Libgit2LimitError].some((reason) => error instanceof reason)) {
        return undefined;
      }
      throw error;
    }
  }

  /** Has it done by workers, or here where there are none. */
  async #long<J extends Job>(
    key: string,
    job: J,
    asker: Asker | undefined,
    work: () => Promise<Result<J>>,
  ): Promise<Result<J>> {
    const workers = this.#workers;
    const begin = async (signal: AbortSignal) => {
      try {
        if (workers !== undefined) return await workers.run(job, signal, asker?.peer);
      } catch (error) {
        if (!(error instanceof NoWorkersError)) throw error;
      }
      return await work();
    };
    try {
      // A key stands for one kind of job.
      return await this.#underWay.join(key, begin, asker?.signal) as Result<J>;
    } catch (error) {
      // From a worker, it has its name alone.
      if (!(error instanceof Error) || error.name !== "Libgit2Error") throw error;
      throw new ApiError("unavailable", "This diff cannot be made", { retryAfterSeconds: RETRY_SECONDS });
    }
  }
}

/**
 * Comparisons for requests: from memory, in this process what is small, and by workers what may take longer, so that short requests stay short
 * meanwhile. Without workers all is done in this process; then nothing can interrupt libgit2, and other requests wait for it.
 */
import type { FinishedBytes } from "../cache/finished_bytes.ts";
import { Libgit2 } from "../diff/libgit2.ts";
import type { Pause } from "../diff/tree_diff.ts";
import { type Oid, OID_BYTES, oidFromBytes, oidToBytes } from "../ids/oid.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Repository } from "../ports/storage.ts";
import { type Asker, type Job, type Made, NoWorkersError, type Workers } from "../ports/workers.ts";
import { joinBytes } from "../bytes/join.ts";
import { Flights } from "./flights.ts";
import { InPlace } from "./in_place.ts";
import { makeDiff, makeFiles } from "./make.ts";
import { MeteredRepository, ReadLimitError, type ReadLimits } from "./metered_repository.ts";
import { TurnsOver } from "./pauses.ts";
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

/** What a comparer is made with. */
export interface ComparerOptions {
  readonly loadLibgit2: LoadLibgit2;
  /** Who does what takes longer; this process by default. */
  readonly workers?: Workers | undefined;
  /** Remembers diffs. */
  readonly finished: FinishedBytes;
}

/** Compares trees. Any number of calls may be under way. */
export class Comparer {
  readonly #workers: Workers | undefined;
  readonly #finished: FinishedBytes;
  readonly #libgit2: Libgit2;
  readonly #smallLibgit2: SmallLibgit2;
  readonly #flights = new Flights<Made>();
  readonly #recent = new RecentBlobs();
  readonly #inPlace = new InPlace();

  constructor({ loadLibgit2, workers, finished }: ComparerOptions) {
    this.#workers = workers;
    this.#finished = finished;
    this.#libgit2 = new Libgit2(loadLibgit2);
    this.#smallLibgit2 = new SmallLibgit2(this.#libgit2);
  }

  /**
   * The diff between two trees; without an old tree all files were added.
   *
   * @throws {DamagedError} when a tree or a blob is missing or broken, or the trees are too large to be compared.
   * @throws {ApiError} `unavailable` when it takes too long, or too much is under way.
   */
  async diff(
    repository: Repository,
    oldTree: Oid | undefined,
    newTree: Oid,
    asker?: Asker,
  ): Promise<Made> {
    const { rid } = repository;
    // Objects of one repository are none of another's, even where their ids are known there.
    const key = `${rid} ${oldTree ?? ""} ${newTree}`;
    const known = this.#recall(key);
    if (known !== undefined) return known;
    const small = (metered: Repository, pause: Pause) =>
      makeDiff(this.#smallLibgit2, metered, oldTree, newTree, pause);
    const whole = () =>
      this.#inPlace.run(
        rid,
        asker,
        Infinity,
        (pause) => makeDiff(this.#libgit2, repository, oldTree, newTree, pause),
      );
    const made = await this.#small(repository, asker, SMALL_DIFF, small) ??
      await this.#long(key, { kind: "diff", rid, oldTree, newTree }, asker, whole);
    this.#keep(key, made);
    return made;
  }

  /**
   * Members of `files` for the first of these blobs, at least for one; {@link Made.left} are the others. What cannot be shown is left out.
   *
   * @throws {DamagedError} when a blob is broken.
   * @throws {ApiError} `unavailable` as in {@link diff}.
   */
  async files(repository: Repository, oids: readonly Oid[], asker?: Asker): Promise<Made> {
    const { rid } = repository;
    const some = oids.slice(0, FILES_PER_PART);
    const work = (from: Repository) => makeFiles(from, some);
    const made = await this.#small(repository, asker, SMALL_FILES, work) ??
      await this.#long(
        `${rid} ${some.join()}`,
        { kind: "files", rid, oids: some },
        asker,
        () => work(repository),
      );
    return { json: made.json, left: [...made.left, ...oids.slice(FILES_PER_PART)] };
  }

  /** Tries it here, as far as that is quick; `undefined` when it is not. Without workers there is no need to try. */
  async #small(
    repository: Repository,
    asker: Asker | undefined,
    limits: ReadLimits,
    work: (metered: Repository, pause: Pause) => Promise<Made>,
  ): Promise<Made | undefined> {
    if (this.#workers === undefined) return undefined;
    try {
      return await this.#inPlace.run(
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
  #long(key: string, job: Job, asker: Asker | undefined, work: () => Promise<Made>): Promise<Made> {
    const workers = this.#workers;
    return this.#flights.join(key, async (signal) => {
      try {
        if (workers !== undefined) return await workers.run(job, signal, asker?.peer);
      } catch (error) {
        if (!(error instanceof NoWorkersError)) throw error;
      }
      return await work();
    }, asker?.signal);
  }

  #recall(key: string): Made | undefined {
    const json = this.#finished.get(`diff ${key}`)?.bytes;
    const touched = this.#finished.get(`touched ${key}`)?.bytes;
    return json && touched && { json, left: splitOids(touched) };
  }

  #keep(key: string, { json, left }: Made): void {
    this.#finished.set(`diff ${key}`, { bytes: json });
    this.#finished.set(`touched ${key}`, { bytes: joinBytes(left.map(oidToBytes)) });
  }
}

function splitOids(bytes: Uint8Array): Oid[] {
  return Array.from({ length: bytes.length / OID_BYTES }, (_, i) => oidFromBytes(bytes, i * OID_BYTES));
}

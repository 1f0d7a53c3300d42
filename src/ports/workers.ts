/**
 * Work that is too long for the thread that answers requests: comparing trees, rendering files, and reading
 * long histories. A host with workers provides a function that starts them. A worker opens the storage
 * itself. It returns finished JSON, or the columns of a commit graph.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { HistoryOutcome } from "./made_history.ts";

export type Job = DiffJob | PartJob | FilesJob;

/**
 * Form of a rendered diff. `v1`, `v1-stats`: the diff of version 1, or only its statistics. `moves`: only the
 * paths of moved files. `today`, `today-stats`: the diff of today's service, or only its statistics.
 */
export type DiffForm = "v1" | "v1-stats" | "moves" | "today" | "today-stats";

/** Compares two trees and renders the diff, or the first part of a long diff. */
export interface DiffJob {
  readonly kind: "diff";
  readonly rid: RepoId;
  /** `undefined`: every file was added. */
  readonly oldTree: Oid | undefined;
  readonly newTree: Oid;
  /** `v1` by default. */
  readonly form?: DiffForm;
}

/** Renders a further part of a long diff. */
export interface PartJob {
  readonly kind: "part";
  readonly rid: RepoId;
  readonly batch: FileBatch;
  /** `v1` by default. */
  readonly form?: DiffForm;
}

/** Renders members of `files`. */
export interface FilesJob {
  readonly kind: "files";
  readonly rid: RepoId;
  /** Ids of the blobs. */
  readonly oids: readonly Oid[];
}

/** Kind of a file in a diff: the name of its list. */
export type DiffList = "added" | "deleted" | "moved" | "copied" | "modified";

/** Files of a long diff that must still be compared. Only the code that makes diffs reads this. */
export interface FileBatch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of files in the diff before these. */
  readonly start: number;
  /** Kind of the file before these. */
  readonly last: DiffList | undefined;
}

/** Rendered members of `files`. Shared between callers: never write to it. */
export interface MadeFiles {
  /** UTF-8 JSON, with commas between the members. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Blobs that did not fit. */
  readonly left: readonly Oid[];
}

/** A part of a rendered diff. Shared between callers: never write to it. */
export interface MadePart {
  /** UTF-8 JSON of the compared files. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Lines of the compared files. */
  readonly insertions: number;
  readonly deletions: number;
  /** Files that did not fit, in order. A further part has at most one batch. */
  readonly left: readonly FileBatch[];
}

/** A rendered diff: whole JSON if nothing is left, otherwise the first part. */
export interface MadeDiff extends MadePart {
  /** Files of the whole diff. */
  readonly filesChanged: number;
  /** Kind of the last file of the whole diff. */
  readonly last: DiffList | undefined;
  /** Blobs of the whole diff that will be rendered as members of `files`. */
  readonly touched: readonly Oid[];
  /** Total size of these blobs in bytes. */
  readonly touchedBytes: number;
}

/** Result type of a job. */
export type Result<J extends Job> = J extends FilesJob ? MadeFiles : J extends PartJob ? MadePart : MadeDiff;

/** A client that waits for a job, and may disconnect before it is done. */
export interface Requester {
  readonly signal?: AbortSignal | undefined;
  /** Key of the client, for fair queues; `undefined` for the owner. */
  readonly peer?: string | undefined;
  /** Called now and then with the processor time of the work, in milliseconds. */
  readonly spend?: ((ms: number) => void) | undefined;
}

/** The workers of a host. */
export interface Workers {
  /**
   * Runs a job.
   *
   * @param signal Aborted when no caller waits for the job anymore. The job is then removed from the queue,
   *   or ended soon.
   * @param peer Key of the client, so that the jobs of one client do not delay all others.
   * @param spend Called with the time that a worker has spent on the job, in milliseconds.
   * @throws {DamagedError} when the repository is damaged; {@link TooLargeError} when a limit is exceeded.
   * @throws {UnavailableError} when the job takes too long or fails, or the queue is full.
   * @throws {NoWorkersError} when no worker can be started.
   */
  run<J extends Job>(
    job: J,
    signal?: AbortSignal,
    peer?: string,
    spend?: (ms: number) => void,
  ): Promise<Result<J>>;
  /**
   * Reads a commit with all its ancestors, in a thread of its own. `undefined` when no thread is available
   * now, or the thread failed: the caller then reads them itself. Never rejects.
   *
   * @param onProgress Called now and then with the number of commits read so far.
   */
  readHistory?(rid: RepoId, oid: Oid, onProgress: (commits: number) => void): Promise<HistoryOutcome>;
}

/** Figures of workers, for metrics. */
export interface WorkerFigures {
  /** Running jobs and waiting jobs. */
  readonly running: number;
  readonly waiting: number;
  /** Ended jobs, and their total time in seconds. */
  readonly ended: number;
  readonly seconds: number;
}

/** No worker can be started: the caller must do the work itself. */
export class NoWorkersError extends Error {
  override readonly name = "NoWorkersError";
}

/** Events of a worker. */
export interface WorkerEvents {
  /** A message from the worker. */
  message(message: unknown): void;
  /** The worker has ended, or could not start. No event follows. */
  end(cause: unknown): void;
}

/** A running worker. Messages are copied by structured clone. */
export interface RunningWorker {
  post(message: unknown): void;
  /** Sets whether the worker keeps the process alive; initially it does. */
  hold(isNeeded: boolean): void;
  /** Ends the worker at once. */
  terminate(): void;
}

/** Work of a worker. `history`: one history, for which it needs no libgit2. `jobs`: all jobs. */
export type WorkerPurpose = "jobs" | "history";

/**
 * Starts a worker. May throw where workers are not permitted. The default purpose is `jobs`. A host may start
 * the same worker for both purposes.
 */
export type StartWorker = (events: WorkerEvents, purpose?: WorkerPurpose) => RunningWorker;

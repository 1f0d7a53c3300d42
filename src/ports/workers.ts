/**
 * Workers for jobs that take too long for the thread that answers requests: comparing trees, rendering files,
 * and reading long histories. A host that supports workers provides a function that starts them. A worker
 * opens the storage itself, and returns finished JSON or the columns of a commit graph.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { HistoryOutcome } from "./made_history.ts";

export type Job = DiffJob | PartJob | FilesJob;

/**
 * Version of a rendered diff. `v1`: the diff of version 1 of the API. `v1-stats`: only the statistics of this
 * diff. `moves`: only the paths of moved files. `today`: the diff of the `/repos` dialect. `today-stats`:
 * only the statistics of this diff.
 */
export type DiffForm = "v1" | "v1-stats" | "moves" | "today" | "today-stats";

/** A job that compares two trees and renders the diff, or the first part of a long diff. */
export interface DiffJob {
  readonly kind: "diff";
  readonly rid: RepoId;
  /** Id of the old tree; `undefined` means an empty tree, so that every file was added. */
  readonly oldTree: Oid | undefined;
  readonly newTree: Oid;
  /** Version of the JSON; `v1` by default. */
  readonly form?: DiffForm;
}

/** A job that renders a further part of a long diff. */
export interface PartJob {
  readonly kind: "part";
  readonly rid: RepoId;
  readonly batch: FileBatch;
  /** Version of the JSON; `v1` by default. */
  readonly form?: DiffForm;
}

/**
 * A job that renders members of the JSON object `files`, which contains the changed files of a diff by their
 * ids.
 */
export interface FilesJob {
  readonly kind: "files";
  readonly rid: RepoId;
  /** Ids of the blobs to render. */
  readonly oids: readonly Oid[];
}

/** How a file has changed. This is also the name of the array in the diff that contains the file. */
export type DiffList = "added" | "deleted" | "moved" | "copied" | "modified";

/**
 * Files of a long diff that have not been compared yet. Only the code that renders diffs knows the format of
 * the bytes.
 */
export interface FileBatch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of files in the diff before the files of this batch. */
  readonly start: number;
  /** How the last file before this batch has changed; `undefined` if there is no such file. */
  readonly last: DiffList | undefined;
}

/**
 * Rendered members of the JSON object `files`. Several callers share the result, so it must not be changed.
 */
export interface MadeFiles {
  /** UTF-8 JSON text, with commas between the members. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Ids of the remaining blobs, which did not fit into this result. */
  readonly left: readonly Oid[];
}

/** A rendered part of a diff. Several callers share the result, so it must not be changed. */
export interface MadePart {
  /** UTF-8 JSON text of the compared files. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Number of lines that were added to the compared files. */
  readonly insertions: number;
  /** Number of lines that were removed from the compared files. */
  readonly deletions: number;
  /**
   * The remaining files, in order, which did not fit into this part. In all parts except the first, there is
   * at most one batch.
   */
  readonly left: readonly FileBatch[];
}

/**
 * A rendered diff. If no files are left, the JSON is complete. Otherwise the JSON is the first part of the
 * diff.
 */
export interface MadeDiff extends MadePart {
  /** Number of files in the whole diff. */
  readonly filesChanged: number;
  /** How the last file of the whole diff has changed. */
  readonly last: DiffList | undefined;
  /** Ids of the blobs in the whole diff that will be rendered as members of `files`. */
  readonly touched: readonly Oid[];
  /** Total size of the blobs in `touched`, in bytes. */
  readonly touchedBytes: number;
}

/** Type of the result of a job. */
export type Result<J extends Job> = J extends FilesJob ? MadeFiles : J extends PartJob ? MadePart : MadeDiff;

/** A client that waits for a job. The client may disconnect before the job is done. */
export interface Requester {
  readonly signal?: AbortSignal | undefined;
  /** Key of the client, by which queues distribute slots fairly among clients; `undefined` for the owner. */
  readonly peer?: string | undefined;
  /** Called several times with the processor time of the work since the previous call, in milliseconds. */
  readonly spend?: ((ms: number) => void) | undefined;
}

/** The workers of a host. */
export interface Workers {
  /**
   * Runs a job.
   *
   * @param signal Aborted when no caller waits for the job anymore. The job is then removed from the queue,
   *   or ended soon.
   * @param peer Key of the client. The queue uses the key, so that the jobs of one client do not delay all
   *   other jobs.
   * @param spend Called with the time that a worker has spent on the job, in milliseconds.
   * @throws {DamagedError} when the repository is damaged.
   * @throws {TooLargeError} when a limit is exceeded.
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
   * Reads a commit with all its ancestors, in a separate thread. Resolves with `undefined` when no thread is
   * available now, or the thread failed. The caller then reads the commits itself. Never rejects.
   *
   * @param onProgress Called several times with the number of commits read so far.
   */
  readHistory?(rid: RepoId, oid: Oid, onProgress: (commits: number) => void): Promise<HistoryOutcome>;
}

/** Numbers about the workers, for metrics. */
export interface WorkerFigures {
  /** Number of running jobs. */
  readonly running: number;
  /** Number of jobs that wait in the queue. */
  readonly waiting: number;
  /** Number of ended jobs. */
  readonly ended: number;
  /** Total time of the ended jobs, in seconds. */
  readonly seconds: number;
}

/** No worker can be started, so the caller must do the work itself. */
export class NoWorkersError extends Error {
  override readonly name = "NoWorkersError";
}

/** Receives the events of a worker. */
export interface WorkerEvents {
  /** Called with each message from the worker. */
  message(message: unknown): void;
  /** Called when the worker has ended, or could not start. No event follows this event. */
  end(cause: unknown): void;
}

/** A running worker. Messages are copied with the structured clone algorithm. */
export interface RunningWorker {
  post(message: unknown): void;
  /** Sets whether the worker keeps the process alive. Initially the worker keeps the process alive. */
  hold(isNeeded: boolean): void;
  /** Ends the worker at once. */
  terminate(): void;
}

/**
 * The jobs for which a worker is started. `history`: reading one history, which needs no libgit2. `jobs`: all
 * jobs.
 */
export type WorkerPurpose = "jobs" | "history";

/**
 * Starts a worker. May throw if the host does not permit workers. The default purpose is `jobs`. A host may
 * start the same worker for both purposes.
 */
export type StartWorker = (events: WorkerEvents, purpose?: WorkerPurpose) => RunningWorker;

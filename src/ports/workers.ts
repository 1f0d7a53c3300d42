/**
 * Work that is too long for the thread that answers requests: comparing trees, rendering files, and reading
 * long histories. A host with workers supplies a way to start them. A worker reads the storage by itself and
 * returns finished JSON, or the columns of a commit graph.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { HistoryOutcome } from "./made_history.ts";

/** A unit of work for a worker. */
export type Job = DiffJob | PartJob | FilesJob;

/**
 * Form of a rendered diff: as specified for version 1, or its statistics alone; paths of moved files; as
 * today's service renders it, or today's statistics alone.
 */
export type DiffForm = "v1" | "v1-stats" | "moves" | "today" | "today-stats";

/** Compares two trees and renders the diff; of a long diff the first part. */
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

/** Files of a long diff that are still to be compared. Only the code that makes diffs reads the content. */
export interface FileBatch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Number of files of the diff before these. */
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
  /** Files that did not fit, in order; of a further part at most one batch. */
  readonly left: readonly FileBatch[];
}

/** A rendered diff: whole JSON if nothing is left, otherwise the first part. */
export interface MadeDiff extends MadePart {
  /** Files of the whole diff. */
  readonly filesChanged: number;
  /** Kind of the last file of the whole diff. */
  readonly last: DiffList | undefined;
  /** Blobs of the whole diff, to be rendered as members of `files`. */
  readonly touched: readonly Oid[];
  /** Total size of these blobs in bytes. */
  readonly touchedBytes: number;
}

/** Result type of a job. */
export type Result<J extends Job> = J extends FilesJob ? MadeFiles : J extends PartJob ? MadePart : MadeDiff;

/** A client that waits for a job, and may leave before it is done. */
export interface Requester {
  readonly signal?: AbortSignal | undefined;
  /** Key of the client, for turns in queues; none for the owner. */
  readonly peer?: string | undefined;
  /** Called with the processor time that its work has taken, in milliseconds, now and then. */
  readonly spend?: ((ms: number) => void) | undefined;
}

/** The workers of a host. */
export interface Workers {
  /**
   * Runs a job.
   *
   * @param signal Aborted when no caller waits for the job any more: it is then dropped from the queue, or
   *   ended soon.
   * @param peer Key of the client: the jobs of one client do not delay all others.
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
   * Reads a commit with all its ancestors, in a thread for this alone; `undefined` when the caller has to
   * read them itself: there is no thread for it now, or it failed. Never rejects.
   *
   * @param onProgress Called with the number of commits read so far, now and then.
   */
  readHistory?(rid: RepoId, oid: Oid, onProgress: (commits: number) => void): Promise<HistoryOutcome>;
}

/** Figures of workers, for instruments. */
export interface WorkerFigures {
  /** Jobs that run, and those that wait. */
  readonly running: number;
  readonly waiting: number;
  /** Jobs that have ended, and the time that they took, in seconds. */
  readonly ended: number;
  readonly seconds: number;
}

/** No worker can be started: the caller has to do the work itself. */
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

/** Work of a worker: a history alone, for which it needs no libgit2, or all jobs. */
export type WorkerPurpose = "jobs" | "history";

/**
 * Starts a worker. May throw where workers are not permitted. A host may start the same worker for each
 * purpose; by default it is for all jobs.
 */
export type StartWorker = (events: WorkerEvents, purpose?: WorkerPurpose) => RunningWorker;

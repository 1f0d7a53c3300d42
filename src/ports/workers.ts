/**
 * Work that takes too long for the thread that answers requests: comparing trees and showing files. A host that has workers brings a way to
 * start them; a worker reads the storage by itself and hands back finished JSON.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** What is to be made. */
export type Job = DiffJob | PartJob | FilesJob;

/** A diff, or its beginning. */
export interface DiffJob {
  readonly kind: "diff";
  readonly rid: RepoId;
  /** Without it all files were added. */
  readonly oldTree: Oid | undefined;
  readonly newTree: Oid;
}

/** Another part of a diff. */
export interface PartJob {
  readonly kind: "part";
  readonly rid: RepoId;
  readonly batch: FileBatch;
}

/** Members of `files`. */
export interface FilesJob {
  readonly kind: "files";
  readonly rid: RepoId;
  /** Blobs. */
  readonly oids: readonly Oid[];
}

/** Kinds of files of a diff: the names of its lists. */
export type DiffList = "added" | "deleted" | "moved" | "copied" | "modified";

/** Files of a diff that are still to be compared. Only workers look into it. */
export interface FileBatch {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Files of the diff before them. */
  readonly start: number;
  /** Kind of the file before them. */
  readonly last: DiffList | undefined;
}

/** Members of `files` that were made. Shared between callers: never write to it. */
export interface Made {
  /** JSON as UTF-8, with commas between the members. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Blobs for which there was no room. */
  readonly left: readonly Oid[];
}

/** A diff that was made, its beginning, or another part of it. Shared between callers: never write to it. */
export interface MadeDiff {
  /** JSON as UTF-8, up to the last of the files that were compared: a diff object (2.4) when `rest` is empty, or a part of one. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Files that are still to be compared, in their order. */
  readonly rest: readonly FileBatch[];
  /** Lines of the files that were compared. `filesChanged` is that of the whole diff, of a part its own. */
  readonly stats: {
    readonly filesChanged: number;
    readonly insertions: number;
    readonly deletions: number;
  };
  /** Kind of the last file that was compared. */
  readonly last: DiffList | undefined;
  /** Blobs of the whole diff, to be shown as members of `files`; of a part none. */
  readonly touched: readonly Oid[];
  /** Bytes of these blobs. */
  readonly touchedBytes: number;
}

/** What comes of a job. */
export type Result<J extends Job> = J extends FilesJob ? Made : MadeDiff;

/** A client that waits for work, and may leave before it is done. */
export interface Asker {
  readonly signal?: AbortSignal | undefined;
  /** Where it comes from, where peers can be told apart. */
  readonly peer?: string | undefined;
}

/** Those who do the work. */
export interface Workers {
  /**
   * Does a job.
   *
   * @param signal Aborted when nobody waits for the job any more: then it is dropped, or ended soon.
   * @param peer Who asks for it, where peers can be told apart: no peer's jobs keep those of all others waiting.
   * @throws {DamagedError} when the repository's data does not allow it; {@link TooLargeError} when it is too much.
   * @throws {ApiError} `unavailable` when it takes too long, fails, or too much waits already.
   * @throws {NoWorkersError} when nobody can do it.
   */
  run<J extends Job>(job: J, signal?: AbortSignal, peer?: string): Promise<Result<J>>;
}

/** No worker can be started: the work has to be done in another way. */
export class NoWorkersError extends Error {
  override readonly name = "NoWorkersError";
}

/** What is heard of a worker. */
export interface WorkerEvents {
  /** A message has come. */
  message(message: unknown): void;
  /** The worker has ended, or could not start. Nothing is heard of it afterwards. */
  end(cause: unknown): void;
}

/** A worker that was started. Messages are cloned by the structured clone algorithm. */
export interface RunningWorker {
  post(message: unknown): void;
  /** Whether the process has to stay for it; so it is at first. */
  hold(isNeeded: boolean): void;
  /** Ends it, whatever it is doing. */
  terminate(): void;
}

/** Starts a worker. May throw where workers are not allowed. */
export type StartWorker = (events: WorkerEvents) => RunningWorker;

/**
 * Work that takes too long for the thread that answers requests: comparing trees and showing files. A host that has workers brings a way to
 * start them; a worker reads the storage by itself and hands back finished JSON.
 */
import type { Oid } from "../ids/oid.ts";
import type { RepoId } from "../ids/rid.ts";

/** What is to be made. */
export type Job =
  | {
    readonly kind: "diff";
    readonly rid: RepoId;
    /** Without it all files were added. */
    readonly oldTree: Oid | undefined;
    readonly newTree: Oid;
  }
  | { readonly kind: "files"; readonly rid: RepoId; /** Blobs. */ readonly oids: readonly Oid[] };

/** What was made. Shared between callers: never write to it. */
export interface Made {
  /** JSON as UTF-8: a diff object (2.4), or members of `files`, with commas between them. */
  readonly json: Uint8Array<ArrayBuffer>;
  /** Blobs that are still to be shown as members of `files`: all that a diff touches, or those for which a part had no room. */
  readonly left: readonly Oid[];
}

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
   * @throws {DamagedError} when the repository's data does not allow it.
   * @throws {ApiError} `unavailable` when it takes too long, fails, or too much waits already.
   * @throws {NoWorkersError} when nobody can do it.
   */
  run(job: Job, signal?: AbortSignal, peer?: string): Promise<Made>;
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

/** Reads a long history in a worker, for the commit graph of the thread that started it. */
import { ApiError, DamagedError, UnsupportedError } from "../../errors.ts";
import { CommitGraph } from "../../git/commit_graph.ts";
import { columnsOf } from "../../git/commit_tables.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { HistoryColumns, HistoryOutcome } from "../../ports/made_history.ts";
import type { Storage } from "../../ports/storage.ts";
import { type FromWorker, toErrorText } from "./protocol.ts";
import { Task } from "../../scheduling/task.ts";

/** Commits between two messages of progress: some ten milliseconds. */
export const COMMITS_PER_PROGRESS = 4096;

/** A commit whose history is to be read. */
export interface HistoryRequest {
  readonly rid: RepoId;
  readonly oid: Oid;
}

/** Reads a history and posts it. Never rejects. */
export async function readHistory(
  storage: Storage,
  { rid, oid }: HistoryRequest,
  post: (message: FromWorker, transfer: ArrayBuffer[]) => void,
): Promise<void> {
  let shown = 0;
  const onProgress = (commits: number | undefined) => {
    if (commits === undefined || commits < shown + COMMITS_PER_PROGRESS) return;
    post({ kind: "progress", commits: shown = commits }, []);
  };
  try {
    const made = await makeHistory(storage, { rid, oid }, onProgress);
    post({ kind: "history", made }, typeof made === "object" ? buffersOf(made) : []);
  } catch (error) {
    post({ kind: "failed", error: toErrorText(error), needsRecycling: true }, []);
  }
}

/**
 * Reads a commit with all its ancestors; `undefined` when the commit is absent or unreadable, or so many
 * parents are missing that they cannot all be named.
 *
 * @throws {UnsupportedError} when the storage reads through another thread: that thread reads it faster.
 * @throws {DamagedError} when there is no such repository.
 */
export async function makeHistory(
  storage: Storage,
  { rid, oid }: HistoryRequest,
  onProgress?: (commits: number | undefined) => void,
): Promise<HistoryOutcome> {
  const repository = await storage.repository(rid);
  if (repository === undefined) throw new DamagedError(`Repository ${rid} is gone`);
  if (repository.objectCount === undefined) throw new UnsupportedError("The storage is in another thread");
  const graph = new CommitGraph(onProgress && { onProgress });
  try {
    const tip = await graph.load(repository, oid, Task.unbroken());
    const tables = tip === undefined ? undefined : graph.snapshot;
    return tables && columnsOf(tables);
  } catch (error) {
    if (error instanceof ApiError && error.code === "payloadTooLarge") return "tooLong";
    throw error;
  }
}

/** The buffers of a history, which are moved in place of being copied. */
function buffersOf(columns: HistoryColumns): ArrayBuffer[] {
  return Object.values(columns).map(({ buffer }) => buffer as ArrayBuffer);
}

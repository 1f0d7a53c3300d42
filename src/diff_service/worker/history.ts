/** Reads a long history in a worker, for the commit graph of the thread that has started the worker. */
import { DamagedError, HistoryTooLongError, ifReadable, UnsupportedError } from "../../errors.ts";
import { CommitGraph } from "../../git/commit_graph.ts";
import { MAX_INDEXED_COMMITS } from "../../git/commit_loader.ts";
import { columnsOf, selectColumns } from "../../git/commit_tables.ts";
import { tablesOf } from "../../git/stored_history.ts";
import type { Oid } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { HistoryColumns, HistoryOutcome } from "../../ports/made_history.ts";
import type { Repository, Storage } from "../../ports/storage.ts";
import { type FromWorker, toErrorText } from "./protocol.ts";
import { Task } from "../../scheduling/task.ts";

/** Number of commits between two progress messages. Reading these commits takes about ten milliseconds. */
export const COMMITS_PER_PROGRESS = 4096;

export interface HistoryRequest {
  readonly rid: RepoId;
  readonly oid: Oid;
}

type OnProgress = (commits: number | undefined) => void;

/** Reads a history and sends it. Never rejects. */
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
 * Reads a commit with all its ancestors. Returns `undefined` when a commit is missing or unreadable.
 *
 * @throws {UnsupportedError} when the storage reads through another thread, because that thread reads the
 * history faster.
 * @throws {DamagedError} when there is no such repository.
 */
export async function makeHistory(
  storage: Storage,
  { rid, oid }: HistoryRequest,
  onProgress?: OnProgress,
): Promise<HistoryOutcome> {
  const repository = await storage.repository(rid);
  if (repository === undefined) throw new DamagedError(`Repository ${rid} is gone`);
  if (repository.objectCount === undefined) throw new UnsupportedError("The storage is in another thread");
  try {
    return await readStored(repository, oid, onProgress) ?? await readFrom(repository, oid, onProgress);
  } catch (error) {
    if (error instanceof HistoryTooLongError) return "tooLong";
    throw error;
  }
}

/** Reads a history commit by commit. */
async function readFrom(
  repository: Repository,
  oid: Oid,
  onProgress: OnProgress | undefined,
): Promise<HistoryColumns | undefined> {
  const graph = new CommitGraph({ onProgress });
  const tip = await graph.load(repository, oid, Task.unbroken());
  const tables = tip === undefined ? undefined : graph.snapshot;
  return tables && columnsOf(tables);
}

/**
 * Reads the commits that the storage lists, and then, one after the other, the commits that the list lacks.
 * Returns `undefined` when the storage has no list, or a parent is missing.
 */
async function readStored(
  repository: Repository,
  oid: Oid,
  onProgress: OnProgress | undefined,
): Promise<HistoryColumns | undefined> {
  const stored = repository.storedCommits?.();
  const found = stored && ifReadable(() => tablesOf(stored, MAX_INDEXED_COMMITS, onProgress));
  if (found === undefined) return undefined;
  const task = Task.unbroken();
  const graph = new CommitGraph({ loadSaved: () => Promise.resolve(found), onProgress });
  const tip = await graph.load(repository, oid, task);
  const tables = graph.snapshot;
  if (tip === undefined || tables === undefined) return undefined;
  const { rows } = await tables.commits.reach([tip], task);
  if (rows.length === tables.commits.size) return columnsOf(tables);
  const numberOf = new Uint32Array(tables.commits.size);
  rows.forEach((row, i) => numberOf[row] = i);
  return await selectColumns(tables, rows, numberOf, task);
}

/** Returns the buffers of a history, which are moved to the other thread instead of copied. */
function buffersOf(columns: HistoryColumns): ArrayBuffer[] {
  return Object.values(columns).map(({ buffer }) => buffer as ArrayBuffer);
}

/** Reads headers of commits, which may be absent, damaged, or objects of another kind. */
import type { Task } from "../scheduling/task.ts";
import { DamagedError } from "../errors.ts";
import type { Oid } from "../ids/oid.ts";
import type { Awaitable, GitObject, Repository } from "../ports/storage.ts";
import { type CommitHeader, parseCommitHeader, parseLargeCommitHeader, SLOW_COMMIT_BYTES } from "./commit.ts";
import { readBatches } from "./objects.ts";

/** Reads the header of a commit, at once if the storage does; `undefined` when the commit is unreadable. */
export function readCommitHeader(
  repository: Repository,
  oid: Oid,
  task: Task,
): Awaitable<CommitHeader | undefined> {
  try {
    const found = repository.objects([oid]);
    if (!(found instanceof Promise)) return headerOf(found[0], task);
    return found.then(([object]) => headerOf(object, task), noneIfDamaged);
  } catch (error) {
    return noneIfDamaged(error);
  }
}

/** Reads the headers of commits. An unreadable commit is `undefined` and does not affect the others. */
export async function readCommitHeaders(
  repository: Repository,
  oids: readonly Oid[],
  task: Task,
): Promise<readonly (CommitHeader | undefined)[]> {
  const headers: (CommitHeader | undefined)[] = [];
  for await (const { objects } of readBatches(repository, oids)) {
    for (const object of objects) {
      const header = headerOf(object, task);
      headers.push(header instanceof Promise ? await header : header);
    }
  }
  return headers;
}

/** The header of an object, which is released; `undefined` when it is no commit. */
function headerOf(object: GitObject | undefined, task: Task): Awaitable<CommitHeader | undefined> {
  if (object === undefined) return undefined;
  if (object.bytes.length > SLOW_COMMIT_BYTES) return largeHeaderOf(object, task);
  const header = object.kind === "commit" ? tryHeader(object.bytes) : undefined;
  object.release?.();
  return header;
}

async function largeHeaderOf(object: GitObject, task: Task): Promise<CommitHeader | undefined> {
  try {
    if (object.kind !== "commit") return undefined;
    return await task.run(parseLargeCommitHeader(object.bytes));
  } catch (error) {
    return noneIfDamaged(error);
  } finally {
    object.release?.();
  }
}

/** Size of a commit in bytes; `undefined` when it is absent, damaged, or not a commit. */
export async function commitSize(repository: Repository, oid: Oid): Promise<number | undefined> {
  try {
    const header = await repository.header(oid);
    return header?.kind === "commit" ? header.size : undefined;
  } catch (error) {
    if (!(error instanceof DamagedError)) throw error;
    return undefined;
  }
}

/** Whether an object is present, even if it is damaged. */
export async function isPresent(repository: Repository, oid: Oid): Promise<boolean> {
  try {
    return await repository.header(oid) !== undefined;
  } catch (error) {
    if (error instanceof DamagedError) return true;
    throw error;
  }
}

function tryHeader(bytes: Uint8Array): CommitHeader | undefined {
  try {
    return parseCommitHeader(bytes);
  } catch (error) {
    return noneIfDamaged(error);
  }
}

function noneIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedError)) throw error;
}

/** JSON of a commit (specification, 2.3), in both dialects. */
import type { Commit as CommitView } from "../contract/commits.ts";
import { type Commit, cutMessage, TRIMMING } from "../git/commit.ts";
import { type CommitReading, readCommit } from "../git/objects.ts";
import type { Oid } from "../ids/oid.ts";
import type { Repository } from "../ports/storage.ts";
import { toJsonInteger } from "../text/integers.ts";
import type { Steps, Task } from "../scheduling/task.ts";

/**
 * Reads a commit and creates its JSON in version 1.
 *
 * @throws {NotFoundError} when there is no commit with this id.
 */
export async function viewCommit(
  repository: Repository,
  id: Oid,
  task: Task,
  reading?: CommitReading,
): Promise<CommitView> {
  return await task.run(toCommitView(id, await readCommit(repository, id, task, reading)));
}

/**
 * Reads a commit and creates its JSON in the `/repos` dialect, where names may end with a full stop.
 *
 * @throws {NotFoundError} when there is no commit with this id.
 */
export async function viewTodayCommit(
  repository: Repository,
  id: Oid,
  task: Task,
  reading?: CommitReading,
): Promise<CommitView> {
  return await viewCommit(repository, id, task, { ...reading, trimmed: TRIMMING });
}

function* toCommitView(id: Oid, commit: Commit): Steps<CommitView> {
  const { summary, description } = yield* cutMessage(commit.message);
  return {
    id,
    author: commit.author,
    summary,
    description,
    parents: commit.parents,
    committer: { ...commit.committer, time: toJsonInteger(commit.timeSeconds) },
  };
}

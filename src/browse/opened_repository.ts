/** A repository with its history, opened for a client that may read it. */
import type { CommitGraph } from "../git/commit_graph.ts";
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";

/** Objects and references of a repository, and the graph of its commits. */
export interface OpenedRepository {
  readonly objects: Repository;
  readonly graph: CommitGraph;
  /** The task of the request. */
  readonly task: Task;
}

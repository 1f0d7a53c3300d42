/** A repository as it is handed on to whatever computes an answer from it. */
import type { Repository } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";
import type { CommitGraph } from "./commit_graph.ts";

/** Objects and references of a repository, the graph of its commits, and the work for which it was opened. */
export interface OpenedRepository {
  readonly objects: Repository;
  readonly graph: CommitGraph;
  /** All computation for one answer, or for one step in the background. */
  readonly task: Task;
}

/** Searches for the commits that changed a path: all requests share the time for them. */
import { Task } from "../scheduling/task.ts";
import { smallTable } from "../cache/memory.ts";
import { ApiError } from "../errors.ts";
import type { PathHistoryOptions } from "../git/path_history.ts";
import type { RepoId } from "../ids/rid.ts";
import { type HistoryRange, type PageOfHistory, pageOfPath } from "./history.ts";
import type { OpenedRepository } from "./opened_repository.ts";

/** Searches of a service. */
export class PathSearches {
  readonly #task = new Task("user-blocking");
  /** Messages for histories that are too large, because finding that out takes long. */
  readonly #refused = smallTable<string, string>("refusedPaths");

  /**
   * A page of the commits that changed a path, as {@link pageOfPath}.
   *
   * @throws {ApiError} as {@link pageOfPath}.
   */
  async page(
    repository: OpenedRepository & { readonly rid: RepoId },
    tip: number,
    range: HistoryRange & { readonly path: string },
    options: Omit<PathHistoryOptions, "task">,
  ): Promise<PageOfHistory> {
    const { rid, graph } = repository;
    const key = `${rid} ${graph.oidOf(tip)} ${
      options.findOldPath === undefined ? "" : "follow"
    } ${range.path}`;
    const refusal = this.#refused.get(key);
    if (refusal !== undefined) throw new ApiError("payloadTooLarge", refusal);
    try {
      return await pageOfPath(repository, tip, range, { ...options, task: this.#task });
    } catch (error) {
      const isTooLarge = error instanceof ApiError && error.code === "payloadTooLarge";
      if (isTooLarge) this.#refused.set(key, error.message);
      throw error;
    }
  }
}

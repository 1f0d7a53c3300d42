/** Pages of a history, and the commits between two commits (specification, 4.2.2, 4.2.4). */
import type { CommitGraph, OpenedRepository } from "../git/commit_graph.ts";
import { pathHistory, type PathHistoryOptions } from "../git/path_history.ts";
import type { Integer } from "../text/integers.ts";
import { Task } from "../scheduling/task.ts";
import { HistoryTooLongError } from "../errors.ts";
import { fixedCache, weighRefusal } from "../cache/memory.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Requester } from "../ports/workers.ts";

/** Default number of commits per page, if the request limits neither the page size nor the commit times. */
export const DEFAULT_COMMITS = 30;
/**
 * Number of rows (commits of the commit graph) that are processed before a pause. Processing these rows takes
 * a few milliseconds at most.
 */
const ROWS_AT_ONCE = 1024;

export interface HistoryRange {
  readonly page: number;
  /** Number of commits per page; `undefined` means all commits on one page. */
  readonly perPage: number | undefined;
  /** Earliest commit time in seconds (inclusive), or `undefined`. */
  readonly since: Integer | undefined;
  /** End of the range of commit times in seconds (exclusive), or `undefined`. */
  readonly until: Integer | undefined;
}

export interface PageOfHistory {
  readonly rows: AsyncIterable<number> | Iterable<number>;
  /** Number of commits on all pages; `undefined` if counting them would require the whole history. */
  readonly total?: number | undefined;
  readonly hasNext: boolean;
}

/**
 * Returns a page of the history of a commit, and whether a next page exists.
 *
 * @param commits Number of commits in the whole history, if known.
 */
export async function pageOfHistory(
  repository: Pick<OpenedRepository, "graph" | "task">,
  tip: number,
  range: HistoryRange,
  commits?: number,
): Promise<PageOfHistory> {
  const { page, perPage: limit } = range;
  const isBounded = range.since !== undefined || range.until !== undefined;
  if (limit === undefined || limit === 0) {
    const total = isBounded ? undefined : commits;
    return { rows: selectRows(repository, tip, range, limit), total, hasNext: false };
  }
  const found = await collectPage(selectRows(repository, tip, range, limit + 1), page, limit);
  return isBounded ? found : { ...found, total: commits };
}

/**
 * Returns a page of the commits that changed a path.
 *
 * @throws {CoreError} the errors of {@link pathHistory}.
 */
export async function pageOfPath(
  repository: OpenedRepository,
  tip: number,
  range: HistoryRange & { readonly path: string },
  options: PathHistoryOptions,
): Promise<PageOfHistory> {
  const { page, perPage: limit } = range;
  if (limit === 0) return { rows: [], hasNext: false };
  const found = pathHistory(repository, tip, range.path, options);
  const selection = new Selection(repository.graph, range, limit && limit + 1);
  return await collectPage(selectFound(found, selection), page, limit);
}

/** Collects the rows of a page. The input has one row more than the page if a next page exists. */
async function collectPage(
  found: AsyncIterable<number>,
  page: number,
  limit = Infinity,
): Promise<PageOfHistory> {
  const rows: number[] = [];
  for await (const row of found) rows.push(row);
  const hasNext = rows.length > limit;
  if (hasNext) return { rows: rows.slice(0, limit), hasNext };
  const total = page === 0 ? rows.length : rows.length === 0 ? undefined : page * limit + rows.length;
  return { rows, total, hasNext };
}

/** Yields the rows of a page from the history of a commit. */
async function* selectRows(
  { graph, task }: Pick<OpenedRepository, "graph" | "task">,
  tip: number,
  range: HistoryRange,
  limit?: number,
): AsyncGenerator<number> {
  const selection = new Selection(graph, range, limit);
  const walk = graph.walk(tip);
  for (let position = 0; !selection.isDone; position++) {
    const row = walk.at(position);
    if (row === undefined) return;
    if (position % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await task.yield();
    if (selection.takes(row)) yield row;
  }
}

/** Yields the rows of a page from rows that are found one after the other. */
async function* selectFound(rows: AsyncIterable<number>, selection: Selection): AsyncGenerator<number> {
  if (selection.isDone) return;
  for await (const row of rows) {
    if (selection.takes(row)) yield row;
    if (selection.isDone) return;
  }
}

class Selection {
  readonly #graph: CommitGraph;
  readonly #since: Integer;
  readonly #until: Integer;
  #skip: number;
  #left: number;

  /** @param limit Maximum number of rows; the page size by default. */
  constructor(
    graph: CommitGraph,
    { page, perPage = Infinity, since = -Infinity, until = Infinity }: HistoryRange,
    limit: number = perPage,
  ) {
    this.#graph = graph;
    this.#since = since;
    this.#until = until;
    this.#skip = page === 0 ? 0 : page * perPage;
    this.#left = limit;
  }

  get isDone(): boolean {
    return this.#left === 0 || this.#skip === Infinity;
  }

  /** Checks whether the next row is on the page. Must be called once for each row, in order. */
  takes(row: number): boolean {
    const time = this.#graph.commits.exactTimeOf(row);
    if (time < this.#since || time >= this.#until) return false;
    if (this.#skip > 0) {
      this.#skip--;
      return false;
    }
    this.#left--;
    return true;
  }
}

/**
 * Yields the rows of the history of `to`, and stops at the row `from`. If `from` is not an ancestor of `to`,
 * yields all rows. The result may include ancestors of `from`, unlike the result of `git log from..to`. The
 * whole history must be loaded.
 */
export function* rowsDownTo(graph: CommitGraph, from: number, to: number): Generator<number> {
  for (const row of graph.walk(to)) {
    if (row === from) return;
    yield row;
  }
}

/**
 * Finds the commits that changed a path. The searches of all requests together have a limit on their
 * processing time.
 */
export class PathSearches {
  /** Cached error messages for histories that are too large, because each error takes long to find. */
  readonly #refused = fixedCache<string, string>("refusals", weighRefusal);

  /**
   * Returns a page of the commits that changed a path.
   *
   * @throws {CoreError} the errors of {@link pageOfPath}.
   */
  async page(
    repository: OpenedRepository & { readonly rid: RepoId },
    tip: number,
    range: HistoryRange & { readonly path: string },
    { spend, ...options }: PathHistoryOptions & Pick<Requester, "spend">,
  ): Promise<PageOfHistory> {
    const { rid, graph } = repository;
    const key = `${rid} ${graph.commits.oidOf(tip)} ${
      options.findOldPath === undefined ? "" : "follow"
    } ${range.path}`;
    const refusal = this.#refused.get(key);
    if (refusal !== undefined) throw new HistoryTooLongError(refusal);
    try {
      const task = new Task("user-blocking", { group: "path searches", onWork: spend });
      return await pageOfPath({ ...repository, task }, tip, range, options);
    } catch (error) {
      if (error instanceof HistoryTooLongError) this.#refused.set(key, error.message);
      throw error;
    }
  }
}

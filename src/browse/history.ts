/** Pages of a history, and the commits between two commits (4.2.2, 4.2.4). */
import type { CommitGraph, OpenedRepository } from "../git/commit_graph.ts";
import { pathHistory, type PathHistoryOptions } from "../git/path_history.ts";
import type { Integer } from "../text/integers.ts";
import { Task } from "../scheduling/task.ts";
import { HistoryTooLongError } from "../errors.ts";
import { fixedCache, weighRefusal } from "../cache/memory.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Requester } from "../ports/workers.ts";

/** Default size of a page of history, when the request has neither a page nor a time. */
export const DEFAULT_COMMITS = 30;
/** Rows of a walk that are skipped without a pause: some milliseconds at most. */
const ROWS_AT_ONCE = 1024;

/** The requested part of a history. */
export interface HistoryRange {
  readonly page: number;
  /** Commits of a page; all by default. */
  readonly perPage: number | undefined;
  /** Bounds of commit times, in seconds: the first inclusive, the second exclusive. */
  readonly since: Integer | undefined;
  readonly until: Integer | undefined;
}

export interface PageOfHistory {
  readonly rows: AsyncIterable<number> | Iterable<number>;
  /** Commits of all pages; `undefined` if counting them would take a walk. */
  readonly total?: number | undefined;
  readonly hasNext: boolean;
}

/**
 * A page of the history of a commit, and whether there is a next one.
 *
 * @param commits Number of commits of that history, if known.
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
 * A page of the commits that changed a path, like {@link pathHistory}.
 *
 * @throws {CoreError} like {@link pathHistory}.
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

/** Collects the rows of a page. One more row shows that there is a next page. */
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

/** Yields the rows of a page of the history of a commit, up to a limit. */
async function* selectRows(
  { graph, task }: Pick<OpenedRepository, "graph" | "task">,
  tip: number,
  range: HistoryRange,
  limit?: number,
): AsyncGenerator<number> {
  const selection = new Selection(graph, range, limit);
  const walk = graph.walk(tip);
  for (let position = 0; !selection.isDone; position++) {
    const loading = graph.prepare(tip, position + 1);
    if (loading !== undefined) await loading;
    const row = walk.at(position);
    if (row === undefined) return;
    if (position % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await task.yield();
    if (selection.takes(row)) yield row;
  }
}

/** Like {@link selectRows}, for rows that are found one by one. */
async function* selectFound(rows: AsyncIterable<number>, selection: Selection): AsyncGenerator<number> {
  if (selection.isDone) return;
  for await (const row of rows) {
    if (selection.takes(row)) yield row;
    if (selection.isDone) return;
  }
}

/** Selects the rows of a walk that are on a page. */
class Selection {
  readonly #graph: CommitGraph;
  readonly #since: Integer;
  readonly #until: Integer;
  #skip: number;
  #left: number;

  /** @param limit Most rows; the page size by default. */
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

  /** Whether the page is complete. */
  get isDone(): boolean {
    return this.#left === 0 || this.#skip === Infinity;
  }

  /** Whether the next row is on the page. Call it once for each row, in order. */
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
 * Yields the rows of the history of `to` until it reaches `from`. Unlike `git log from..to`, commits that
 * `from` can reach, too, are among them if the walk meets them first; if `from` is not an ancestor, all rows
 * are. The whole history must be loaded.
 */
export function* rowsDownTo(graph: CommitGraph, from: number, to: number): Generator<number> {
  for (const row of graph.walk(to)) {
    if (row === from) return;
    yield row;
  }
}

/** Searches for the commits that changed a path. All requests share the time for these searches. */
export class PathSearches {
  /** Error messages for histories that are too large. Cached, because this takes long to find out. */
  readonly #refused = fixedCache<string, string>("refusals", weighRefusal);

  /**
   * A page of the commits that changed a path, like {@link pageOfPath}.
   *
   * @throws {CoreError} like {@link pageOfPath}.
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

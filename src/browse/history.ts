/** Pages of a history, and the commits between two commits (4.2.2, 4.2.4). */
import type { CommitGraph, OpenedRepository } from "../git/commit_graph.ts";
import { pathHistory, type PathHistoryOptions } from "../git/path_history.ts";
import type { Integer } from "../text/integers.ts";
import { Task } from "../scheduling/task.ts";
import { HistoryTooLongError } from "../errors.ts";
import { fixedCache, weighRefusal } from "../cache/memory.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Requester } from "../ports/workers.ts";

/** Commits of a page of history, where neither a page nor a time is asked for. */
export const DEFAULT_COMMITS = 30;
/** Rows of a walk that are passed over in one go: some milliseconds at most. */
const ROWS_AT_ONCE = 1024;

/** The commits of a history that are wanted. */
export interface HistoryRange {
  readonly page: number;
  /** Commits of a page; all by default. */
  readonly perPage: number | undefined;
  /** Bounds of commit times, in seconds: the first inclusive, the second exclusive. */
  readonly since: Integer | undefined;
  readonly until: Integer | undefined;
}

/** A page of history. */
export interface PageOfHistory {
  readonly rows: AsyncIterable<number> | Iterable<number>;
  /** Commits of all pages; `undefined` where that would take a walk. */
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
 * A page of the commits that changed a path, as {@link pathHistory}.
 *
 * @throws {CoreError} as {@link pathHistory}.
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

/** The rows of a page, with one more when there is a next page. */
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

/** The rows of a page of the history of a commit, as far as a limit. */
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

/** As {@link selectRows}, of rows that are found one by one. */
async function* selectFound(rows: AsyncIterable<number>, selection: Selection): AsyncGenerator<number> {
  if (selection.isDone) return;
  for await (const row of rows) {
    if (selection.takes(row)) yield row;
    if (selection.isDone) return;
  }
}

/** Which rows of a walk are on a page. */
class Selection {
  readonly #graph: CommitGraph;
  readonly #since: Integer;
  readonly #until: Integer;
  #skip: number;
  #left: number;

  /** @param limit Most rows; a page of the range by default. */
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

  /** Whether no further row is on the page. */
  get isDone(): boolean {
    return this.#left === 0 || this.#skip === Infinity;
  }

  /** Whether the next row is on the page. To be called for each row once, in order. */
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
 * The rows of the history of `to` up to `from`, which is left out; all of them where it is no ancestor. The
 * whole history has to be loaded.
 */
export function* rowsBetween(graph: CommitGraph, from: number, to: number): Generator<number> {
  for (const row of graph.walk(to)) {
    if (row === from) return;
    yield row;
  }
}

/** Searches for the commits that changed a path: all requests share the time for them. */
export class PathSearches {
  /** Messages for histories that are too large, because finding that out takes long. */
  readonly #refused = fixedCache<string, string>("refusals", weighRefusal);

  /**
   * A page of the commits that changed a path, as {@link pageOfPath}.
   *
   * @throws {CoreError} as {@link pageOfPath}.
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

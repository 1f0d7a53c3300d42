/**
 * The commit graphs of a service, one per repository. Commits are loaded when requests need them. Background
 * work lists the paths that commits change, and saves the graphs of long histories in the cache folder for
 * the next process.
 */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import type { RepoId } from "../ids/rid.ts";
import type { CacheFolder } from "../ports/cache_folder.ts";
import type { Environment } from "../ports/environment.ts";
import { CommitGraph, type OpenedRepository } from "./commit_graph.ts";
import type { HistoryColumns } from "../ports/made_history.ts";
import type { Repository } from "../ports/storage.ts";
import type { Workers } from "../ports/workers.ts";
import { Task } from "../scheduling/task.ts";
import { Listing, PathLister } from "./changed_paths.ts";
import { type CommitTables, selectColumns } from "./commit_tables.ts";
import { type Oid, OID_BYTES } from "../ids/oid.ts";
import { shallowState } from "./shallow.ts";
import { decodeIndex, encodeIndex } from "./saved_index.ts";

/**
 * Minimum number of new listed commits for which a graph is saved. Fewer commits are quickly listed again.
 */
export const COMMITS_WORTH_SAVING = 256;

/**
 * Number of listed commits after which the graph of a long history is saved, because the process may end
 * before all commits are listed.
 */
const COMMITS_PER_SAVE = 20_000;

/** Number of commits from which on progress is shown. Shorter histories are read quickly. */
const COMMITS_WORTH_SHOWING = 4096;

/**
 * Minimum number of objects of a repository whose history a worker may read. Smaller repositories have at
 * most some ten thousand commits, which are read in the time that a worker needs to start.
 */
const OBJECTS_WORTH_WORKER = 100_000;

/** Number of rows that are searched for pending commits in one step, which takes about a millisecond. */
const ROWS_AT_ONCE = 2 ** 16;
/**
 * Number of authors that are read between two checks whether the work must end. Takes less than a tenth of a
 * second.
 */
const AUTHORS_AT_ONCE = 2048;
/**
 * Interval of a timer that only prevents the process from ending, in milliseconds. Its value does not matter.
 */
const WAITING_MS = 60_000;

export interface GraphSources {
  /** Folder in which graphs are saved. By default graphs are not saved. */
  readonly cache?: CacheFolder | undefined;
  readonly log: Environment["log"];
  /** Receives a message with the number of commits of a long history that have been read so far. */
  readonly progress?: Environment["progress"] | undefined;
  /** Reads long histories in a worker. By default the calling thread reads them. */
  readonly readHistory?: Workers["readHistory"] | undefined;
  /** Sizes of caches. The default is a new {@link Memory} with default sizes. */
  readonly memory?: Memory;
}

/** The commit graphs of the most recently used repositories. */
export class CommitGraphs {
  readonly #sources: GraphSources;
  readonly #memory: Memory;
  readonly #graphs: LruMap<RepoId, CommitGraph>;
  /** Repositories with new commits that background work has not processed. */
  readonly #grown = new Map<RepoId, { readonly repository: Repository; readonly graph: CommitGraph }>();
  /** For each graph, the number of its listed commits that have been saved. */
  readonly #saved = new WeakMap<CommitGraph, number>();
  /** For each graph, the result of {@link shallowState} when the graph was created. */
  readonly #shallow = new WeakMap<CommitGraph, string>();
  #working: Promise<void> | undefined;
  #hasComplained = false;
  #isClosed = false;

  constructor(sources: GraphSources) {
    this.#sources = sources;
    this.#memory = sources.memory ?? new Memory();
    this.#graphs = this.#memory.mapOfLarge("commitGraphs", (graph) => graph.memoryBytes);
  }

  /** Returns the graph of a repository, with the commits that are loaded so far. */
  of(rid: RepoId): CommitGraph {
    return this.#graphs.getOrMake(rid, () => this.#make(rid, ""));
  }

  /**
   * Returns the graph of a repository. A graph for another set of shallow commits is replaced, because the
   * parents of its commits differ. `shallow` is the result of {@link shallowState}.
   */
  #ofState(rid: RepoId, shallow: string): CommitGraph {
    const graph = this.of(rid);
    if (this.#shallow.get(graph) === shallow) return graph;
    this.#graphs.delete(rid);
    return this.#graphs.getOrMake(rid, () => this.#make(rid, shallow));
  }

  open(objects: Repository, task: Task): OpenedRepository {
    return { objects, graph: this.of(objects.rid), task };
  }

  /**
   * Returns the graph of a repository. A graph that was made for other shallow commits is replaced first.
   */
  current(repository: Repository): CommitGraph | Promise<CommitGraph> {
    const { rid } = repository;
    const shallow = shallowState(repository);
    return shallow instanceof Promise
      ? shallow.then((shallow) => this.#ofState(rid, shallow))
      : this.#ofState(rid, shallow);
  }

  /**
   * Returns some commits with all their ancestors, in ascending order of their ids. Their authors and changed
   * paths are listed first. Missing tips are left out. Returns `undefined` when a history is incomplete.
   */
  async table(
    repository: Repository,
    tips: readonly Oid[],
    task: Task,
  ): Promise<HistoryColumns | undefined> {
    const graph = await this.current(repository);
    const rows = new Set<number>();
    for (const tip of tips) {
      const row = await graph.load(repository, tip, task);
      if (row !== undefined) rows.add(row);
    }
    await this.settle();
    const tables = graph.snapshot;
    if (tables === undefined) return undefined;
    await this.#loadAuthors(repository, graph);
    if (!tables.commits.hasAllAuthors) return undefined;
    const reached = await tables.commits.reach([...rows], task);
    return await sortedColumns(tables, reached.rows, task);
  }

  /** Waits until no background work is left. */
  async settle(): Promise<void> {
    // The pauses of background work let the process end. This timer prevents the process from ending while a
    // caller waits.
    const waiting = setInterval(() => {}, WAITING_MS);
    try {
      while (this.#working !== undefined) await this.#working;
    } finally {
      clearInterval(waiting);
    }
  }

  /**
   * Ends background work at its next pause, and saves its result so far. No further background work starts.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#grown.clear();
    await this.settle();
  }

  #make(rid: RepoId, shallow: string): CommitGraph {
    const { progress, readHistory } = this.#sources;
    // Saved indexes, tables and workers know no shallow commits.
    const isWhole = shallow === "";
    const onProgress = progress && this.#showProgress(rid, progress);
    const graph: CommitGraph = new CommitGraph({
      memory: this.#memory,
      loadSaved: async (task) => {
        const earlier = isWhole ? await this.#loadSaved(rid, task) : undefined;
        this.#saved.set(graph, earlier?.paths.seen ?? 0);
        return earlier;
      },
      ...onProgress && { onProgress },
      ...readHistory && isWhole && {
        readElsewhere: async (repository, oid) => {
          const objects = await repository.objectCount?.() ?? 0;
          if (objects < OBJECTS_WORTH_WORKER || this.#isClosed) return undefined;
          return await readHistory(rid, oid, (commits) => onProgress?.(commits));
        },
      },
      loadTable: (repository) => isWhole ? repository.commitTable?.() : undefined,
      onLoad: () => this.#graphs.weighAgain(rid),
      onGrowth: (repository) => {
        this.#graphs.weighAgain(rid);
        if (this.#isClosed) return;
        this.#grown.set(rid, { repository, graph });
        this.#working ??= this.#work();
      },
    });
    this.#shallow.set(graph, shallow);
    return graph;
  }

  /** Shows the progress of a history. The end is shown only if some progress was shown before. */
  #showProgress(rid: RepoId, progress: NonNullable<Environment["progress"]>) {
    let isShown = false;
    return (commits: number | undefined) => {
      if (commits === undefined && isShown) progress(undefined);
      isShown = commits !== undefined && commits >= COMMITS_WORTH_SHOWING;
      if (isShown) progress(`Reading the history of ${rid}: ${commits} commits`);
    };
  }

  async #work(): Promise<void> {
    for (const [rid, { repository, graph }] of this.#grown) {
      this.#grown.delete(rid);
      try {
        for (let isDone = false; !isDone;) {
          isDone = await this.#listPaths(repository, graph);
          this.#graphs.weighAgain(rid);
          await this.#save(repository, graph);
        }
      } catch (error) {
        this.#complain(error);
      }
    }
    this.#working = undefined;
  }

  /**
   * Lists the paths of at most {@link COMMITS_PER_SAVE} pending commits, newest first. Returns `true` when no
   * pending commit is left, or when background work must end.
   */
  async #listPaths(repository: Repository, graph: CommitGraph): Promise<boolean> {
    const { commits, paths } = graph;
    const task = new Task("background");
    const rows: number[] = [];
    let row = 0;
    for (; row < commits.size && rows.length < COMMITS_PER_SAVE; row++) {
      if (row % ROWS_AT_ONCE === 0) await task.idle();
      // A commit whose parent is missing is skipped, because its changes are unknown until the parent is
      // fetched.
      const hasParent = commits.isReadable(commits.firstParentOf(row) ?? row);
      if (hasParent && paths.listingOf(row) === Listing.pending) rows.push(row);
    }
    rows.sort((a, b) => commits.timeOf(b) - commits.timeOf(a));
    const lister = new PathLister(repository);
    for (const row of rows) {
      const parent = commits.firstParentOf(row);
      const before = parent === undefined ? undefined : commits.treeOf(parent);
      paths.set(row, await lister.list(before, commits.treeOf(row)));
      const pause = task.idle();
      if (pause === undefined) continue;
      if (this.#isClosed) return true;
      await pause;
    }
    return row >= commits.size;
  }

  async #loadSaved(rid: RepoId, task: Task): Promise<CommitTables | undefined> {
    try {
      const bytes = await this.#sources.cache?.read(nameOf(rid));
      return bytes && await decodeIndex(rid, bytes, task);
    } catch (error) {
      this.#complain(error);
      return undefined;
    }
  }

  async #save(repository: Repository, graph: CommitGraph): Promise<void> {
    const { rid } = repository;
    const { cache } = this.#sources;
    const { seen } = graph.paths;
    if (cache === undefined || seen - (this.#saved.get(graph) ?? 0) < COMMITS_WORTH_SAVING) return;
    await this.#loadAuthors(repository, graph);
    const { snapshot } = graph;
    if (snapshot === undefined || !snapshot.commits.hasAllAuthors) return;
    this.#saved.set(graph, seen);
    const bytes = await encodeIndex(rid, snapshot);
    if (bytes !== undefined) await cache.write(nameOf(rid), bytes);
  }

  /**
   * Reads the authors of commits that were loaded without authors. Ends early when background work must end.
   */
  async #loadAuthors(repository: Repository, graph: CommitGraph): Promise<void> {
    const { commits } = graph;
    if (commits.hasAllAuthors) return;
    const task = new Task("background");
    for (let first = 0; first < commits.size; first += AUTHORS_AT_ONCE) {
      if (this.#isClosed) return;
      await graph.loadAuthors(repository, first, Math.min(first + AUTHORS_AT_ONCE, commits.size), task);
    }
  }

  /**
   * Logs the first error of the cache folder. Later errors are not logged, because the same error would occur
   * each time, and the service works without the folder.
   */
  #complain(error: unknown): void {
    if (!this.#hasComplained) this.#sources.log("warn", "Cannot save indexes of history", error);
    this.#hasComplained = true;
  }
}

function nameOf(rid: RepoId): string {
  return `${rid.slice("rad:".length)}.commits`;
}

/** Returns the columns of some rows, in ascending order of their ids. */
async function sortedColumns(
  tables: CommitTables,
  rows: Uint32Array,
  task: Task,
): Promise<HistoryColumns> {
  const { oids } = tables.commits.save();
  const inOrder = (a: number, b: number) => {
    for (let byte = 0; byte < OID_BYTES; byte++) {
      const difference = oids[a * OID_BYTES + byte]! - oids[b * OID_BYTES + byte]!;
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const sorted = rows.slice().sort(inOrder);
  const positions = new Uint32Array(tables.commits.size);
  for (const [position, row] of sorted.entries()) positions[row] = position;
  return await selectColumns(tables, sorted, positions, task);
}

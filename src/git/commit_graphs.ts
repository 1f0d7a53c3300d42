/**
 * The commit graphs of a service, one per repository. Commits are loaded when requests need them. Background
 * work lists the paths that commits change, and saves the graphs of long histories in the cache folder for
 * the next process.
 */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import { ifReadable, isUnreadable } from "../errors.ts";
import type { RepoId } from "../ids/rid.ts";
import type { CacheFolder } from "../ports/cache_folder.ts";
import type { DerivedData, DerivedFile, DerivedRoot } from "../ports/derived_data.ts";
import type { Environment } from "../ports/environment.ts";
import { CommitGraph, type OpenedRepository } from "./commit_graph.ts";
import type { Repository } from "../ports/storage.ts";
import type { Workers } from "../ports/workers.ts";
import { Task } from "../scheduling/task.ts";
import { Listing, PathLister } from "./changed_paths.ts";
import type { CommitTables } from "./commit_tables.ts";
import { resolveRef } from "./references.ts";
import { shallowState } from "./shallow.ts";
import { decodeIndex, encodeIndex } from "./saved_index.ts";
import { toFile, toRoot } from "../derived/derived_files.ts";
import {
  blockSizes,
  encodeBlock,
  encodeSummary,
  HISTORY_NAME,
  type HistoryBlock,
  readSummary,
} from "./saved_history.ts";

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

/** Approximate memory of the digest of an unreadable history in `#lost`, in bytes. */
const LOST_BYTES = 256;

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
  /** Digests of saved histories that could not be read. */
  readonly #lost: LruMap<string, true>;
  #working: Promise<void> | undefined;
  #hasComplained = false;
  #isClosed = false;

  constructor(sources: GraphSources) {
    this.#sources = sources;
    this.#memory = sources.memory ?? new Memory();
    this.#graphs = this.#memory.mapOfLarge("commitGraphs", (graph) => graph.memoryBytes);
    this.#lost = this.#memory.map("commitGraphs", () => LOST_BYTES);
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
   * Returns the graph of a repository. The graph is replaced if the set of shallow commits has changed, or if
   * the graph has only a part of a saved history and another history was saved afterwards.
   */
  current(repository: Repository): CommitGraph | Promise<CommitGraph> {
    const shallow = shallowState(repository);
    return shallow instanceof Promise
      ? shallow.then((shallow) => this.#currentFor(repository, shallow))
      : this.#currentFor(repository, shallow);
  }

  #currentFor(repository: Repository, shallow: string): CommitGraph | Promise<CommitGraph> {
    const { rid } = repository;
    const graph = this.#ofState(rid, shallow);
    const isOutdated = graph.isOutdated(repository);
    if (isOutdated === false) return graph;
    return isOutdated.then((isOutdated) => {
      if (isOutdated && this.#graphs.get(rid) === graph) this.#graphs.delete(rid);
      return this.#ofState(rid, shallow);
    }, () => graph);
  }

  /**
   * Saves the history of the head as derived data ({@link saveHistory}), after the paths of all commits are
   * listed. Returns `undefined` when the repository has no head, or when the history is incomplete.
   *
   * @param earlier Derived data that was saved before. Its blocks are not written again.
   * @param write Called with every new file, before the files that refer to it.
   */
  async save(
    repository: Repository,
    nowSeconds: number,
    earlier: DerivedData | undefined,
    write: (file: DerivedFile) => Promise<void>,
    task: Task,
  ): Promise<DerivedRoot | undefined> {
    const { rid } = repository;
    const head = await resolveRef(repository, "HEAD");
    if (head === undefined) return undefined;
    const graph = this.of(rid);
    const tip = await graph.load(repository, head.oid, task);
    await this.settle();
    if (tip === undefined) return undefined;
    // Counting authors also reads the authors that the graph does not contain yet.
    if (await ifReadable(() => graph.count(tip, repository)) === undefined) return undefined;
    return await saveHistory({ rid, graph, tip, task, nowSeconds, earlier, write });
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
    // Saved histories contain no shallow commits.
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
      readsHistory: (digest) => isWhole && this.#lost.get(digest) === undefined,
      onLostHistory: (digest, cause) => {
        // If the saved data is absent or damaged, further requests read the commits from the storage.
        if (isUnreadable(cause)) this.#lost.set(digest, true);
        if (this.#graphs.get(rid) === graph) this.#graphs.delete(rid);
      },
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

/** Period before now whose commit times are saved in the summary, in seconds: a year and some days. */
const RECENT_SECONDS = 53 * 7 * 86_400;
/**
 * The start of the period is rounded down to a multiple of this number of seconds, so that the summary does
 * not change with each save.
 */
const RECENT_STEP_SECONDS = 7 * 86_400;
/** Number of rows of a walk that are processed in one step. */
const WALKED_AT_ONCE = 1024;

export interface SaveHistoryOptions {
  readonly rid: RepoId;
  readonly graph: CommitGraph;
  /** Row of the commit whose history is saved. */
  readonly tip: number;
  readonly task: Task;
  readonly nowSeconds: number;
  /** Derived data that was saved before. Its blocks are not written again. */
  readonly earlier: DerivedData | undefined;
  /** Sizes of blocks in rows, largest first. By default the sizes of {@link blockSizes}. */
  readonly blockRows?: readonly number[];
  /** Called with every new file, before the files that refer to it. */
  write(file: DerivedFile): Promise<void>;
}

/** Saves the history of a commit. Returns `undefined` when the history is incomplete or too large. */
export async function saveHistory(options: SaveHistoryOptions): Promise<DerivedRoot | undefined> {
  const { rid, graph, tip, task, nowSeconds, earlier, write } = options;
  await graph.whole();
  const tables = graph.snapshot;
  if (tables === undefined) return undefined;
  const { commits, contributors } = await graph.count(tip);
  const rows = new Uint32Array(commits);
  const ageOf = new Uint32Array(graph.commits.size);
  const walk = graph.walk(tip);
  for (let position = 0; position < commits; position++) {
    const row = walk.at(position)!;
    rows[position] = row;
    ageOf[row] = commits - 1 - position;
    if (position % WALKED_AT_ONCE === 0) await task.yield();
  }
  const saved = await readSummary({ rid, derived: earlier });
  const before = new Set(saved?.summary.blocks.map(({ digest }) => digest));
  const blocks: HistoryBlock[] = [];
  let start = 0;
  for (const size of blockSizes(commits, options.blockRows)) {
    const bytes = await encodeBlock(rid, tables, rows.subarray(start, start + size), ageOf, task);
    if (bytes === undefined) return undefined;
    const file = await toFile(bytes);
    if (!before.has(file.digest)) await write(file);
    blocks.push({ digest: file.digest, bytes: bytes.length, rows: size });
    start += size;
  }
  const from = Math.floor((nowSeconds - RECENT_SECONDS) / RECENT_STEP_SECONDS) * RECENT_STEP_SECONDS;
  const times = (await graph.timesAfter(tip, from, task)).map(Number);
  const summary = { tip: graph.commits.oidOf(tip), commits, contributors, recent: { from, times }, blocks };
  const file = await toFile(await encodeSummary(rid, summary));
  await write(file);
  return toRoot(HISTORY_NAME, file, blocks);
}

/**
 * The commit indexes of a service, one for each repository. Commits are loaded when requests ask for them; the paths that commits change are listed in
 * the background, and indexes of long histories are saved in a cache folder for the next process.
 */
import type { LruMap } from "../cache/lru_map.ts";
import { Memory } from "../cache/memory.ts";
import type { RepoId } from "../ids/rid.ts";
import type { CacheFolder } from "../ports/cache_folder.ts";
import type { Environment } from "../ports/environment.ts";
import type { Repository } from "../ports/storage.ts";
import { startUnattendedTimer } from "../time/unattended_timer.ts";
import { Listing } from "./changed_paths.ts";
import { CommitIndex, type EarlierIndex } from "./commit_index.ts";
import { PathLister } from "./path_lister.ts";
import { decodeIndex, encodeIndex } from "./saved_index.ts";

/** So many commits that have been looked at and are not in the cache folder yet are worth writing: fewer are made again in a moment. */
export const COMMITS_WORTH_SAVING = 256;

/** A long history is saved, too, whenever so many commits have been looked at: the process may end before the last. */
export const COMMITS_PER_SAVE = 20_000;

/** Background work lets requests through after so many milliseconds, ... */
const SLICE_MS = 3;
/** ... for so long, and for longer while there are any. */
const PAUSE_MS = 2;
const MAX_PAUSES = 20;
/** Commits that are looked through in one go for those that have not been seen: about a millisecond. */
const ROWS_PER_PAUSE = 2 ** 16;
/** Any time will do. */
const WAITING_MS = 60_000;

/** What indexes are given. */
export interface IndexSources {
  /** Where indexes are saved; nowhere by default. */
  readonly cache?: CacheFolder | undefined;
  readonly log: Environment["log"];
  /** Sizes of caches; the usual ones by default. */
  readonly memory?: Memory;
}

/** The indexes of repositories, the most recently used ones. */
export class CommitIndexes {
  readonly #sources: IndexSources;
  readonly #memory: Memory;
  readonly #indexes: LruMap<RepoId, CommitIndex>;
  /** Repositories with commits that the background has not seen. */
  readonly #grown = new Map<RepoId, { readonly repository: Repository; readonly index: CommitIndex }>();
  /** Of each index the commits in the cache folder that have been looked at. */
  readonly #saved = new WeakMap<CommitIndex, number>();
  #working: Promise<void> | undefined;
  #hasComplained = false;

  constructor(sources: IndexSources) {
    this.#sources = sources;
    this.#memory = sources.memory ?? new Memory();
    this.#indexes = this.#memory.mapOfLarge("commitIndexes", (index) => index.memoryBytes);
  }

  /** The commits of a repository, as far as they have been asked for. */
  of(rid: RepoId): CommitIndex {
    const index = this.#indexes.getOrMake(rid, () => this.#make(rid));
    // Walks of it may have been cached since.
    this.#indexes.weighAgain(rid);
    return index;
  }

  /** Resolves when there is nothing left to do in the background. */
  async settle(): Promise<void> {
    // Pauses in between keep no process alive: those who wait do.
    const waiting = setInterval(() => {}, WAITING_MS);
    try {
      while (this.#working !== undefined) await this.#working;
    } finally {
      clearInterval(waiting);
    }
  }

  #make(rid: RepoId): CommitIndex {
    const index: CommitIndex = new CommitIndex({
      memory: this.#memory,
      loadSaved: async () => {
        const earlier = await this.#loadSaved(rid);
        this.#saved.set(index, earlier?.paths.seen ?? 0);
        return earlier;
      },
      onGrowth: (repository) => {
        this.#indexes.weighAgain(rid);
        this.#grown.set(rid, { repository, index });
        this.#working ??= this.#work();
      },
    });
    return index;
  }

  async #work(): Promise<void> {
    for (const [rid, { repository, index }] of this.#grown) {
      this.#grown.delete(rid);
      try {
        for (let isDone = false; !isDone;) {
          isDone = await listPaths(new PathLister(repository, this.#memory), index);
          await this.#save(rid, index);
        }
      } catch (error) {
        this.#complain(error);
      }
    }
    this.#working = undefined;
  }

  async #loadSaved(rid: RepoId): Promise<EarlierIndex | undefined> {
    try {
      const bytes = await this.#sources.cache?.read(nameOf(rid));
      return bytes && await decodeIndex(rid, bytes);
    } catch (error) {
      this.#complain(error);
      return undefined;
    }
  }

  async #save(rid: RepoId, index: CommitIndex): Promise<void> {
    const { cache } = this.#sources;
    const { seen } = index.paths;
    const { snapshot } = index;
    if (cache === undefined || snapshot === undefined) return;
    if (seen - (this.#saved.get(index) ?? 0) < COMMITS_WORTH_SAVING) return;
    this.#saved.set(index, seen);
    const bytes = await encodeIndex(rid, snapshot);
    if (bytes !== undefined) await cache.write(nameOf(rid), bytes);
  }

  /** Once: whatever it is, it will be so again, and everything works without. */
  #complain(error: unknown): void {
    if (!this.#hasComplained) this.#sources.log("warn", "Indexes of history are not saved", error);
    this.#hasComplained = true;
  }
}

/**
 * Finds out which paths the commits change that have not been looked at, {@link COMMITS_PER_SAVE} at most, the newest of them first. Tells whether
 * these were the last.
 */
async function listPaths(lister: PathLister, index: CommitIndex): Promise<boolean> {
  const { paths } = index;
  const rows: number[] = [];
  let row = 0;
  for (; row < index.size && rows.length < COMMITS_PER_SAVE; row++) {
    if (isPending(index, row)) rows.push(row);
    if (row % ROWS_PER_PAUSE === 0) await pause();
  }
  rows.sort((a, b) => index.timeOf(b) - index.timeOf(a));
  let sliceEnd = performance.now() + SLICE_MS;
  for (const row of rows) {
    const before = index.parentCount(row) === 0 ? undefined : index.treeOf(index.parentOf(row, 0));
    paths.set(row, await lister.list(before, index.treeOf(row)));
    if (performance.now() < sliceEnd) continue;
    await pause();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return row >= index.size;
}

/** Whether a commit is still to be looked at. Of a parent that is missing nobody knows what it had; it may come yet. */
function isPending(index: CommitIndex, row: number): boolean {
  return index.paths.listingOf(row) === Listing.pending && index.isReadable(row) &&
    (index.parentCount(row) === 0 || index.isReadable(index.parentOf(row, 0)));
}

/** Lets others work, as long as they have something to do; not for ever, though. */
async function pause(): Promise<void> {
  for (let pauses = 0; pauses < MAX_PAUSES; pauses++) {
    const start = performance.now();
    await new Promise<void>((resume) => startUnattendedTimer(PAUSE_MS, resume));
    if (performance.now() - start < 2 * PAUSE_MS) return;
  }
}

function nameOf(rid: RepoId): string {
  return `${rid.slice("rad:".length)}.commits`;
}

/**
 * Finds changed repositories. The node reports most changes, and scans of all repositories find all other
 * changes.
 */
import type { Environment, RadicleNode, RepoId, Storage, Task } from "../../../src/mod.ts";
import type { PublishedHome } from "./published_home.ts";

/** Delay between two steps of a search, in milliseconds. */
export const SCAN_MS = 500;
/** Fraction of {@link SCAN_MS} for which a step may scan repositories. */
const SCAN_SHARE = 0.25;
/**
 * Fraction of {@link SCAN_MS} for which a step may scan while the node reports changes. A scan then finds
 * only changes that the node did not notice.
 */
const REPORTED_SCAN_SHARE = 0.05;
/**
 * Maximum number of repositories that the node can report between two steps. A scan finds further changes.
 */
const MAX_REPORTED = 100_000;

export interface ChangeSearchOptions {
  readonly storage: Storage;
  readonly home: Pick<PublishedHome, "isDue" | "states">;
  /** Reports changes, if it has `watchChanges`. */
  readonly node?: Pick<RadicleNode, "watchChanges"> | undefined;
  readonly task: Task;
  readonly nowMs: () => number;
  readonly log: Environment["log"];
}

/** A scan of all repositories. Each step does a part of the scan. */
interface Scan {
  rids: readonly RepoId[];
  at: number;
  /** Whether the node has reported every change since the scan began. */
  isWatching: boolean;
}

/** Searches for changed repositories, step by step. */
export class ChangeSearch {
  readonly #options: ChangeSearchOptions;
  readonly #reported = new Set<RepoId>();
  #scan: Scan | undefined;
  /** Whether the node currently reports changes. */
  #isWatching = false;
  /** Whether a complete scan has found all changes from before the node began to report changes. */
  #isCurrent = false;

  constructor(options: ChangeSearchOptions) {
    this.#options = options;
  }

  /** Receives the reports of the node until the signal is aborted. The promise never rejects. */
  async watchNode(signal: AbortSignal): Promise<void> {
    const { node, log } = this.#options;
    const stop = () => {
      this.#isWatching = false;
      this.#missSome();
    };
    const watch = async () =>
      await node?.watchChanges?.({
        onOpen: () => {
          this.#missSome();
          this.#isWatching = true;
        },
        onStopped: stop,
        onChange: (rid) => {
          if (rid === undefined || this.#reported.size >= MAX_REPORTED) this.#missSome();
          else this.#reported.add(rid);
        },
      }, signal);
    await watch().catch((error) => {
      stop();
      log("warn", "Cannot receive events from the node", error);
    });
  }

  /**
   * Does one step: visits the repositories that the node has reported, and some of the other repositories.
   *
   * @param isBusy Whether a publication of the repository runs or waits. The next step then visits the
   *   repository again.
   */
  async step(isBusy: (rid: RepoId) => boolean, onChanged: (rid: RepoId) => Promise<void>): Promise<void> {
    const { storage, home, task, nowMs } = this.#options;
    const visit = async (rid: RepoId) => {
      if (await home.isDue(rid)) await onChanged(rid);
    };
    // Repositories that the node reports during this step wait for the next step. Otherwise the step would
    // never end on a busy machine.
    for (const rid of [...this.#reported]) {
      await task.yield();
      if (!isBusy(rid)) this.#reported.delete(rid);
      await visit(rid);
    }
    const budgetMs = SCAN_MS * (this.#isWatching && this.#isCurrent ? REPORTED_SCAN_SHARE : SCAN_SHARE);
    this.#scan ??= { rids: [], at: 0, isWatching: this.#isWatching };
    const scan = this.#scan;
    if (scan.at === 0) scan.rids = [...new Set([...await storage.repositoryIds(), ...home.states.rids()])];
    // The time that other tasks use between two visits does not count toward the limit of the step.
    for (let usedMs = 0; scan.at < scan.rids.length && usedMs < budgetMs;) {
      await task.yield();
      const startedMs = nowMs();
      await visit(scan.rids[scan.at++]!);
      usedMs += nowMs() - startedMs;
    }
    if (scan.at < scan.rids.length) return;
    this.#scan = undefined;
    this.#isCurrent = scan.isWatching;
  }

  /** Marks that a change may have been missed. The next complete scan finds it. */
  #missSome(): void {
    if (this.#scan !== undefined) this.#scan.isWatching = false;
    this.#isCurrent = false;
  }
}

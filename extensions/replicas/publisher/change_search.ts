/** Finds repositories that have changed: the node tells of most, and looks at all find the rest. */
import type { RepoId } from "../../../src/ids/rid.ts";
import type { Environment } from "../../../src/ports/environment.ts";
import type { RadicleNode } from "../../../src/ports/radicle_node.ts";
import type { Storage } from "../../../src/ports/storage.ts";
import type { Task } from "../../../src/scheduling/task.ts";
import type { PublishedHome } from "./published_home.ts";

/** Pause between two steps of a search, in milliseconds. */
export const LOOK_MS = 500;
/** Looks may take this part of the time. */
const LOOK_SHARE = 0.25;
/** The same while the node tells of changes: a look finds what was changed past it. */
export const HEARING_LOOK_SHARE = 0.05;
/** Most repositories that the node tells of in a step. Of more, a look finds the rest. */
export const MAX_HEARD = 100_000;

/** Parts of a {@link ChangeSearch}. */
export interface ChangeSearchDependencies {
  readonly storage: Storage;
  readonly home: Pick<PublishedHome, "isDue" | "states">;
  /** Tells of changes, if it can. */
  readonly node?: Pick<RadicleNode, "hearChanges"> | undefined;
  readonly task: Task;
  readonly nowMs: () => number;
  readonly log: Environment["log"];
}

/** A look at all repositories, of which each step does a part. */
interface Look {
  rids: readonly RepoId[];
  at: number;
  /** Whether the node has told of all changes since it began. */
  isHearing: boolean;
}

/** Searches changed repositories, step by step. */
export class ChangeSearch {
  readonly #dependencies: ChangeSearchDependencies;
  readonly #heard = new Set<RepoId>();
  #look: Look | undefined;
  /** Whether the node tells of changes now. */
  #isHearing = false;
  /** Whether a look has found all that was changed before the node told of changes. */
  #isCurrent = false;

  constructor(dependencies: ChangeSearchDependencies) {
    this.#dependencies = dependencies;
  }

  /** Hears the node until the signal is aborted. Never rejects. */
  async hear(signal: AbortSignal): Promise<void> {
    const { node, log } = this.#dependencies;
    const stop = () => {
      this.#isHearing = false;
      this.#missSome();
    };
    const hear = async () =>
      await node?.hearChanges?.({
        onOpen: () => {
          this.#missSome();
          this.#isHearing = true;
        },
        onStopped: stop,
        onChange: (rid) => {
          if (rid === undefined || this.#heard.size >= MAX_HEARD) this.#missSome();
          else this.#heard.add(rid);
        },
      }, signal);
    await hear().catch((error) => {
      stop();
      log("warn", "Cannot hear the node", error);
    });
  }

  /**
   * Does a step: looks at the repositories of which the node has told, and at some of the others.
   *
   * @param isBusy Whether a repository is published now: it is looked at again with the next step.
   */
  async step(isBusy: (rid: RepoId) => boolean, onChanged: (rid: RepoId) => Promise<void>): Promise<void> {
    const { storage, home, task, nowMs } = this.#dependencies;
    const visit = async (rid: RepoId) => {
      if (await home.isDue(rid)) await onChanged(rid);
    };
    // Not those of which it tells meanwhile: on a busy machine the step would never end.
    for (const rid of [...this.#heard]) {
      await task.yield();
      if (!isBusy(rid)) this.#heard.delete(rid);
      await visit(rid);
    }
    const budgetMs = LOOK_MS * (this.#isHearing && this.#isCurrent ? HEARING_LOOK_SHARE : LOOK_SHARE);
    this.#look ??= { rids: [], at: 0, isHearing: this.#isHearing };
    const look = this.#look;
    if (look.at === 0) look.rids = [...new Set([...await storage.repositoryIds(), ...home.states.rids()])];
    // The time of others between two repositories does not count.
    for (let usedMs = 0; look.at < look.rids.length && usedMs < budgetMs;) {
      await task.yield();
      const startedMs = nowMs();
      await visit(look.rids[look.at++]!);
      usedMs += nowMs() - startedMs;
    }
    if (look.at < look.rids.length) return;
    this.#look = undefined;
    this.#isCurrent = look.isHearing;
  }

  /** A change may have been missed: the next whole look finds it. */
  #missSome(): void {
    if (this.#look !== undefined) this.#look.isHearing = false;
    this.#isCurrent = false;
  }
}

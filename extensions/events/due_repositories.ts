/**
 * Chooses the repositories that a check for changes reads, if there are too many repositories to read all of
 * them. Repositories with reported changes come first. A few other repositories are read in turn in each
 * check.
 */
import type { CataloguedStorage, ChangesPlace, RepoId, Storage } from "../../src/mod.ts";
import { MAX_WATCHED } from "./moved_references.ts";

/**
 * Maximum number of repositories that a check reads. If this many repositories have changed, the check reads
 * one more repository in turn. Reading a repository may require a request to a bucket.
 */
export const READS_IN_A_CHECK = 16;
/**
 * Maximum number of checks that read a changed repository until its change is found. The storage may show the
 * change a few seconds after it has reported the change.
 */
export const CHECKS_AFTER_CHANGE = 10;
/**
 * Minimum number of repositories that each check reads in turn, to find changes that the storage did not
 * report.
 */
const LEAST_TURNS = 1;

export interface DueRepository {
  readonly rid: RepoId;
  /** Whether the repository is known to have changed. */
  readonly hasChanged: boolean;
}

/** Decides which repositories of a storage the next check has to read. */
export class DueRepositories {
  readonly #storage: Pick<Storage, "repositoryIds">;
  readonly #changesAfter: CataloguedStorage["changesAfter"];
  /** Changed repositories, with the number of checks that still have to read the repository. */
  readonly #changed = new Map<RepoId, number>();
  #place: ChangesPlace | undefined;
  #listed: ReadonlySet<RepoId> | undefined;
  /**
   * Whether the storage has missed changes since the last list of repositories; `true` before the first list.
   */
  #hasMissed = true;
  /** Number of repositories that still have to be read in turn, because the storage has missed changes. */
  #missedTurns = 0;
  #turns = 0;

  constructor(
    storage: Pick<Storage, "repositoryIds">,
    changesAfter: CataloguedStorage["changesAfter"],
  ) {
    this.#storage = storage;
    this.#changesAfter = changesAfter;
  }

  /**
   * Asks the storage which repositories have changed, and then lists all repositories. The order matters,
   * because the list must contain the changes. Call this method once before each call of {@link take}.
   *
   * @returns the ids of the listed repositories.
   */
  async update(): Promise<readonly RepoId[]> {
    const changes = await this.#changesAfter(this.#place);
    this.#place = changes.place;
    this.#hasMissed ||= changes.hasMissed;
    for (const rid of changes.rids) this.#expect(rid);
    const rids = (await this.#storage.repositoryIds()).slice(0, MAX_WATCHED);
    const listed = new Set(rids);
    const before = this.#listed ?? listed;
    for (const rid of listed) if (!before.has(rid)) this.#expect(rid);
    for (const rid of before) if (!listed.has(rid)) this.#expect(rid);
    this.#listed = listed;
    if (this.#hasMissed) this.#missedTurns = rids.length;
    this.#hasMissed = false;
    return rids;
  }

  /**
   * Returns the repositories that the next check has to read.
   *
   * @param rids The result of {@link update}.
   */
  take(rids: readonly RepoId[]): readonly DueRepository[] {
    const due = new Map<RepoId, boolean>();
    for (const [rid, left] of [...this.#changed].slice(0, READS_IN_A_CHECK)) {
      due.set(rid, true);
      // A repository that is read again later moves to the end of the map.
      this.#changed.delete(rid);
      if (left > 1) this.#changed.set(rid, left - 1);
    }
    const turns = Math.max(LEAST_TURNS, Math.min(this.#missedTurns, READS_IN_A_CHECK - due.size));
    this.#missedTurns = Math.max(0, this.#missedTurns - turns);
    for (let i = 0; i < Math.min(turns, rids.length); i++) {
      const rid = rids[this.#turns % rids.length]!;
      this.#turns++;
      if (!due.has(rid)) due.set(rid, false);
    }
    return [...due].map(([rid, hasChanged]) => ({ rid, hasChanged }));
  }

  /**
   * Call this method when the change of a repository was found. Further checks then do not read the
   * repository for this change.
   */
  found(rid: RepoId): void {
    this.#changed.delete(rid);
  }

  #expect(rid: RepoId): void {
    this.#changed.delete(rid);
    this.#changed.set(rid, CHECKS_AFTER_CHANGE);
  }
}

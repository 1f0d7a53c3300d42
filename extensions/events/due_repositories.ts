/**
 * Chooses the repositories that one check for changes reads, if a storage has too many repositories to read
 * all of them in each check. Repositories that the storage reports as changed come first, together with
 * repositories that were added to the storage's list or removed from the list. All other repositories are
 * read in turn, a few in each check.
 */
import type { CataloguedStorage, ChangesPlace, RepoId, Storage } from "../../src/mod.ts";
import { MAX_WATCHED } from "./moved_references.ts";

/**
 * Maximum number of repositories that a check reads. If this many repositories have changed, the check reads
 * one more repository in turn. Reading a repository may require a request to a bucket.
 */
export const READS_IN_A_CHECK = 16;
/**
 * Maximum number of checks that read a changed repository until the change is found. Several checks may be
 * necessary, because the list may be a few seconds newer than the repository, and a bucket may be slow.
 */
export const CHECKS_AFTER_CHANGE = 10;
/**
 * Minimum number of repositories that each check reads in turn. These reads find changes that the storage has
 * missed without reporting that it has missed changes.
 */
const LEAST_TURNS = 1;

/** A repository that a check has to read. */
export interface DueRepository {
  readonly rid: RepoId;
  /** Whether the repository is known to have changed. */
  readonly hasChanged: boolean;
}

/** The repositories of one storage. Decides which of these repositories the next check has to read. */
export class DueRepositories {
  readonly #storage: Pick<Storage, "repositoryIds">;
  readonly #changesAfter: CataloguedStorage["changesAfter"];
  /** Changed repositories, with the number of checks that still have to read them. */
  readonly #changed = new Map<RepoId, number>();
  #place: ChangesPlace | undefined;
  #listed: ReadonlySet<RepoId> | undefined;
  /**
   * Whether the storage has missed changes since the last list of repositories. It is `true` before the first
   * list.
   */
  #hasMissed = true;
  /**
   * After changes were missed, every repository has to be read in turn. This is the number of reads that are
   * left.
   */
  #missedTurns = 0;
  /** Number of repositories that have been read in turn so far. */
  #turns = 0;

  constructor(
    storage: Pick<Storage, "repositoryIds">,
    changesAfter: CataloguedStorage["changesAfter"],
  ) {
    this.#storage = storage;
    this.#changesAfter = changesAfter;
  }

  /**
   * Requests from the storage which repositories have changed, and then lists all repositories. The list is
   * read second, so that it contains these changes. Call this method once before each call of {@link take}.
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
   * Returns the repositories that this check has to read.
   *
   * @param rids The listed repositories, as {@link update} returns them.
   */
  take(rids: readonly RepoId[]): readonly DueRepository[] {
    const due = new Map<RepoId, boolean>();
    for (const [rid, left] of [...this.#changed].slice(0, READS_IN_A_CHECK)) {
      due.set(rid, true);
      // If more checks have to read this repository, it is moved to the end of the map.
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
   * Reports that the change of a repository was found. Further checks then do not have to read the repository
   * again for this change.
   */
  found(rid: RepoId): void {
    this.#changed.delete(rid);
  }

  #expect(rid: RepoId): void {
    this.#changed.delete(rid);
    this.#changed.set(rid, CHECKS_AFTER_CHANGE);
  }
}

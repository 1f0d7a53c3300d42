/**
 * Chooses the repositories that a check reads, for a storage that is too large to read all its repositories
 * in each check. Repositories that the storage reports as changed come first, and repositories that were
 * added to its list or removed from it. The other repositories are read in turn.
 */
import type { CataloguedStorage, ChangesPlace, RepoId, Storage } from "../../src/mod.ts";
import { MAX_WATCHED } from "./moved_references.ts";

/**
 * Maximum number of repositories that a check reads. One more repository is read in turn if all of these have
 * changed. Reading a repository may need a read of a bucket.
 */
export const READS_IN_A_CHECK = 16;
/**
 * Number of checks that read a changed repository again if they do not find the change. They are necessary
 * because the list may be a few seconds newer than the repository, and a bucket may be slow.
 */
export const CHECKS_AFTER_CHANGE = 10;
/**
 * Minimum number of repositories that each check reads in turn, in case the storage has missed a change
 * without reporting it.
 */
const LEAST_TURNS = 1;

/** A repository that a check has to read. */
export interface DueRepository {
  readonly rid: RepoId;
  /** Whether the repository is known to have changed. */
  readonly hasChanged: boolean;
}

/** The repositories of one storage, and which of them are due. */
export class DueRepositories {
  readonly #storage: Pick<Storage, "repositoryIds">;
  readonly #changesAfter: CataloguedStorage["changesAfter"];
  /** Changed repositories, with the number of checks that still have to read them. */
  readonly #changed = new Map<RepoId, number>();
  #place: ChangesPlace | undefined;
  #listed: ReadonlySet<RepoId> | undefined;
  /** Whether changes were missed since the last list of repositories. */
  #hasMissed = true;
  /** Number of reads in turn until every repository has been read after changes were missed. */
  #missedTurns = 0;
  /** Number of reads in turn so far. */
  #turns = 0;

  constructor(
    storage: Pick<Storage, "repositoryIds">,
    changesAfter: CataloguedStorage["changesAfter"],
  ) {
    this.#storage = storage;
    this.#changesAfter = changesAfter;
  }

  /**
   * Reads from the storage which repositories have changed, and then lists all repositories, so that the list
   * contains these changes. Call it once before {@link take}.
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

  /** Returns the repositories that this check has to read, of the given repositories. */
  take(rids: readonly RepoId[]): readonly DueRepository[] {
    const due = new Map<RepoId, boolean>();
    for (const [rid, left] of [...this.#changed].slice(0, READS_IN_A_CHECK)) {
      due.set(rid, true);
      // The repository is moved to the end of the map.
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

  /** Reports that the change of a repository was found. */
  found(rid: RepoId): void {
    this.#changed.delete(rid);
  }

  #expect(rid: RepoId): void {
    this.#changed.delete(rid);
    this.#changed.set(rid, CHECKS_AFTER_CHANGE);
  }
}

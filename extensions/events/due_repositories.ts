/**
 * Which repositories a check reads in a storage that is too large to read them all: first those that have
 * changed, as the storage says, and those that came to its list or left it; then the others in turn.
 */
import type { CataloguedStorage, ChangesPlace, RepoId, Storage } from "../../src/mod.ts";
import { MAX_WATCHED } from "./moved_references.ts";

/** Repositories that a check reads. Each may cost a read of a bucket. */
export const READS_IN_A_CHECK = 16;
/**
 * Checks that read a changed repository again if they do not find the change: the list may be a few seconds
 * ahead of the repository, and a bucket may be slow.
 */
export const CHECKS_AFTER_CHANGE = 10;
/** Repositories that a check reads in turn while the storage misses nothing, in case it does after all. */
const LEAST_TURNS = 1;

/** A repository to read now. */
export interface DueRepository {
  readonly rid: RepoId;
  /** Whether it is known to have changed. */
  readonly hasChanged: boolean;
}

/** The repositories of one storage. */
export class DueRepositories {
  readonly #storage: Pick<Storage, "repositoryIds">;
  readonly #changesAfter: CataloguedStorage["changesAfter"];
  /** Changed repositories, and how many more checks read them. */
  readonly #changed = new Map<RepoId, number>();
  #place: ChangesPlace | undefined;
  #listed: ReadonlySet<RepoId> | undefined;
  /** Whether changes were missed since the last list. */
  #hasMissed = true;
  /** Turns until every repository has been read since changes were missed. */
  #missedTurns = 0;
  /** Turns that were taken. */
  #turns = 0;

  constructor(
    storage: Pick<Storage, "repositoryIds">,
    changesAfter: CataloguedStorage["changesAfter"],
  ) {
    this.#storage = storage;
    this.#changesAfter = changesAfter;
  }

  /**
   * Asks which repositories have changed, then lists all repositories: the list has these changes. Call it
   * once before {@link take}.
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

  /** The repositories that this check reads, of those listed. */
  take(rids: readonly RepoId[]): readonly DueRepository[] {
    const due = new Map<RepoId, boolean>();
    for (const [rid, left] of [...this.#changed].slice(0, READS_IN_A_CHECK)) {
      due.set(rid, true);
      // It goes to the end of the map.
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

  /** Says that the change of a repository was found. */
  found(rid: RepoId): void {
    this.#changed.delete(rid);
  }

  #expect(rid: RepoId): void {
    this.#changed.delete(rid);
    this.#changed.set(rid, CHECKS_AFTER_CHANGE);
  }
}

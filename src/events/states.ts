/** The last known state of each repository, to tell what changes: bounded, in number and in memory. */
import type { ResolvedRef } from "../git/references.ts";
import type { RepoId } from "../ids/rid.ts";

/** Most repositories that are watched. */
export const MAX_WATCHED = 20_000;
/** Most references of one repository that are held, and of all together. */
export const [MAX_REFERENCES_OF_ONE, MAX_REFERENCES_OF_ALL] = [20_000, 100_000];

/** A repository as it was looked at last. */
export interface RepositoryState {
  /** Version of the references (`Repository.refsVersion`), where the storage has one. */
  readonly version: number | undefined;
  readonly isPublic: boolean;
  /** Digest of all references. */
  readonly digest: string;
  /** The references, unless they are too many: then only that they have changed can be told. */
  readonly refs: readonly ResolvedRef[] | undefined;
}

/** The states. */
export class RepositoryStates {
  readonly #states = new Map<RepoId, RepositoryState>();
  #references = 0;

  get size(): number {
    return this.#states.size;
  }

  rids(): readonly RepoId[] {
    return [...this.#states.keys()];
  }

  entries(): IterableIterator<[RepoId, RepositoryState]> {
    return this.#states.entries();
  }

  get(rid: RepoId): RepositoryState | undefined {
    return this.#states.get(rid);
  }

  /** Sets a state, without its references when there is no room for them; or forgets the repository. */
  set(rid: RepoId, state: RepositoryState | undefined): void {
    this.#references -= this.#states.get(rid)?.refs?.length ?? 0;
    if (state === undefined) return void this.#states.delete(rid);
    const count = state.refs?.length ?? 0;
    const hasRoom = count <= MAX_REFERENCES_OF_ONE && this.#references + count <= MAX_REFERENCES_OF_ALL;
    if (hasRoom) this.#references += count;
    this.#states.set(rid, hasRoom ? state : { ...state, refs: undefined });
  }
}

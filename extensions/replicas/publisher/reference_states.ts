/** The states of the references of repositories before the last comparison with the bucket. */
import {
  digestOfRefs,
  type RepoId,
  type Repository,
  resolveRefs,
  type Storage,
  type Task,
} from "../../../src/mod.ts";

/** The state of a repository's references at one point in time. */
export interface ReferencesState {
  /** Version from {@link Repository.refsVersion}; `undefined` if the repository has no versions. */
  readonly version: number | undefined;
  /** Digest of all references. */
  readonly digest: string;
}

/** The last known states. They are compared with the storage on demand. */
export class ReferenceStates {
  readonly #storage: Storage;
  readonly #task: Task;
  readonly #states = new Map<RepoId, ReferencesState>();

  /** @param task Task in which references are read. */
  constructor(storage: Storage, task: Task) {
    this.#storage = storage;
    this.#task = task;
  }

  rids(): IterableIterator<RepoId> {
    return this.#states.keys();
  }

  /** Sets the state of a repository, or removes it for `undefined`. */
  set(rid: RepoId, state: ReferencesState | undefined): void {
    if (state === undefined) this.#states.delete(rid);
    else this.#states.set(rid, state);
  }

  /** Returns the current state of a repository, or `undefined` when it is not in the storage. */
  async read(rid: RepoId): Promise<ReferencesState | undefined> {
    const repository = await this.#storage.repository(rid);
    return repository && await readState(repository, this.#task);
  }

  /**
   * Checks whether the references of a repository have changed since the last known state.
   *
   * @param trustsVersion Whether equal versions prove that the references are the same, so that they are not
   *   read.
   */
  async hasChanged(rid: RepoId, trustsVersion: boolean): Promise<boolean> {
    const known = this.#states.get(rid);
    const repository = await this.#storage.repository(rid);
    if (known === undefined) return repository !== undefined;
    const isTrusted = trustsVersion && known.version !== undefined;
    if (isTrusted && await repository?.refsVersion?.() === known.version) return false;
    const state = repository && await readState(repository, this.#task);
    if (state?.digest !== known.digest) return true;
    if (state !== undefined) this.#states.set(rid, state);
    return false;
  }
}

async function readState(repository: Repository, task: Task): Promise<ReferencesState> {
  // The version is read first, because it must not belong to a later state than the references.
  const version = await repository.refsVersion?.();
  const head = await repository.ref("HEAD");
  const digest = await digestOfRefs(await resolveRefs(repository, "refs/", task), task);
  return { version, digest: `${digest} ${head?.oid ?? head?.target}` };
}

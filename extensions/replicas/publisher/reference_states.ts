/** The references of repositories as they were before the last comparison with the bucket. */
import {
  digestOfRefs,
  type RepoId,
  type Repository,
  resolveRefs,
  type Storage,
  type Task,
} from "../../../src/mod.ts";

/** References of a repository at one point in time. */
export interface ReferencesState {
  /** See {@link Repository.refsVersion}. */
  readonly version: number | undefined;
  /** Digest of all references. */
  readonly digest: string;
}

/** The last known states, compared with the storage on demand. */
export class ReferenceStates {
  readonly #storage: Storage;
  readonly #task: Task;
  readonly #states = new Map<RepoId, ReferencesState>();

  /** @param task The work of the publisher. */
  constructor(storage: Storage, task: Task) {
    this.#storage = storage;
    this.#task = task;
  }

  rids(): IterableIterator<RepoId> {
    return this.#states.keys();
  }

  /** Sets the state of a repository, or drops it. */
  set(rid: RepoId, state: ReferencesState | undefined): void {
    if (state === undefined) this.#states.delete(rid);
    else this.#states.set(rid, state);
  }

  /** The present state of a repository; `undefined` when it is not in the storage. */
  async read(rid: RepoId): Promise<ReferencesState | undefined> {
    const repository = await this.#storage.repository(rid);
    return repository && await readState(repository, this.#task);
  }

  /**
   * Whether references have changed.
   *
   * @param trustsVersion Skips reading them if the version in the storage is the same.
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
  // The version is read first: it must not belong to a later state than the references.
  const version = await repository.refsVersion?.();
  const head = await repository.ref("HEAD");
  const digest = await digestOfRefs(await resolveRefs(repository, "refs/", task), task);
  return { version, digest: `${digest} ${head?.oid ?? head?.target}` };
}

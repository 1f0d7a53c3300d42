/**
 * Opens repositories for clients other than the owner. The refusal of an absent repository takes the same
 * steps as the refusal of a private repository, so that the duration does not reveal whether a private
 * repository exists.
 */
import { isCatalogued } from "../ports/catalogued_storage.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import type { Identities } from "../identity/identity.ts";
import { formatRid, type RepoId } from "../ids/rid.ts";
import type { Repository, Storage } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";

export interface PublicRepository {
  readonly objects: Repository;
  readonly doc: IdentityDoc;
  /** Time at which the visibility was read, in milliseconds of the clock. */
  readonly checkedMs: number;
}

/** An id that no repository has, because no known document has this hash. */
const NOWHERE = formatRid(new Uint8Array(20));

export class PublicRepositories {
  readonly #storage: Storage;
  readonly #identities: Identities;
  readonly #now: () => number;
  /**
   * The private repository that was refused last. When a requested repository is absent, this repository is
   * read instead, so that both refusals take equally long.
   */
  #standIn: RepoId | undefined;

  constructor(storage: Storage, identities: Identities, now: () => number) {
    this.#storage = storage;
    this.#identities = identities;
    this.#now = now;
  }

  /** Opens a repository; `undefined` when it is private or absent. */
  async open(rid: RepoId, task: Task): Promise<PublicRepository | undefined> {
    const objects = await this.#storage.repository(rid);
    const checkedMs = this.#now();
    const doc = objects && await this.#identities.tryDoc(objects, task);
    if (objects !== undefined && doc?.visibility.type === "public") return { objects, doc, checkedMs };
    // Storages of published repositories have no private repositories.
    if (isCatalogued(this.#storage)) return undefined;
    if (objects === undefined) await this.#readStandIn(task);
    else {
      this.#standIn = rid;
      await this.#storage.repository(NOWHERE);
    }
    return undefined;
  }

  async #readStandIn(task: Task): Promise<void> {
    try {
      this.#standIn ??= (await this.#storage.repositoryIds())[0];
      const objects = this.#standIn && await this.#storage.repository(this.#standIn);
      if (objects === undefined) this.#standIn = undefined;
      else await this.#identities.tryDoc(objects, task);
    } catch {
      // The client did not request this repository, so its errors are ignored.
      this.#standIn = undefined;
    }
  }
}

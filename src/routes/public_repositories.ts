/**
 * Opens repositories for strangers. A refusal takes the same steps for a private repository as for an absent
 * one, so that its duration reveals nothing.
 */
import { isCatalogued } from "../ports/catalogued_storage.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import type { Identities } from "../identity/identity.ts";
import { formatRid, type RepoId } from "../ids/rid.ts";
import type { Repository, Storage } from "../ports/storage.ts";
import type { Task } from "../scheduling/task.ts";

/** A public repository and its document. */
export interface PublicRepository {
  readonly objects: Repository;
  readonly doc: IdentityDoc;
  /** When the visibility was read. */
  readonly checkedMs: number;
}

/** The id of a repository that does not exist: no known document has this hash. */
const NOWHERE = formatRid(new Uint8Array(20));

export class PublicRepositories {
  readonly #storage: Storage;
  readonly #identities: Identities;
  readonly #now: () => number;
  /** The repository to read when the requested one is absent: the most recently refused private one. */
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
    // Catalogued storages have no private repositories.
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
      // The stranger did not request this repository, so its errors do not matter.
      this.#standIn = undefined;
    }
  }
}

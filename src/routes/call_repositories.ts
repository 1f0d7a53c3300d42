/**
 * The repositories that one response shows. The owner of the node sees all repositories. Other clients see
 * only public repositories.
 */
import type { RepoId } from "../ids/rid.ts";
import { listingsOf } from "../ports/catalogued_storage.ts";
import type { Task } from "../scheduling/task.ts";
import type { OpenRepository } from "./opened_repository.ts";
import type { Service } from "./service.ts";
import { ShownRepositories } from "./shown_repositories.ts";

export class CallRepositories {
  readonly #service: Service;
  readonly #isOwner: boolean;
  readonly #task: Task;
  #opened: { readonly rid: RepoId; readonly repository: Promise<OpenRepository | undefined> } | undefined;
  /** Public repositories that were opened for a client other than the owner. */
  readonly shown: ShownRepositories;
  /** Whether the response may show private data, so that no cache may store the response. */
  showsPrivate = false;
  /** The repository that the request changed. */
  changed: OpenRepository | undefined;

  constructor(service: Service, isOwner: boolean, task: Task) {
    this.#service = service;
    this.#isOwner = isOwner;
    this.#task = task;
    this.shown = new ShownRepositories((rid) => this.mayRead(rid), service.environment, task);
  }

  /**
   * Opens a repository; `undefined` when the repository does not exist or the client may not see it. The last
   * opened repository is not opened again.
   */
  open(rid: RepoId): Promise<OpenRepository | undefined> {
    if (this.#opened?.rid !== rid) this.#opened = { rid, repository: this.#open(rid) };
    return this.#opened.repository;
  }

  /** Returns the repository that the request has changed, or else the repository that was opened last. */
  async current(): Promise<OpenRepository | undefined> {
    return this.changed ?? await this.#opened?.repository;
  }

  /** Checks whether the client may read a repository now, whatever was opened before. */
  async mayRead(rid: RepoId): Promise<boolean> {
    const { storage, publicRepositories } = this.#service;
    const found = this.#isOwner
      ? await storage.repository(rid)
      : await publicRepositories.open(rid, this.#task);
    return found !== undefined;
  }

  /**
   * Returns the items whose repository the client may see: all items for the owner, and only items of public
   * repositories in the storage for other clients.
   */
  async visibleOf<T>(items: readonly T[], ridOf: (item: T) => RepoId): Promise<readonly T[]> {
    if (this.#isOwner) {
      this.showsPrivate = true;
      return items;
    }
    const listings = await listingsOf(this.#service.storage);
    if (listings !== undefined) {
      const present = await listings.present(items.map(ridOf));
      return items.filter((item) => present.has(ridOf(item)));
    }
    const visible: T[] = [];
    for (const item of items) {
      if (await this.open(ridOf(item)) !== undefined) visible.push(item);
      await this.#task.yield();
    }
    return visible;
  }

  /**
   * Filters policies or inventories of the node as {@link visibleOf} does. If the node names only public
   * repositories, all items are returned without a check.
   */
  async visibleOfNode<T>(items: readonly T[], ridOf: (item: T) => RepoId): Promise<readonly T[]> {
    if (this.#service.node.namesOnlyPublic && !this.#isOwner) return items;
    return await this.visibleOf(items, ridOf);
  }

  async #open(rid: RepoId): Promise<OpenRepository | undefined> {
    const found = this.#isOwner ? await this.#openAny(rid) : await this.#openPublic(rid);
    if (found === undefined) return undefined;
    const graph = this.#service.graphs.current(found.objects);
    return { rid, ...found, graph: graph instanceof Promise ? await graph : graph, task: this.#task };
  }

  async #openAny(rid: RepoId): Promise<Pick<OpenRepository, "objects" | "doc"> | undefined> {
    const objects = await this.#service.storage.repository(rid);
    if (objects === undefined) return undefined;
    const doc = await this.#service.identities.tryDoc(objects, this.#task);
    if (doc?.visibility.type !== "public") this.showsPrivate = true;
    return { objects, doc };
  }

  async #openPublic(rid: RepoId): Promise<Pick<OpenRepository, "objects" | "doc"> | undefined> {
    const found = await this.#service.publicRepositories.open(rid, this.#task);
    if (found === undefined) return undefined;
    const { objects, doc, checkedMs } = found;
    this.shown.add(rid, checkedMs);
    return { objects, doc };
  }
}

/** Repositories that wait to be added to a list in the bucket. Only public repositories are added. */
import { Limiter, type RepoId } from "../../../src/mod.ts";

/** Decides which repositories are public. */
export interface Shown {
  /** Checks whether a repository exists and is public now. */
  readonly isPublic: (rid: RepoId) => Promise<boolean>;
}

/** Puts a list to which some repositories are added, and from which others are removed. */
type PutList<T> = (added: ReadonlyMap<RepoId, T>, removed: ReadonlySet<RepoId>) => Promise<void>;

/** A queue of repositories to be added to a list. Only one caller at a time puts the list. */
export class ShownQueue<T> {
  readonly #waiting = new Map<RepoId, T>();
  readonly #puts = new Limiter({ atOnce: 1 });
  readonly #shown: Shown;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Adds a repository at the end. The value replaces an earlier value of the same repository. */
  add(rid: RepoId, value: T): void {
    this.#waiting.delete(rid);
    this.#waiting.set(rid, value);
  }

  /** Removes repositories from the queue. By default, removes all repositories. */
  forget(rids: Iterable<RepoId> = [...this.#waiting.keys()]): void {
    for (const rid of rids) this.#waiting.delete(rid);
  }

  /** Runs work on the list. No other caller runs work on the list at the same time. */
  run<R>(work: () => Promise<R>): Promise<R> {
    return this.#puts.run(work);
  }

  /**
   * Puts the list with the queued repositories. Must be called within {@link run}. Repositories that are not
   * public are removed from the list, even if they become private during the put.
   *
   * @param removed Further repositories to remove.
   */
  async put(put: PutList<T>, removed: Iterable<RepoId> = []): Promise<void> {
    const waiting = new Map(this.#waiting);
    const gone = new Set([...removed, ...await this.#notPublic(waiting.keys())]);
    const added = new Map([...waiting].filter(([rid]) => !gone.has(rid)));
    await put(added, gone);
    for (const [rid, value] of waiting) if (this.#waiting.get(rid) === value) this.#waiting.delete(rid);
    // A repository may have become private after the check before the put.
    const late = await this.#notPublic(added.keys());
    if (late.length > 0) await put(new Map(), new Set(late));
  }

  async #notPublic(rids: Iterable<RepoId>): Promise<readonly RepoId[]> {
    const found: RepoId[] = [];
    for (const rid of rids) if (!await this.#shown.isPublic(rid)) found.push(rid);
    return found;
  }
}

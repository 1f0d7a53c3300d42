/** Repositories that wait until a list in the bucket names them. Only public ones are named. */
import { Limiter, type RepoId } from "../../../src/mod.ts";

/** Decides what strangers may see. */
export interface Shown {
  /** Whether a repository exists and is public now. */
  readonly isPublic: (rid: RepoId) => Promise<boolean>;
}

/** Puts a list with some repositories added, and others removed. */
type PutList<T> = (added: ReadonlyMap<RepoId, T>, removed: ReadonlySet<RepoId>) => Promise<void>;

/** Repositories to be added to a list. One caller at a time puts the list. */
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

  /** Adds a repository at the end. It replaces an earlier value of the same repository. */
  add(rid: RepoId, value: T): void {
    this.#waiting.delete(rid);
    this.#waiting.set(rid, value);
  }

  /** Removes repositories from the queue; all of them by default. */
  forget(rids: Iterable<RepoId> = [...this.#waiting.keys()]): void {
    for (const rid of rids) this.#waiting.delete(rid);
  }

  /** Runs work on the list while no other caller puts it. */
  run<R>(work: () => Promise<R>): Promise<R> {
    return this.#puts.run(work);
  }

  /**
   * Puts the repositories in the queue, within {@link run}. Repositories that are not public are removed from
   * the list, also if they become private during the put.
   *
   * @param removed Further repositories to remove.
   */
  async put(put: PutList<T>, removed: Iterable<RepoId> = []): Promise<void> {
    const waiting = new Map(this.#waiting);
    const gone = new Set([...removed, ...await this.#notPublic(waiting.keys())]);
    const added = new Map([...waiting].filter(([rid]) => !gone.has(rid)));
    await put(added, gone);
    for (const [rid, value] of waiting) if (this.#waiting.get(rid) === value) this.#waiting.delete(rid);
    // A repository may have become private between the check before the put and the put.
    const late = await this.#notPublic(added.keys());
    if (late.length > 0) await put(new Map(), new Set(late));
  }

  async #notPublic(rids: Iterable<RepoId>): Promise<readonly RepoId[]> {
    const found: RepoId[] = [];
    for (const rid of rids) if (!await this.#shown.isPublic(rid)) found.push(rid);
    return found;
  }
}

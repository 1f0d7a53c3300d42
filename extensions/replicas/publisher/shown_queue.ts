/** Repositories of which a list of the bucket is to tell: it names them while they are public. */
import type { RepoId } from "../../../src/ids/rid.ts";
import { Limiter } from "../../../src/scheduling/limiter.ts";

/** Tells what strangers may see. */
export interface Shown {
  /** Whether a repository is there and public now. */
  readonly isPublic: (rid: RepoId) => Promise<boolean>;
}

/** Puts a list with some repositories added, and others removed. */
type PutList<T> = (added: ReadonlyMap<RepoId, T>, removed: ReadonlySet<RepoId>) => Promise<void>;

/** Repositories that wait to be told of. The list is put by one caller at a time. */
export class ShownQueue<T> {
  readonly #waiting = new Map<RepoId, T>();
  readonly #puts = new Limiter({ atOnce: 1 });
  readonly #shown: Shown;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /** Number of repositories that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Adds a repository, behind the others, in place of what waited of it. */
  add(rid: RepoId, value: T): void {
    this.#waiting.delete(rid);
    this.#waiting.set(rid, value);
  }

  /** Nothing of these repositories waits any more; by default of none. */
  forget(rids: Iterable<RepoId> = [...this.#waiting.keys()]): void {
    for (const rid of rids) this.#waiting.delete(rid);
  }

  /** Does something with the list while nobody else puts it. */
  run<R>(work: () => Promise<R>): Promise<R> {
    return this.#puts.run(work);
  }

  /**
   * Puts what waits, within {@link run}. What is not public is removed, also when that is seen after the put.
   *
   * @param removed Further repositories that are removed.
   */
  async put(put: PutList<T>, removed: Iterable<RepoId> = []): Promise<void> {
    const waiting = new Map(this.#waiting);
    const gone = new Set([...removed, ...await this.#notPublic(waiting.keys())]);
    const added = new Map([...waiting].filter(([rid]) => !gone.has(rid)));
    await put(added, gone);
    for (const [rid, value] of waiting) if (this.#waiting.get(rid) === value) this.#waiting.delete(rid);
    // A repository may have become private between the look before the put and the put.
    const late = await this.#notPublic(added.keys());
    if (late.length > 0) await put(new Map(), new Set(late));
  }

  async #notPublic(rids: Iterable<RepoId>): Promise<readonly RepoId[]> {
    const found: RepoId[] = [];
    for (const rid of rids) if (!await this.#shown.isPublic(rid)) found.push(rid);
    return found;
  }
}

/**
 * A queue of changes per repository: a change that reads, decides and writes must not interleave with another
 * one.
 */
import type { RepoId } from "../ids/rid.ts";

/**
 * Queued changes of this process. Locks order the changes of several processes; this queue orders the
 * requests of one.
 */
export class WriteQueue {
  /** The last queued change of each repository. */
  readonly #last = new Map<RepoId, Promise<void>>();

  /**
   * Runs `change` after all earlier changes of the repository, whether they succeeded or failed; settles as
   * it does.
   */
  run<T>(rid: RepoId, change: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(rid) ?? Promise.resolve()).then(change);
    const end = result.then(() => {}, () => {}).finally(() => {
      if (this.#last.get(rid) === end) this.#last.delete(rid);
    });
    this.#last.set(rid, end);
    return result;
  }
}

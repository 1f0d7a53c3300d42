/** One change of a repository after the other: what reads, decides and writes must not be mixed with what others write meanwhile. */
import type { RepoId } from "../ids/rid.ts";

/** Changes that wait for their turn. Locks are for other processes; this queue is for the requests of this one. */
export class WriteQueue {
  /** The last change of each repository that is under way or waiting. */
  readonly #last = new Map<RepoId, Promise<void>>();

  /** Runs `change` when all earlier changes of that repository have ended, however they did; answers or fails as it does. */
  run<T>(rid: RepoId, change: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(rid) ?? Promise.resolve()).then(change);
    const end = result.then(() => {}, () => {}).finally(() => {
      if (this.#last.get(rid) === end) this.#last.delete(rid);
    });
    this.#last.set(rid, end);
    return result;
  }
}

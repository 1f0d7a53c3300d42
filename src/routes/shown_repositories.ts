/**
 * The public repositories that a response shows to a client other than the owner. A repository may become
 * private while the response is created or sent, so its visibility is checked repeatedly.
 */
import { byteStream } from "../bytes/byte_stream.ts";
import type { Answer } from "../http/answer.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Environment } from "../ports/environment.ts";
import type { Task } from "../scheduling/task.ts";

/**
 * Time for which a repository counts as public after a check, in milliseconds. Afterwards the repository is
 * checked again before more of the response is sent.
 */
export const PUBLIC_FOR_MS = 1500;

export class ShownRepositories {
  readonly #rids = new Set<RepoId>();
  readonly #isPublic: (rid: RepoId) => Promise<boolean>;
  readonly #clock: Pick<Environment, "now">;
  readonly #task: Task;
  #checkedMs = Infinity;

  /**
   * @param clock The clock of the checks. If the clock is set backwards or forwards, all repositories are
   * checked again.
   */
  constructor(isPublic: (rid: RepoId) => Promise<boolean>, clock: Pick<Environment, "now">, task: Task) {
    this.#isPublic = isPublic;
    this.#clock = clock;
    this.#task = task;
  }

  /** @param checkedMs Time at which the repository was public, in milliseconds of the clock. */
  add(rid: RepoId, checkedMs: number): void {
    this.#checkedMs = Math.min(this.#checkedMs, checkedMs);
    this.#rids.add(rid);
  }

  /**
   * Checks whether all repositories are public. The repositories are read again if the last check is older
   * than {@link PUBLIC_FOR_MS}.
   */
  arePublic(): true | Promise<boolean> {
    const isRecent = Math.abs(this.#clock.now() - this.#checkedMs) < PUBLIC_FOR_MS;
    return isRecent || this.#rids.size === 0 ? true : this.#check();
  }

  /** Returns a response whose streamed body ends with an error when a repository is no longer public. */
  guard(answer: Answer): Answer {
    const { body } = answer;
    if (body === undefined || body instanceof Uint8Array || this.#rids.size === 0) return answer;
    const reader = body.stream.getReader();
    const next = async () => {
      const { value } = await reader.read();
      if (value === undefined) return undefined;
      const arePublic = this.arePublic();
      if (arePublic === true || await arePublic.catch(() => false)) return value;
      void reader.cancel().catch(() => {});
      throw new Error("An answer was cut off");
    };
    const stream = byteStream(next, { cancel: (reason) => reader.cancel(reason) });
    return { ...answer, body: { ...body, stream } };
  }

  async #check(): Promise<boolean> {
    for (const rid of this.#rids) {
      if (!await this.#isPublic(rid)) return false;
      await this.#task.yield();
    }
    this.#checkedMs = this.#clock.now();
    return true;
  }
}

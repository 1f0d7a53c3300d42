/**
 * Public repositories that an answer shows to a stranger. Each was public when it was opened. It may become
 * private while the answer is made or sent, which may take long.
 */
import { byteStream } from "../bytes/byte_stream.ts";
import type { Answer } from "../http/answer.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Environment } from "../ports/environment.ts";
import type { Task } from "../scheduling/task.ts";

/** Time after which a repository is looked at again before anything more of it is sent, in milliseconds. */
export const PUBLIC_FOR_MS = 1500;

/** The repositories of one answer. */
export class ShownRepositories {
  readonly #rids = new Set<RepoId>();
  readonly #isPublic: (rid: RepoId) => Promise<boolean>;
  readonly #clock: Pick<Environment, "now">;
  readonly #task: Task;
  /** When the first of them was looked at, and the others later. */
  #lookedMs = Infinity;

  /** @param clock In milliseconds; after a step of it, backwards or forwards, all are looked at. */
  constructor(isPublic: (rid: RepoId) => Promise<boolean>, clock: Pick<Environment, "now">, task: Task) {
    this.#isPublic = isPublic;
    this.#clock = clock;
    this.#task = task;
  }

  /** Adds a repository that was public at a time by the clock. */
  add(rid: RepoId, lookedMs: number): void {
    this.#lookedMs = Math.min(this.#lookedMs, lookedMs);
    this.#rids.add(rid);
  }

  /** Whether all are public. Looks at them again when the last look is {@link PUBLIC_FOR_MS} ago. */
  arePublic(): true | Promise<boolean> {
    const isRecent = Math.abs(this.#clock.now() - this.#lookedMs) < PUBLIC_FOR_MS;
    return isRecent || this.#rids.size === 0 ? true : this.#look();
  }

  /** The same answer. A streamed body breaks off unless all of them are public. */
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
      throw new Error("Answer broke off");
    };
    const stream = byteStream(next, { cancel: (reason) => reader.cancel(reason) });
    return { ...answer, body: { ...body, stream } };
  }

  async #look(): Promise<boolean> {
    for (const rid of this.#rids) {
      if (!await this.#isPublic(rid)) return false;
      await this.#task.yield();
    }
    this.#lookedMs = this.#clock.now();
    return true;
  }
}

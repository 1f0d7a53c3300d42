/** Signs a node's references after changes: once for all changes of a repository that wait at that time. */
import type { Limiter } from "../../scheduling/limiter.ts";
import type { HomeGeneration } from "../../identity/generation.ts";
import { createSigrefsHistory } from "../../identity/sigrefs_history.ts";
import { signRefs } from "../../identity/sigrefs_writer.ts";
import type { Environment } from "../../ports/environment.ts";
import type { Signer } from "../../ports/signer.ts";
import type { WritableRepository } from "../../ports/storage.ts";

/** Parts with which references are signed. */
export interface RefSigningDependencies {
  readonly log: Environment["log"];
  /** Time of the signature, whole seconds since the Unix epoch. */
  nowSeconds(): number;
  /** The generation of the programs that work on the home. */
  generation(): HomeGeneration;
}

/** Signs references in the queue of writes. */
export class RefSigning {
  readonly #dependencies: RefSigningDependencies;
  readonly #queue: Limiter;
  readonly #history = createSigrefsHistory();
  /** Signings that have not begun, by repository and node. */
  readonly #waiting = new Map<string, Promise<void>>();

  constructor(dependencies: RefSigningDependencies, queue: Limiter) {
    this.#dependencies = dependencies;
    this.#queue = queue;
  }

  /**
   * Signs the references of a node after the changes that are in the queue now. Never rejects for a failed
   * signature.
   */
  sign(repository: WritableRepository, signer: Signer): Promise<void> {
    const key = `${repository.rid} ${signer.nodeId}`;
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined) return waiting;
    const signing = this.#queue.run(() => {
      this.#waiting.delete(key);
      return this.#signNow(repository, signer);
    }, { keys: [repository.rid] });
    this.#waiting.set(key, signing);
    return signing;
  }

  /**
   * Choice: a failed signature does not undo a change whose reference has moved. The next change signs it,
   * too.
   */
  async #signNow(repository: WritableRepository, signer: Signer): Promise<void> {
    try {
      await signRefs(repository, {
        nid: signer.nodeId,
        signer,
        timeSeconds: this.#dependencies.nowSeconds(),
        generation: this.#dependencies.generation(),
        history: this.#history,
      });
    } catch (error) {
      const message =
        `Cannot sign the references of ${repository.rid}: other nodes will not see the change yet`;
      this.#dependencies.log("error", message, error);
    }
  }
}

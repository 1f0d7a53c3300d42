/** The status of a node, without a wait at each request while the node is silent (2.14). */
import { type StartTimer, startUnrefTimer } from "../async/timer.ts";
import type { NodeStatus } from "../ports/radicle_node.ts";
import { STATUS_MS } from "./control.ts";

/** Time from one question to a silent node to the next, in milliseconds. */
export const PROBE_MS = 1000;
/** Questions to a silent node after the last request for its status. The next request asks it directly. */
export const MAX_IDLE_PROBES = 30;

/** An answer, or what counts as one. */
export interface AskedStatus {
  readonly status: NodeStatus;
  /** Whether the node has let {@link STATUS_MS} pass. */
  readonly isSilent: boolean;
}

/**
 * Asks a node for its status when a client asks. Once the node is silent, clients get the last status at
 * once, and the node is asked in the background until it answers again or no client asks any more.
 */
export class PromptStatus {
  readonly #askNode: () => Promise<AskedStatus>;
  readonly #startTimer: StartTimer;
  #asking: Promise<NodeStatus> | undefined;
  /** Status while the node is silent. */
  #silent: NodeStatus | undefined;
  #stopProbe: () => void = () => {};
  #idleProbes = 0;
  #isClosed = false;

  /** @param askNode Must not reject. */
  constructor(askNode: () => Promise<AskedStatus>, startTimer: StartTimer = startUnrefTimer) {
    this.#askNode = askNode;
    this.#startTimer = startTimer;
  }

  /** The status. Concurrent requests share one question: the node starts a thread for each. */
  get(): Promise<NodeStatus> {
    this.#idleProbes = 0;
    return this.#silent === undefined ? this.#ask() : Promise.resolve(this.#silent);
  }

  /** Ends the questions in the background. */
  close(): void {
    this.#isClosed = true;
    this.#silent = undefined;
    this.#stopProbe();
  }

  #ask(): Promise<NodeStatus> {
    return this.#asking ??= this.#askOnce().finally(() => this.#asking = undefined);
  }

  async #askOnce(): Promise<NodeStatus> {
    const { status, isSilent } = await this.#askNode();
    this.#silent = isSilent && !this.#isClosed ? status : undefined;
    // The silence has taken its time of the second already.
    if (this.#silent !== undefined) {
      this.#stopProbe = this.#startTimer(PROBE_MS - STATUS_MS, () => this.#probe());
    }
    return status;
  }

  #probe(): void {
    if (this.#idleProbes++ < MAX_IDLE_PROBES) void this.#ask();
    else this.#silent = undefined;
  }
}

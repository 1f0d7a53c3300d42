/**
 * The status of a node (specification, 2.14). While the node does not reply, only the first client request
 * waits for the node.
 */
import { type StartTimer, startUnrefTimer } from "../async/timer.ts";
import type { NodeStatus } from "../ports/radicle_node.ts";
import { STATUS_MS } from "./control.ts";

/** Interval between two status requests to a node that does not reply, in milliseconds. */
export const PROBE_MS = 1000;
/**
 * Maximum number of status requests in the background after the last client request. Later the next client
 * request asks the node directly.
 */
export const MAX_IDLE_PROBES = 30;

/** The status that a node has reported, or the status to show when the node does not reply. */
export interface AskedStatus {
  readonly status: NodeStatus;
  /** Whether the node did not reply within {@link STATUS_MS}. */
  readonly isSilent: boolean;
}

/**
 * Requests the status of a node when a client asks for it. While the node does not reply, clients get the
 * last status at once, and the status is requested in the background.
 */
export class PromptStatus {
  readonly #askNode: () => Promise<AskedStatus>;
  readonly #startTimer: StartTimer;
  #asking: Promise<NodeStatus> | undefined;
  /** The status to show while the node does not reply; `undefined` while the node replies. */
  #silent: NodeStatus | undefined;
  #stopProbe: () => void = () => {};
  #idleProbes = 0;
  #isClosed = false;

  /** @param askNode Must never reject. */
  constructor(askNode: () => Promise<AskedStatus>, startTimer: StartTimer = startUnrefTimer) {
    this.#askNode = askNode;
    this.#startTimer = startTimer;
  }

  /**
   * Returns the status. Concurrent calls share one request to the node, because the node starts a thread for
   * each request.
   */
  get(): Promise<NodeStatus> {
    this.#idleProbes = 0;
    return this.#silent === undefined ? this.#ask() : Promise.resolve(this.#silent);
  }

  /** Ends the status requests in the background. */
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
    // Waiting for the node has already taken {@link STATUS_MS} of the interval.
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

/**
 * Reads long histories in a separate worker, so that the workers for diffs stay free. The worker ends with
 * its history, so that its memory is freed.
 */
import type { Environment } from "../../ports/environment.ts";
import type { HistoryOutcome } from "../../ports/made_history.ts";
import type { HistoryRequest } from "./history.ts";
import { fromErrorText, type FromWorker } from "./protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

/**
 * Timeout for reading one history, in milliseconds. The longest allowed history needs a quarter of this time.
 */
const HISTORY_LIMIT_MS = 120_000;
/** Time after a failure in which no worker is started, in milliseconds. */
const HISTORY_PAUSE_MS = 60_000;

export interface HistoryWorkerOptions {
  readonly createSlot: () => WorkerSlot;
  readonly log: Environment["log"];
  readonly now: () => number;
}

/** Starts a worker for one history at a time. */
export class HistoryWorker {
  readonly #options: HistoryWorkerOptions;
  #leave: (() => void) | undefined;
  #startableFromMs = 0;
  #lastFault = "";

  constructor(options: HistoryWorkerOptions) {
    this.#options = options;
  }

  /** Reads a history as in `Workers.readHistory`; `undefined` while another history is being read. */
  async read(request: HistoryRequest, onProgress: (commits: number) => void): Promise<HistoryOutcome> {
    if (this.#leave !== undefined || this.#options.now() < this.#startableFromMs) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<HistoryOutcome>();
    promise.catch(() => {}); // The promise is not awaited when the worker cannot be started.
    const slot = this.#options.createSlot();
    const leave = this.#leave = (made?: HistoryOutcome) => {
      resolve(made);
      slot.retire();
    };
    const message = (received: unknown) => {
      const message = received as FromWorker;
      if (message.kind === "progress") onProgress(message.commits);
      if (message.kind === "failed") reject(fromErrorText(message.error));
      if (message.kind === "history" && this.#leave === leave) leave(message.made);
    };
    const late = new Error(`It took longer than ${HISTORY_LIMIT_MS / 1000} seconds`);
    slot.limit(HISTORY_LIMIT_MS, () => reject(late));
    try {
      slot.start({ message, end: reject }, "history");
      slot.post({ kind: "history", ...request });
      return await promise;
    } catch (cause) {
      slot.terminate();
      return this.#noteFault(cause);
    } finally {
      this.#leave = undefined;
    }
  }

  /** Ends the worker. No worker is started after this call. */
  close(): void {
    this.#startableFromMs = Infinity;
    this.#leave?.();
  }

  /**
   * Logs a failure, and starts no worker for a while. If workers read through this thread, no worker is ever
   * started again.
   */
  #noteFault(cause: unknown): undefined {
    const { log, now } = this.#options;
    const isUnsupported = cause instanceof Error && cause.name === "UnsupportedError";
    this.#startableFromMs = isUnsupported
      ? Infinity
      : Math.max(this.#startableFromMs, now() + HISTORY_PAUSE_MS);
    const fault = String(cause);
    if (!isUnsupported && fault !== this.#lastFault) {
      log("warn", "A long history is read without a worker", cause);
    }
    this.#lastFault = fault;
  }
}

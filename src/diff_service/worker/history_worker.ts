/**
 * Reads long histories in a worker of its own, one at a time: the workers of diffs have to stay free for
 * diffs. The worker ends with its history, so its memory is freed.
 */
import type { Environment } from "../../ports/environment.ts";
import type { HistoryOutcome } from "../../ports/made_history.ts";
import type { HistoryRequest } from "./history.ts";
import { fromErrorText, type FromWorker } from "./protocol.ts";
import type { WorkerSlot } from "./worker_slot.ts";

/** Longest time of one history, in milliseconds: a quarter of it is enough for the longest one. */
export const HISTORY_LIMIT_MS = 120_000;
/** Time after a failure in which no worker is started, in milliseconds. */
export const HISTORY_PAUSE_MS = 60_000;

/** Parts of a {@link HistoryWorker}. */
export interface HistoryWorkerOptions {
  /** Makes a slot for a worker. */
  readonly createSlot: () => WorkerSlot;
  readonly log: Environment["log"];
  /** The clock, in milliseconds. */
  readonly now: () => number;
}

/** A worker for one history at a time, started for it. */
export class HistoryWorker {
  readonly #options: HistoryWorkerOptions;
  /** Leaves the running history, and returns the slot of its worker. */
  #leave: (() => WorkerSlot) | undefined;
  /** Time before which no worker is started, in milliseconds. */
  #startableFromMs = 0;
  #lastFault = "";

  constructor(options: HistoryWorkerOptions) {
    this.#options = options;
  }

  /** Reads a history, as `Workers.readHistory`. `undefined` while another one is being read. */
  read(request: HistoryRequest, onProgress: (commits: number) => void): Promise<HistoryOutcome> {
    const { createSlot, now } = this.#options;
    if (this.#leave !== undefined || now() < this.#startableFromMs) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const slot = createSlot();
      const finish = (made: HistoryOutcome) => {
        this.#leave = undefined;
        resolve(made);
        return slot;
      };
      const leave = this.#leave = () => finish(undefined);
      const isRunning = () => this.#leave === leave;
      const fail = (cause: unknown) => {
        leave().terminate();
        this.#complain(cause);
      };
      const message = (received: unknown) => {
        if (!isRunning()) return;
        const message = received as FromWorker;
        if (message.kind === "progress") onProgress(message.commits);
        if (message.kind === "failed") fail(fromErrorText(message.error));
        if (message.kind !== "history") return;
        finish(message.made).retire();
      };
      slot.limit(
        HISTORY_LIMIT_MS,
        () => fail(new Error(`It took longer than ${HISTORY_LIMIT_MS / 1000} seconds`)),
      );
      try {
        slot.start({ message, end: (cause) => isRunning() && fail(cause) }, "history");
        slot.post({ kind: "history", ...request });
      } catch (cause) {
        fail(cause);
      }
    });
  }

  /** Ends the worker within some milliseconds, and starts none any more. */
  close(limitMs: number): void {
    this.#startableFromMs = Infinity;
    this.#leave?.().retire(limitMs);
  }

  /**
   * Logs a fault. No worker is started for a while, nor ever again where workers read through this thread.
   */
  #complain(cause: unknown): void {
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

/**
 * Calls functions in a worker, one call after another. A text by another author can keep a parser busy for
 * minutes. If a call takes too long, its worker is ended, and the next call gets a new worker.
 */

/** Timeout of one call, in milliseconds. */
const CALL_LIMIT_MS = 200;
/** Timeout for the start of a worker, in milliseconds. */
const START_LIMIT_MS = 10_000;
/**
 * Maximum number of calls of one view that exceed the timeout, which together take 5 s of processor time.
 * Afterwards the view shows its texts as they are, without calling the worker.
 */
const MAX_ENDED_CALLS = 25;
/**
 * Interval of the timer that measures the timeouts, in milliseconds. Timeouts are counted in ticks of this
 * timer, because a tab without processor time gets no ticks.
 */
const TICK_MS = 50;

/**
 * The members of a worker that are used here. The first message of the worker means that the worker is ready.
 * Each further message is the result of a call.
 */
export type StartedWorker = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

export type WorkerCall = readonly [name: string, ...args: readonly unknown[]];

export type Clock = Pick<typeof globalThis, "setInterval" | "clearInterval">;

/** The worker of a tab. The first call starts the worker. */
export class BlockWorker {
  readonly #start: (parts: readonly string[]) => StartedWorker;
  readonly #clock: Clock;
  #running: { readonly worker: StartedWorker; readonly parts: ReadonlySet<string> } | undefined;
  /** Settles when all calls so far have ended. */
  #last: Promise<unknown> = Promise.resolve();
  #endedCalls = 0;

  /** @param start Starts a worker that runs the named parts. */
  constructor(start: (parts: readonly string[]) => StartedWorker, clock: Clock = globalThis) {
    this.#start = start;
    this.#clock = clock;
  }

  /**
   * Calls a function after all earlier calls. `value` is `undefined` if the call exceeded the timeout. The
   * whole result is `undefined` if the function was not called.
   *
   * @param parts Names of the parts of the worker that the function needs.
   * @param isWanted Returns whether the value is still needed. Called just before the call begins.
   */
  run(
    parts: readonly string[],
    call: WorkerCall,
    isWanted: () => boolean,
  ): Promise<{ readonly value: unknown } | undefined> {
    const result = this.#last.then(() => isWanted() ? this.#call(parts, call) : undefined);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Call this method for each new view, to reset the number of calls that exceeded the timeout. */
  beginView(): void {
    this.#endedCalls = 0;
  }

  async #call(
    parts: readonly string[],
    call: WorkerCall,
  ): Promise<{ readonly value: unknown } | undefined> {
    if (this.#endedCalls >= MAX_ENDED_CALLS) return undefined;
    const worker = await this.#workerWith(parts);
    if (worker === undefined) return undefined;
    worker.postMessage(call);
    const answer = await this.#nextMessage(worker, CALL_LIMIT_MS);
    if (answer === undefined) {
      this.#end();
      this.#endedCalls++;
    }
    return { value: answer?.data };
  }

  /** Returns a worker with the wanted parts; `undefined` if the browser cannot start a worker. */
  async #workerWith(wanted: readonly string[]): Promise<StartedWorker | undefined> {
    const running = this.#running;
    if (running !== undefined && wanted.every((part) => running.parts.has(part))) return running.worker;
    this.#end();
    const parts = new Set([...running?.parts ?? [], ...wanted]);
    const worker = this.#start([...parts]);
    this.#running = { worker, parts };
    if (await this.#nextMessage(worker, START_LIMIT_MS) !== undefined) return worker;
    this.#end();
    return undefined;
  }

  /**
   * Waits for the next message of a worker; `undefined` when the worker fails, or when the timeout is over.
   */
  #nextMessage(
    worker: StartedWorker,
    limitMs: number,
  ): Promise<{ readonly data: unknown } | undefined> {
    return new Promise((resolve) => {
      let ticks = limitMs / TICK_MS;
      const timer = this.#clock.setInterval(() => --ticks === 0 && settle(undefined), TICK_MS);
      const settle = (message: MessageEvent | undefined) => {
        this.#clock.clearInterval(timer);
        worker.onmessage = worker.onerror = null;
        resolve(message);
      };
      worker.onmessage = settle;
      worker.onerror = () => settle(undefined);
    });
  }

  #end(): void {
    this.#running?.worker.terminate();
    this.#running = undefined;
  }
}

/**
 * Calls of functions in a worker, one after another. A text of a stranger can keep a parser busy for minutes:
 * a call that takes too long ends together with its worker, and the next call gets a new one.
 */

/** Time for one call, in milliseconds. */
const CALL_LIMIT_MS = 200;
/** Time until a new worker is ready, likewise. */
const START_LIMIT_MS = 10_000;
/**
 * Calls of one view that may end by time: 5 s of a processor. Further texts of the view are shown as they
 * are.
 */
const MAX_ENDED_CALLS = 25;
/** Time is counted in ticks: while a busy machine gives the tab no turn, there are none. */
const TICK_MS = 50;

/**
 * The members of a worker that are needed. Its first message says that it is ready, each further one answers
 * a call.
 */
export type StartedWorker = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

/** A function in the worker and its arguments. */
export type WorkerCall = readonly [name: string, ...args: readonly unknown[]];

/** Timers that tick. */
export type Clock = Pick<typeof globalThis, "setInterval" | "clearInterval">;

/** The worker of a tab. It is started for the first call. */
export class BlockWorker {
  readonly #start: (parts: readonly string[]) => StartedWorker;
  readonly #clock: Clock;
  #running: { readonly worker: StartedWorker; readonly parts: ReadonlySet<string> } | undefined;
  /** Settles when all calls so far are done. */
  #last: Promise<unknown> = Promise.resolve();
  #endedCalls = 0;

  /** @param start Starts a worker that consists of some parts, by their names. */
  constructor(start: (parts: readonly string[]) => StartedWorker, clock: Clock = globalThis) {
    this.#start = start;
    this.#clock = clock;
  }

  /**
   * Calls a function when it is its turn. Its value is `undefined` if the time was not enough; the result is
   * `undefined` if it was not called.
   *
   * @param parts Names of the parts that it needs.
   * @param isWanted Whether somebody still waits for the value.
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

  /** To be called for each new view: its texts have time of their own. */
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

  /** The running worker, or a new one if it lacks parts; `undefined` if the browser starts none. */
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

  /** The next message of a worker; `undefined` when it has failed, or does not come in time. */
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

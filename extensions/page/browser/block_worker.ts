/**
 * Calls functions in a worker, one after another. A stranger's text can keep a parser busy for minutes, so a
 * call that takes too long ends together with its worker. The next call gets a new worker.
 */

/** Longest time of one call, in milliseconds. */
const CALL_LIMIT_MS = 200;
/** Longest start of a new worker, in milliseconds. */
const START_LIMIT_MS = 10_000;
/**
 * Calls of one view that may run out of time: 5 s of processor time. After that, the view shows its texts as
 * they are.
 */
const MAX_ENDED_CALLS = 25;
/**
 * Time is counted in ticks, because there are no ticks while a busy machine gives the tab no processor time.
 */
const TICK_MS = 50;

/**
 * The members of a worker that are used here. Its first message means that it is ready. Each further message
 * answers a call.
 */
export type StartedWorker = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

export type WorkerCall = readonly [name: string, ...args: readonly unknown[]];

/** The timers that make ticks. */
export type Clock = Pick<typeof globalThis, "setInterval" | "clearInterval">;

/** The worker of a tab. It starts with the first call. */
export class BlockWorker {
  readonly #start: (parts: readonly string[]) => StartedWorker;
  readonly #clock: Clock;
  #running: { readonly worker: StartedWorker; readonly parts: ReadonlySet<string> } | undefined;
  /** Settles when all calls up to now are done. */
  #last: Promise<unknown> = Promise.resolve();
  #endedCalls = 0;

  /** @param start Starts a worker with the named parts. */
  constructor(start: (parts: readonly string[]) => StartedWorker, clock: Clock = globalThis) {
    this.#start = start;
    this.#clock = clock;
  }

  /**
   * Calls a function after all earlier calls. The value is `undefined` if the call ran out of time. The
   * result is `undefined` if the function was not called.
   *
   * @param parts Names of the parts that the function needs.
   * @param isWanted Whether the value is still needed when the call could start.
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

  /** Call this for each new view: it restores the time for texts. */
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

  /** The running worker, or a new one if it lacks parts. `undefined` if the browser cannot start one. */
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
   * The next message of a worker. `undefined` when the worker has failed, or the message does not come in
   * time.
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

/** Workers that do what a test says, and a clock that it moves. */
import type { DiffAnswer } from "../../src/diff_service/diff_answer.ts";
import type { FromWorker, ToWorker } from "../../src/diff_service/worker/protocol.ts";
import type { FileBatch, MadeDiff, StartWorker, WorkerEvents } from "../../src/ports/workers.ts";

/** A worker in the hands of a test. */
export class FakeWorker {
  readonly sent: ToWorker[] = [];
  isHeld = true;
  isTerminated = false;
  readonly #events: WorkerEvents;

  constructor(events: WorkerEvents) {
    this.#events = events;
  }

  /** What it is working on: the new trees of the jobs that it was given. */
  get jobs(): string[] {
    return this.sent.flatMap((message) =>
      message.kind === "job" && message.job.kind === "diff" ? [message.job.newTree] : []
    );
  }

  get isToldToClose(): boolean {
    return this.sent.some(({ kind }) => kind === "close");
  }

  say(message: FromWorker): void {
    this.#events.message(message);
  }

  ready(): void {
    this.say({ kind: "ready" });
  }

  /** Answers the job with this text. */
  make(text: string, needsRecycling = false): void {
    this.say({ kind: "made", made: madeOf(text), needsRecycling });
  }

  end(cause: unknown = new Error("crashed")): void {
    this.#events.end(cause);
  }
}

/** Starts fake workers. */
export class FakeWorkers {
  readonly started: FakeWorker[] = [];
  /** When set, no worker can be started. */
  refusal: Error | undefined;
  /** When set, no message can be sent to a worker. */
  lost: Error | undefined;

  readonly start: StartWorker = (events) => {
    if (this.refusal !== undefined) throw this.refusal;
    const worker = new FakeWorker(events);
    this.started.push(worker);
    return {
      post: (message) => {
        if (this.lost !== undefined) throw this.lost;
        worker.sent.push(message as ToWorker);
      },
      hold: (isNeeded) => void (worker.isHeld = isNeeded),
      terminate: () => void (worker.isTerminated = true),
    };
  };
}

/** A clock that stands still until it is moved. */
export class FakeClock {
  #now = 0;
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();

  readonly now = (): number => this.#now;

  readonly setTimer = (ms: number, callback: () => void): () => void => {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** Timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  pass(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > end) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.callback();
    }
    this.#now = end;
  }
}

/** A result with this text in it, whatever the job was. */
export function madeOf(text: string, left: readonly FileBatch[] = []): MadeDiff {
  return {
    json: new TextEncoder().encode(text),
    left,
    insertions: 0,
    deletions: 0,
    filesChanged: 0,
    last: undefined,
    touched: [],
    touchedBytes: 0,
  };
}

/** The text in a result. */
export function textOf({ json }: { readonly json: Uint8Array }): string {
  return new TextDecoder().decode(json);
}

/** The text of a diff. */
export async function textOfDiff(diff: DiffAnswer): Promise<string> {
  const texts: string[] = [];
  for await (const piece of diff.pieces) {
    texts.push(new TextDecoder().decode("key" in piece ? piece.bytes : piece));
  }
  return texts.join("");
}

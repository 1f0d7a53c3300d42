/** A reader of the log: a place in it, and the stream that goes on from there. */
import { type EventLog, type Interest, resetBlock } from "./log.ts";

/** Time after which clients connect again, in milliseconds. */
const RETRY_MS = 2000;
/** Comments that a client may leave before it is let go. */
const MAX_LEFT_COMMENTS = 2;

const encoder = new TextEncoder();
const COMMENT = encoder.encode(":\n\n");

/** A stream of events. */
export interface ReaderStream {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Ends it. */
  readonly end: () => void;
}

/** A reader. */
export class Reader {
  readonly #log: EventLog;
  readonly #interest: Interest;
  readonly #leave: () => void;
  /** Blocks that are sent before the events. */
  #blocks: string[] = [`retry: ${RETRY_MS}\n\n`];
  /** Absent until changes are seen. */
  #place: number | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  /** Called when there may be something to send; absent while the client takes what was sent. */
  #wake: (() => void) | undefined;
  #isCommentDue = false;
  #leftComments = 0;
  #isEnded = false;

  /**
   * @param place Where it begins; `undefined` when what has changed is not known yet.
   * @param leave Called once, when it has ended.
   */
  constructor(log: EventLog, interest: Interest, leave: () => void) {
    this.#log = log;
    this.#interest = interest;
    this.#leave = leave;
  }

  /** Begins to read: after an event, or now. What lies between an unknown event and now is a `reset`. */
  begin(lastId: string | undefined): void {
    this.#place = lastId === undefined ? this.#log.end : this.#log.placeAfter(lastId);
    if (this.#place !== undefined) this.#blocks.push(`id: ${lastId ?? this.#log.lastId}\n\n`);
    else this.reset();
  }

  /** Begins to read now; the client is told to read again what it shows. */
  reset(): void {
    this.#place = this.#log.end;
    this.#blocks.push(resetBlock(this.#log.lastId));
    this.wake();
  }

  /** Whether it waits for changes to be seen. */
  get hasBegun(): boolean {
    return this.#place !== undefined;
  }

  /** The stream; to be asked for once. */
  open(): ReaderStream {
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => void (this.#controller = controller),
      pull: async (controller) => {
        this.#leftComments = 0;
        for (;;) {
          if (this.#isEnded) return;
          const bytes = this.#next();
          if (bytes === "gone") return this.end();
          if (bytes !== undefined) return controller.enqueue(bytes);
          await new Promise<void>((resolve) => this.#wake = resolve);
          this.#wake = undefined;
        }
      },
      cancel: () => this.#close(),
    }, { highWaterMark: 0 });
    return { stream, end: () => this.end() };
  }

  /** Tells that the log has more. */
  wake(): void {
    this.#wake?.();
  }

  /** Sends a comment, so that nobody on the way takes the connection for dead. */
  comment(): void {
    if (this.#isEnded) return;
    if (this.#wake === undefined) {
      // Its client has not taken what was sent.
      if (++this.#leftComments > MAX_LEFT_COMMENTS) this.#fail();
      return;
    }
    this.#isCommentDue = true;
    this.#wake();
  }

  /** Ends the stream. */
  end(): void {
    if (this.#isEnded) return;
    this.#close();
    this.#controller?.close();
  }

  /** Cuts the stream: what waits to be taken is lost. */
  #fail(): void {
    this.#close();
    this.#controller?.error(new Error("Client takes nothing"));
  }

  #close(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#wake?.();
    this.#leave();
  }

  #next(): Uint8Array<ArrayBuffer> | "gone" | undefined {
    if (this.#blocks.length > 0) {
      const text = this.#blocks.join("");
      this.#blocks = [];
      return encoder.encode(text);
    }
    while (this.#place !== undefined && this.#place < this.#log.end) {
      const chunk = this.#log.read(this.#place, this.#interest);
      if (chunk === undefined) return "gone";
      this.#place = chunk.next;
      if (chunk.bytes !== undefined) return chunk.bytes;
    }
    if (!this.#isCommentDue) return undefined;
    this.#isCommentDue = false;
    return COMMENT;
  }
}

/** A reader of live changes: a position in a log, and a stream of the events after this position. */
import { type EventLog, type Interest, resetBlock } from "./log.ts";

/** Delay before a client connects again, in milliseconds. */
const RETRY_MS = 2000;
/**
 * Maximum number of comments that wait to be sent. When a client does not read, the next comment ends the
 * stream with an error.
 */
const MAX_LEFT_COMMENTS = 2;

const encoder = new TextEncoder();
const COMMENT = encoder.encode(":\n\n");

export interface ReaderStream {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly end: () => void;
}

/**
 * A reader of a log. A reader has no queue, so a slow client needs no more memory. If the log drops events
 * that the client has not read, the stream ends.
 */
export class Reader {
  readonly #log: EventLog;
  readonly #interest: Interest;
  readonly #leave: () => void;
  /** Texts that are sent before the next events. */
  #blocks: string[] = [`retry: ${RETRY_MS}\n\n`];
  /** Position in the log; `undefined` before {@link begin} or {@link reset} is called. */
  #place: number | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  /** Called when data is ready to be sent; `undefined` while the client has not read earlier data. */
  #wake: (() => void) | undefined;
  #isCommentDue = false;
  #leftComments = 0;
  #isEnded = false;

  /** @param leave Called once, when the stream has ended. */
  constructor(log: EventLog, interest: Interest, leave: () => void) {
    this.#log = log;
    this.#interest = interest;
    this.#leave = leave;
  }

  /**
   * Begins the stream after the event with an id, or at the end of the log without an id. If the id is
   * unknown, the stream begins with a `reset` event.
   */
  begin(lastId: string | undefined): void {
    this.#place = lastId === undefined ? this.#log.end : this.#log.placeAfter(lastId);
    if (this.#place !== undefined) this.#blocks.push(`id: ${lastId ?? this.#log.lastId}\n\n`);
    else this.reset();
  }

  /** Begins the stream at the end of the log with a `reset` event. */
  reset(): void {
    this.#place = this.#log.end;
    this.#blocks.push(resetBlock(this.#log.lastId));
    this.wake();
  }

  get hasBegun(): boolean {
    return this.#place !== undefined;
  }

  /** Returns the stream. Call this method only once. */
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

  /** Sends the events that are in the log now. */
  wake(): void {
    this.#wake?.();
  }

  /** Sends a comment, so that proxies do not close the connection. */
  comment(): void {
    if (this.#isEnded) return;
    if (this.#wake === undefined) {
      this.#leftComments++;
      if (this.#leftComments > MAX_LEFT_COMMENTS) this.#fail();
      return;
    }
    this.#isCommentDue = true;
    this.#wake();
  }

  /** Ends the stream after the texts that were already sent. */
  end(): void {
    if (this.#isEnded) return;
    this.#close();
    this.#controller?.close();
  }

  #fail(): void {
    this.#close();
    this.#controller?.error(new Error("The client does not read its events"));
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

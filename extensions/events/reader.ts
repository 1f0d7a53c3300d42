/** A reader: a place in a log, and the stream of the events from there on. */
import { type EventLog, type Interest, resetBlock } from "./log.ts";

/** Time after which clients connect again, in milliseconds. */
const RETRY_MS = 2000;
/** Comments that fall due before a client takes what was sent. After one more its stream breaks off. */
const MAX_LEFT_COMMENTS = 2;

const encoder = new TextEncoder();
const COMMENT = encoder.encode(":\n\n");

/** A stream of events. */
export interface ReaderStream {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly end: () => void;
}

/**
 * A reader. It has no queue, so a slow client costs no memory. Its stream ends when the log has no longer the
 * events that come next.
 */
export class Reader {
  readonly #log: EventLog;
  readonly #interest: Interest;
  readonly #leave: () => void;
  /** Sent before the events. */
  #blocks: string[] = [`retry: ${RETRY_MS}\n\n`];
  /** `undefined` until {@link begin} or {@link reset}. */
  #place: number | undefined;
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  /** Ends the wait for something to send; `undefined` while the client has not taken what was sent. */
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

  /** Goes on after an event, or begins now. After an unknown event it begins with a `reset`. */
  begin(lastId: string | undefined): void {
    this.#place = lastId === undefined ? this.#log.end : this.#log.placeAfter(lastId);
    if (this.#place !== undefined) this.#blocks.push(`id: ${lastId ?? this.#log.lastId}\n\n`);
    else this.reset();
  }

  /** Begins now, with a `reset`. */
  reset(): void {
    this.#place = this.#log.end;
    this.#blocks.push(resetBlock(this.#log.lastId));
    this.wake();
  }

  get hasBegun(): boolean {
    return this.#place !== undefined;
  }

  /** Call it once. */
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

  /** Sends what the log has now. */
  wake(): void {
    this.#wake?.();
  }

  /** Sends a comment, so that no proxy takes the connection for dead. */
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

  /** Ends the stream after what was sent. */
  end(): void {
    if (this.#isEnded) return;
    this.#close();
    this.#controller?.close();
  }

  /** Breaks the stream off. */
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

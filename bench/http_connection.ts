/**
 * An HTTP connection with little overhead. `node:http` takes 0.3 ms per request, which is longer than many
 * answers.
 */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

/**
 * An answer, and the time in milliseconds from the first byte of the request to the last byte of the answer.
 */
export interface TimedAnswer {
  readonly ms: number;
  readonly status: number;
  /** Received bytes, including the head. */
  readonly bytes: number;
  readonly body: Buffer;
}

/** Longest wait for an answer, in milliseconds. */
const LIMIT_MS = 120_000;

const LINE_FEED = 0x0a;
/** Length of the line end after each chunk. */
const LINE_END_BYTES = 2;

/** Sends one request at a time. Reconnects when the service has closed the connection. */
export class HttpConnection {
  readonly #url: URL;
  #socket: Socket | undefined;

  /** @param origin Address of the service: `http://host:port`. */
  constructor(origin: string) {
    this.#url = new URL(origin);
  }

  /** @param target Path and query. */
  async get(target: string): Promise<TimedAnswer> {
    const socket = this.#socket ??= await this.#open();
    const request = `GET ${target} HTTP/1.1\r\nHost: ${this.#url.host}\r\n\r\n`;
    return await new Promise((resolve, reject) => {
      const answer = new AnswerReader();
      const finish = (error?: Error) => {
        const ms = performance.now() - start;
        socket.removeAllListeners();
        if (error || answer.closes) this.close();
        else this.#watchIdle(socket);
        if (error) reject(new Error(`${target}: ${error.message}`));
        else resolve(new CompleteAnswer(ms, answer));
      };
      socket.removeAllListeners();
      socket.on("data", (chunk: Buffer) => answer.push(chunk) && finish());
      socket.on("end", () => finish(answer.endsWithConnection ? undefined : new Error("cut off")));
      socket.on("error", finish);
      socket.setTimeout(LIMIT_MS, () => finish(new Error(`no answer in ${LIMIT_MS} ms`)));
      const start = performance.now();
      socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(this.#url.port), this.#url.hostname, () => resolve(socket));
      socket.setNoDelay(true).once("error", reject);
    });
  }

  #watchIdle(socket: Socket): void {
    for (const event of ["error", "end"]) {
      socket.once(event, () => {
        if (this.#socket === socket) this.close();
      });
    }
  }
}

/** An answer whose body is joined only on access: a client that only measures does not need it. */
class CompleteAnswer implements TimedAnswer {
  readonly ms: number;
  readonly #answer: AnswerReader;

  constructor(ms: number, answer: AnswerReader) {
    this.ms = ms;
    this.#answer = answer;
  }

  get status(): number {
    return this.#answer.status;
  }

  get bytes(): number {
    return this.#answer.bytes;
  }

  get body(): Buffer {
    return this.#answer.body();
  }
}

/** Collects the parts of an answer. Reads each byte once, however long the body is. */
class AnswerReader {
  status = 0;
  bytes = 0;
  /** Whether the service closes the connection after this answer. */
  closes = false;
  #head: Buffer | undefined = Buffer.alloc(0);
  readonly #parts: Buffer[] = [];
  /**
   * Missing bytes of the body, or of the current chunk with its line end. `undefined` when the body ends with
   * the connection.
   */
  #missing: number | undefined;
  #isChunked = false;
  /** Whether the current chunk is the empty one at the end. */
  #isLast = false;
  /** The received start of a line with the size of a chunk. */
  #sizeLine = "";

  /** Whether the answer is complete when the connection ends. */
  get endsWithConnection(): boolean {
    return this.#head === undefined && this.#missing === undefined;
  }

  /** Adds bytes. Returns whether the answer is complete. */
  push(bytes: Buffer): boolean {
    this.bytes += bytes.length;
    if (this.#head === undefined) return this.#take(bytes);
    const start = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const end = start.indexOf("\r\n\r\n");
    if (end < 0) {
      this.#head = start;
      return false;
    }
    this.#readHead(start.toString("latin1", 0, end).toLowerCase());
    return this.#take(start.subarray(end + 4));
  }

  /** The body, without the framing of its chunks. */
  body(): Buffer {
    return this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
  }

  #readHead(head: string): void {
    this.#head = undefined;
    this.status = Number(head.slice(9, 12));
    this.closes = /\r\nconnection: *close/.test(head);
    this.#isChunked = /\r\ntransfer-encoding: *chunked/.test(head);
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    if (this.#isChunked) this.#missing = 0;
    else if (length !== undefined) this.#missing = Number(length);
    else this.closes = true;
  }

  #take(bytes: Buffer): boolean {
    if (this.#isChunked) return this.#takeChunks(bytes);
    if (bytes.length > 0) this.#parts.push(bytes);
    if (this.#missing === undefined) return false;
    return (this.#missing -= bytes.length) <= 0;
  }

  /** Reads chunks (RFC 9112, 7.1), without trailers. */
  #takeChunks(bytes: Buffer): boolean {
    for (let at = 0; at < bytes.length;) {
      if (this.#missing! > 0) {
        const part = bytes.subarray(at, at + this.#missing!);
        at += part.length;
        const content = Math.min(part.length, this.#missing! - LINE_END_BYTES);
        if (content > 0 && !this.#isLast) this.#parts.push(part.subarray(0, content));
        if ((this.#missing! -= part.length) === 0 && this.#isLast) return true;
        continue;
      }
      const end = bytes.indexOf(LINE_FEED, at);
      this.#sizeLine += bytes.toString("latin1", at, end < 0 ? bytes.length : end);
      if (end < 0) return false;
      const size = parseInt(this.#sizeLine, 16);
      this.#sizeLine = "";
      this.#isLast = size === 0;
      this.#missing = size + LINE_END_BYTES;
      at = end + 1;
    }
    return false;
  }
}

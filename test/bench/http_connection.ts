/** One connection to a service that takes as little time of its own as can be: `node:http` takes 0.3 ms for a request, longer than many an answer. */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

/** An answer, and how long it took from the request's first byte to the answer's last one, in milliseconds. */
export interface TimedAnswer {
  readonly ms: number;
  readonly status: number;
  readonly body: Buffer;
}

/** How long an answer is waited for, in milliseconds. */
const LIMIT_MS = 120_000;

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/** Asks one request after the other, on a connection that is opened anew when the service has closed it. */
export class HttpConnection {
  readonly #url: URL;
  #socket: Socket | undefined;

  /** @param origin `http://host:port` of the service. */
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
        else resolve({ ms, status: answer.status, body: answer.body() });
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

/** Puts an answer together as it comes in. */
class AnswerReader {
  status = 0;
  /** Whether the service closes the connection after it. */
  closes = false;
  readonly #chunks: Buffer[] = [];
  #received = 0;
  /** Where the body starts; 0 before the head is complete. */
  #bodyAt = 0;
  /** Bytes in the body; `undefined` when it ends with its last chunk, or with the connection. */
  #length: number | undefined;
  #isChunked = false;

  /** Whether the answer is complete when the connection ends. */
  get endsWithConnection(): boolean {
    return this.#bodyAt > 0 && this.#length === undefined && !this.#isChunked;
  }

  /** Takes some more bytes; tells whether the answer is complete. */
  push(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#received += chunk.length;
    if (this.#bodyAt === 0 && !this.#readHead()) return false;
    if (this.#length !== undefined) return this.#received >= this.#bodyAt + this.#length;
    return this.#isChunked && endsChunks(chunk) && unchunk(this.#rest()) !== undefined;
  }

  body(): Buffer {
    return (this.#isChunked ? unchunk(this.#rest()) : undefined) ?? this.#rest();
  }

  #rest(): Buffer {
    return this.#all().subarray(this.#bodyAt);
  }

  #all(): Buffer {
    return this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
  }

  #readHead(): boolean {
    const bytes = this.#all();
    const end = bytes.indexOf("\r\n\r\n");
    if (end < 0) return false;
    const head = bytes.toString("latin1", 0, end).toLowerCase();
    this.#bodyAt = end + 4;
    this.status = Number(head.slice(9, 12));
    this.closes = /\r\nconnection: *close/.test(head);
    this.#isChunked = /\r\ntransfer-encoding: *chunked/.test(head);
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    if (length !== undefined) this.#length = Number(length);
    else if (!this.#isChunked) this.closes = true;
    return true;
  }
}

/** Whether these bytes may be the last ones of a body in chunks. */
function endsChunks(bytes: Buffer): boolean {
  return bytes.at(-2) === CARRIAGE_RETURN && bytes.at(-1) === LINE_FEED;
}

/** The content of a body in chunks (RFC 9112, 7.1), `undefined` when some of it is missing. */
function unchunk(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (size === 0) return Buffer.concat(parts);
    at = lineEnd + 2 + size + 2;
    if (!(at <= bytes.length)) return undefined;
    parts.push(bytes.subarray(lineEnd + 2, at - 2));
  }
}

/**
 * Sends one cheap request after the other on one connection. It reads of an answer only what it has to know, at less than half
 * of what `node:http` costs: the measured services have to share the machine with it.
 */
import { connect, type Socket } from "node:net";

const HEAD_END = "\r\n\r\n";
/** The end of a body in chunks. */
const LAST_CHUNK = "0\r\n\r\n";

/** A client of one service, with one connection and one request at a time. */
export class CheapClient {
  readonly #origin: URL;
  readonly #limitMs: number;
  #socket: Socket | undefined;
  #heard = "";
  #settle: (isOk: boolean) => void = () => {};

  /** @param limitMs Time without a byte after which an answer counts as missing. */
  constructor(url: string, limitMs: number) {
    this.#origin = new URL(url);
    this.#limitMs = limitMs;
  }

  /** Requests a URL of the service; whether the answer was 200, and whole. */
  async get(url: string): Promise<boolean> {
    const { pathname, search } = new URL(url);
    const isOk = Promise.withResolvers<boolean>();
    this.#settle = isOk.resolve;
    this.#socket ??= this.#connect();
    this.#socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: ${this.#origin.host}${HEAD_END}`);
    return await isOk.promise;
  }

  #connect(): Socket {
    const socket = connect(Number(this.#origin.port), this.#origin.hostname);
    socket.setNoDelay().setEncoding("latin1").setTimeout(this.#limitMs, () => socket.destroy());
    socket.on("data", (text: string) => {
      this.#heard += text;
      const answer = readAnswer(this.#heard);
      if (!answer.isWhole) return;
      this.#heard = "";
      if (answer.isLast) this.#leave(socket);
      this.#settle(answer.isOk);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      // It may have another connection by then.
      if (this.#socket !== socket) return;
      this.#leave(socket);
      this.#settle(false);
    });
    return socket;
  }

  #leave(socket: Socket): void {
    this.#socket = undefined;
    this.#heard = "";
    socket.destroy();
  }
}

/** Whether an answer, which has a length or is in chunks, is whole and 200, and whether its connection ends with it. */
function readAnswer(heard: string): { isWhole: boolean; isOk: boolean; isLast: boolean } {
  const headEnd = heard.indexOf(HEAD_END);
  const head = heard.slice(0, Math.max(0, headEnd));
  const body = heard.slice(headEnd + HEAD_END.length);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  const isBodyWhole = length === undefined
    ? body.endsWith(`\r\n${LAST_CHUNK}`) || body === LAST_CHUNK
    : body.length >= Number(length);
  return {
    isWhole: headEnd !== -1 && isBodyWhole,
    isOk: head.startsWith("HTTP/1.1 200 "),
    isLast: /\r\nconnection: *close/i.test(head),
  };
}

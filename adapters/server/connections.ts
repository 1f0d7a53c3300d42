/**
 * The connections of a service through `node:http`: their number, and the time for which each may keep it
 * waiting.
 *
 * A connection either waits for its client (to send a request, the rest of one, or to take its answer) or for
 * the service. When all places are taken, the connection that has waited longest for its client gives its
 * place up: quick clients are served beside any number of slow ones.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DEFAULT_MAX_READERS } from "../../extensions/events/log.ts";

/** Bounds of the number of connections, and of the time for which each may keep the service waiting. */
export interface ConnectionLimits {
  /** Connections at a time, on all addresses together. */
  readonly maxConnections: number;
  /** Longest time between two requests of a connection, in milliseconds. */
  readonly idleMs: number;
  /**
   * Longest time for the head of a request from its first byte, or from the opening of the connection, in
   * milliseconds.
   */
  readonly headMs: number;
  /** Longest time for a request with its body, without its answer, in milliseconds. */
  readonly requestMs: number;
  /** Longest time in which a client takes {@link MIN_TAKEN_BYTES} of its answer, in milliseconds. */
  readonly takeMs: number;
}

/** Most connections at a time unless an operator says otherwise, however many descriptors there are. */
export const MAX_CONNECTIONS = 1024;
/**
 * Connections take no more than this share of the file descriptors: packs, workers and databases need some,
 * too.
 */
export const DESCRIPTOR_SHARE = 1 / 4;
/**
 * File descriptors assumed where the limit cannot be told: the default of macOS, the lowest of all systems.
 */
export const USUAL_DESCRIPTORS = 256;
/** Longest time of a connection without traffic, in seconds: more than usual proxies allow. */
export const IDLE_SECONDS = 75;
/** Longest time for the head of a request, in seconds. */
export const HEAD_SECONDS = 20;
/** Longest time for a request with its body, in seconds: 4 MiB at 600 kbit/s. */
export const REQUEST_SECONDS = 60;
/**
 * Longest time in which a client takes {@link MIN_TAKEN_BYTES} of its answer, or the rest of it, in seconds.
 */
export const TAKE_SECONDS = 20;
/** Bytes of an answer that a client has to take in {@link TAKE_SECONDS}: 26 kbit/s. */
export const MIN_TAKEN_BYTES = 64 * 1024;
/**
 * Requests on one connection that wait for the answer to the one before them; a client that sends more is cut
 * off.
 */
export const MAX_PIPELINED = 16;

/** Statuses of bytes that are no request, by the code of the error; 400 for all others. */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Time between two looks at all connections, in milliseconds; it is the precision of the limits. */
const LOOK_MS = 1000;

/**
 * Places for connections in a process that may have so many file descriptors: {@link MAX_CONNECTIONS} at the
 * most.
 */
export function placesFor(descriptors: number = USUAL_DESCRIPTORS): number {
  return Math.min(MAX_CONNECTIONS, Math.max(1, Math.floor(descriptors * DESCRIPTOR_SHARE)));
}

/** Places for clients that listen to changes, besides those of {@link placesFor}. */
export function eventPlacesFor(descriptors: number = USUAL_DESCRIPTORS): number {
  return Math.min(DEFAULT_MAX_READERS, Math.max(1, Math.floor(descriptors * DESCRIPTOR_SHARE)));
}

/** A connection and its state. */
interface Connection {
  readonly socket: Socket;
  readonly server: HttpServer;
  /** The request that is being answered. */
  exchange: Exchange | undefined;
  /** Requests that came before the answer to `exchange` was complete (RFC 9112, 9.3.2). */
  readonly next: Exchange[];
  /**
   * Time at which `exchange` began or ended, or the client last read {@link MIN_TAKEN_BYTES}; by the clock
   * of `performance`.
   */
  sinceMs: number;
  /** Bytes that the client had taken then. */
  takenBytes: number;
  /** Whether the client was found not to take its answer, since `sinceMs`. */
  isTaking: boolean;
  /** Answer to what came after the last request and is none; the connection ends with it. */
  refusal: string | undefined;
  /** Whether its answer lasts until the client leaves: then it takes no place. */
  isApart: boolean;
}

/** A request and its answer. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Told when it is the turn of a request that waits, `false` when the connection has closed. */
  readonly begin?: (isOpen: boolean) => void;
}

/** The connections of one service, which may listen on several addresses. */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #ending = new Set<HttpServer>();
  /** Number of those that take no place. */
  #apart = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Limits that are not given have the values of the constants. */
  constructor(limits: Partial<ConnectionLimits> = {}) {
    this.limits = {
      maxConnections: MAX_CONNECTIONS,
      idleMs: IDLE_SECONDS * 1000,
      headMs: HEAD_SECONDS * 1000,
      requestMs: REQUEST_SECONDS * 1000,
      takeMs: TAKE_SECONDS * 1000,
      ...limits,
    };
  }

  /** Number of connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Options of `node:http` that keep the limits that it keeps by itself. */
  get serverOptions(): object {
    const { idleMs, headMs, requestMs } = this.limits;
    return {
      keepAliveTimeout: idleMs,
      headersTimeout: Math.min(headMs, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: this.#lookMs,
    };
  }

  /** Counts the connections of a server, and finds them places. */
  watch(server: HttpServer): void {
    server.on("connection", (socket: Socket) => this.#open(socket, server));
    server.on("clientError", (error: Error, socket: Socket) => this.#refuse(error, socket));
    // Without a listener, the answers under way would be lost with the connection. It is nobody else's now.
    server.on("connect", (_request: IncomingMessage, socket: Socket) => {
      socket.on("error", () => {});
      this.#refuse(undefined, socket);
    });
  }

  /**
   * Tells that a request has come. Its answer may be made at once, or when the promise resolves with `true`.
   * With `false`, the client waits for no answer any more.
   */
  begin(request: IncomingMessage, response: ServerResponse): Promise<boolean> | undefined {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.next.length === MAX_PIPELINED) {
      request.socket.destroy();
      return Promise.resolve(false);
    }
    response.once("close", () => this.#finish(connection, response));
    if (connection.exchange === undefined) {
      this.#answer(connection, { request, response });
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    connection.next.push({ request, response, begin: resolve });
    return promise;
  }

  /**
   * Tells that the answer to a request lasts until its client leaves, and that there is another bound of such
   * answers. Until its end, the connection takes no place.
   */
  setApart(request: IncomingMessage): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.exchange?.request !== request || connection.isApart) return;
    connection.isApart = true;
    this.#apart++;
  }

  /** Closes the connections of a server as soon as they have no request. */
  end(server: HttpServer): void {
    this.#ending.add(server);
    for (const connection of this.#connections.values()) {
      if (connection.server === server && connection.exchange === undefined) connection.socket.destroy();
    }
  }

  /** Closes the connections of a server that is ending, whatever they do. */
  cut(server: HttpServer): void {
    for (const connection of this.#connections.values()) {
      if (connection.server === server) connection.socket.destroy();
    }
  }

  get #lookMs(): number {
    const { idleMs, headMs, requestMs, takeMs } = this.limits;
    return Math.min(LOOK_MS, idleMs / 4, headMs / 4, requestMs / 4, takeMs / 4);
  }

  #open(socket: Socket, server: HttpServer): void {
    if (this.#isFull && !this.#makePlace()) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      socket,
      server,
      exchange: undefined,
      next: [],
      sinceMs: performance.now(),
      takenBytes: 0,
      isTaking: true,
      refusal: undefined,
      isApart: false,
    };
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#forget(connection));
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs);
  }

  /** Whether a further connection needs the place of another one. */
  get #isFull(): boolean {
    return this.#connections.size - this.#apart >= this.limits.maxConnections;
  }

  #forget(connection: Connection): void {
    const { socket, next } = connection;
    if (!this.#connections.delete(socket)) return;
    this.#endApart(connection);
    for (const { begin } of next) begin?.(false);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Counts a connection again; runtimes differ in whether its answer or its socket closes first. */
  #endApart(connection: Connection): void {
    if (connection.isApart) this.#apart--;
    connection.isApart = false;
  }

  #answer(connection: Connection, exchange: Exchange): void {
    connection.exchange = exchange;
    connection.sinceMs = performance.now();
    connection.takenBytes = takenBytes(connection.socket, exchange);
    connection.isTaking = true;
    exchange.begin?.(true);
  }

  #finish(connection: Connection, response: ServerResponse): void {
    if (connection.exchange?.response !== response) return;
    // Bytes of a body that nobody wants stand before the next request.
    if (hasBody(connection.exchange.request)) connection.exchange.request.resume();
    connection.exchange = undefined;
    if (connection.isApart) {
      // Others may have taken all places meanwhile.
      if (this.#isFull) return void connection.socket.end();
      this.#endApart(connection);
    }
    const [next] = connection.next;
    if (next !== undefined && (connection.refusal === undefined || next.request.complete)) {
      connection.next.shift();
      return this.#answer(connection, next);
    }
    connection.sinceMs = performance.now();
    if (connection.refusal !== undefined) return endWith(connection.socket, connection.refusal);
    if (this.#ending.has(connection.server)) connection.socket.end();
  }

  /**
   * Answers bytes that are no request after the requests before them, and ends the connection. By itself,
   * `node:http` refuses at once, in the place of the first of these answers.
   */
  #refuse(error: Error | undefined, socket: Socket): void {
    const code = error !== undefined && "code" in error ? String(error.code) : "";
    const status = REFUSALS[code] ?? "400 Bad Request";
    const refusal = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const connection = this.#connections.get(socket);
    const exchange = connection?.exchange;
    if (exchange === undefined) return endWith(socket, refusal);
    // The body of this very request is malformed, or its client has left.
    if (!exchange.request.complete || !socket.writable) {
      return exchange.response.headersSent ? void socket.destroy() : endWith(socket, refusal);
    }
    connection!.refusal = refusal;
    // Nothing that comes now is read.
    socket.pause();
  }

  /**
   * Takes its place from the connection that has waited longest for its client; tells whether there is one.
   */
  #makePlace(): boolean {
    let slowest: Connection | undefined;
    for (const connection of this.#connections.values()) {
      if (connection.isApart || !waitsForClient(connection)) continue;
      if (slowest === undefined || connection.sinceMs < slowest.sinceMs) slowest = connection;
    }
    if (slowest === undefined) return false;
    this.#forget(slowest);
    slowest.socket.destroy();
    return true;
  }

  /** Closes the connections whose time is over, as far as `node:http` does not. */
  #look(): void {
    const nowMs = performance.now();
    const { idleMs, headMs, takeMs } = this.limits;
    for (const connection of this.#connections.values()) {
      const { socket, exchange } = connection;
      const waitedMs = nowMs - connection.sinceMs;
      if (exchange === undefined) {
        // Line ends before a request start `node:http`'s time for the next one again and again.
        if (waitedMs > idleMs + headMs) socket.destroy();
        continue;
      }
      const taken = takenBytes(socket, exchange);
      connection.isTaking = !holdsAnswer(exchange) || taken - connection.takenBytes >= MIN_TAKEN_BYTES;
      if (connection.isTaking) {
        connection.takenBytes = taken;
        if (exchange.request.complete) connection.sinceMs = nowMs;
      } else if (waitedMs > takeMs) socket.destroy();
    }
  }
}

/** Whether a request has a body, possibly an empty one (RFC 9112, 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Sends the last answer of a connection. */
function endWith(socket: Socket, answer: string): void {
  if (socket.writable) socket.end(answer, () => socket.destroy());
  else socket.destroy();
}

function waitsForClient({ exchange, isTaking }: Connection): boolean {
  return exchange === undefined || !exchange.request.complete || !isTaking && holdsAnswer(exchange);
}

/** Whether some of an answer waits in this process to be taken. */
function holdsAnswer({ response }: Exchange): boolean {
  return response.writableLength > 0;
}

/** Bytes of its answers that a client, or the operating system for it, has taken. */
function takenBytes({ bytesWritten }: Socket, { response }: Exchange): number {
  return bytesWritten - response.writableLength;
}

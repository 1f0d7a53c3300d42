/**
 * The connections of a service through `node:http`: how many there are, and how long each may make the
 * service wait.
 *
 * A connection waits either for its client (to send a request or the rest of one, or to read its answer) or
 * for the service. When all places are taken, the connection that has waited longest for its client loses its
 * place. Therefore fast clients are served next to any number of slow ones.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DEFAULT_MAX_READERS } from "../../extensions/events/places.ts";

/** Limits of the number of connections, and of the time for which each may make the service wait. */
export interface ConnectionLimits {
  /** Connections at the same time, on all addresses together. */
  readonly maxConnections: number;
  /** Longest time between two requests of a connection, in milliseconds. */
  readonly idleMs: number;
  /**
   * Longest time for the head of a request, in milliseconds, from its first byte or from the opening of the
   * connection.
   */
  readonly headMs: number;
  /** Longest time in which a request arrives with its body, in milliseconds. */
  readonly requestMs: number;
  /** Longest time in which a client reads {@link MIN_TAKEN_BYTES} of its answer, in milliseconds. */
  readonly takeMs: number;
}

/**
 * Most connections at the same time, however many file descriptors there are, unless the operator sets
 * another number.
 */
export const MAX_CONNECTIONS = 1024;
/** Share of the file descriptors that connections may use: packs, workers and databases need some, too. */
export const DESCRIPTOR_SHARE = 1 / 4;
/** File descriptors assumed where the limit is unknown: the default of macOS, the lowest of all systems. */
export const USUAL_DESCRIPTORS = 256;
/**
 * Longest time of a connection without traffic, in seconds. It is longer than the usual timeout of proxies.
 */
export const IDLE_SECONDS = 75;
/** Longest time for the head of a request, in seconds. */
export const HEAD_SECONDS = 20;
/** Longest time for a request with its body, in seconds: 4 MiB at 600 kbit/s. */
export const REQUEST_SECONDS = 60;
/**
 * Longest time in which a client reads {@link MIN_TAKEN_BYTES} of its answer, or the rest of it, in seconds.
 */
export const TAKE_SECONDS = 20;
/** Bytes of an answer that a client has to read in {@link TAKE_SECONDS}: 26 kbit/s. */
export const MIN_TAKEN_BYTES = 64 * 1024;
/**
 * Requests on one connection that wait for the answer to the request before them. The connection of a client
 * that sends more is closed.
 */
export const MAX_PIPELINED = 16;

/** Statuses of answers to bytes that are not a request, by the code of the error; 400 for all other codes. */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/**
 * Time between two checks of all connections, in milliseconds. The limits are enforced with this precision.
 */
const CHECK_MS = 1000;

/**
 * Returns how many connections a process with this number of file descriptors may have, at most
 * {@link MAX_CONNECTIONS}.
 */
export function placesFor(descriptors: number = USUAL_DESCRIPTORS): number {
  return Math.min(MAX_CONNECTIONS, Math.max(1, Math.floor(descriptors * DESCRIPTOR_SHARE)));
}

/** Returns how many clients may listen to changes, in addition to the connections of {@link placesFor}. */
export function eventPlacesFor(descriptors: number = USUAL_DESCRIPTORS): number {
  return Math.min(DEFAULT_MAX_READERS, Math.max(1, Math.floor(descriptors * DESCRIPTOR_SHARE)));
}

interface Connection {
  readonly socket: Socket;
  readonly server: HttpServer;
  exchange: Exchange | undefined;
  /** Requests that arrived before the answer to `exchange` was complete (RFC 9112, 9.3.2). */
  readonly next: Exchange[];
  /**
   * Time at which `exchange` began or ended, or at which the client last read {@link MIN_TAKEN_BYTES}, by the
   * clock of `performance`.
   */
  sinceMs: number;
  /** Bytes that the client had read at `sinceMs`. */
  takenBytes: number;
  /** Whether the client reads its answer; `false` when a check since `sinceMs` found that it does not. */
  isTaking: boolean;
  /** Answer to bytes after the last request that are not a request. The connection ends with it. */
  refusal: string | undefined;
  /** Whether the answer lasts until the client leaves. Such a connection takes no place. */
  isApart: boolean;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called when the turn of a waiting request comes; with `false` when the connection has closed. */
  readonly begin?: (isOpen: boolean) => void;
}

/** The connections of one service, which may listen on several addresses. */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #ending = new Set<HttpServer>();
  /** Number of connections that take no place. */
  #apart = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Uses the constants of this file for limits that are not given. */
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

  get size(): number {
    return this.#connections.size;
  }

  /** Options that make `node:http` enforce those limits that it supports. */
  get serverOptions(): object {
    const { idleMs, headMs, requestMs } = this.limits;
    return {
      keepAliveTimeout: idleMs,
      headersTimeout: Math.min(headMs, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: this.#checkMs,
    };
  }

  /** Counts the connections of a server, and gives them places. */
  watch(server: HttpServer): void {
    server.on("connection", (socket: Socket) => this.#open(socket, server));
    server.on("clientError", (error: Error, socket: Socket) => this.#refuse(error, socket));
    // Without a listener, answers that are being sent would be lost with the connection. Nothing else uses
    // this socket.
    server.on("connect", (_request: IncomingMessage, socket: Socket) => {
      socket.on("error", () => {});
      this.#refuse(undefined, socket);
    });
  }

  /**
   * Registers a request. The answer may be made at once, or after the promise resolves with `true`. With
   * `false`, the client no longer waits for an answer.
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
   * Marks a request whose answer lasts until its client leaves, and whose number is limited elsewhere. Until
   * the answer ends, the connection takes no place.
   */
  setApart(request: IncomingMessage): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.exchange?.request !== request || connection.isApart) return;
    connection.isApart = true;
    this.#apart++;
  }

  /** Closes each connection of a server as soon as it has no request. */
  end(server: HttpServer): void {
    this.#ending.add(server);
    for (const connection of this.#connections.values()) {
      if (connection.server === server && connection.exchange === undefined) connection.socket.destroy();
    }
  }

  /** Closes all connections of a server at once. */
  cut(server: HttpServer): void {
    for (const connection of this.#connections.values()) {
      if (connection.server === server) connection.socket.destroy();
    }
  }

  get #checkMs(): number {
    const { idleMs, headMs, requestMs, takeMs } = this.limits;
    return Math.min(CHECK_MS, idleMs / 4, headMs / 4, requestMs / 4, takeMs / 4);
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
    this.#timer ??= setInterval(() => this.#check(), this.#checkMs);
  }

  /** Whether a new connection can only get the place of another one. */
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

  /**
   * Lets a connection count again. The runtimes differ in whether the answer or the socket closes first, so
   * this may be called twice.
   */
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
    // Unread bytes of the body come before the next request, so they are read and dropped.
    if (hasBody(connection.exchange.request)) connection.exchange.request.resume();
    connection.exchange = undefined;
    if (connection.isApart) {
      // Other connections may have taken all places in the meantime.
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
   * Answers bytes that are not a request, after the answers to earlier requests, and ends the connection.
   * `node:http` alone would refuse at once, and the client would take the refusal for the first of these
   * answers.
   */
  #refuse(error: Error | undefined, socket: Socket): void {
    const code = error !== undefined && "code" in error ? String(error.code) : "";
    const status = REFUSALS[code] ?? "400 Bad Request";
    const refusal = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const connection = this.#connections.get(socket);
    const exchange = connection?.exchange;
    if (exchange === undefined) return endWith(socket, refusal);
    // The body of this request is malformed, or its client has left.
    if (!exchange.request.complete || !socket.writable) {
      return exchange.response.headersSent ? void socket.destroy() : endWith(socket, refusal);
    }
    connection!.refusal = refusal;
    // Nothing more is read from this connection.
    socket.pause();
  }

  /**
   * Closes the connection that has waited longest for its client, to free its place; `false` if no connection
   * waits for its client.
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

  /** Closes the connections whose time is over, where `node:http` does not do so itself. */
  #check(): void {
    const nowMs = performance.now();
    const { idleMs, headMs, takeMs } = this.limits;
    for (const connection of this.#connections.values()) {
      const { socket, exchange } = connection;
      const waitedMs = nowMs - connection.sinceMs;
      if (exchange === undefined) {
        // Each line end before a request restarts the timeout of `node:http` for the next request.
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

/** Sends an answer and closes the connection. */
function endWith(socket: Socket, answer: string): void {
  if (socket.writable) socket.end(answer, () => socket.destroy());
  else socket.destroy();
}

function waitsForClient({ exchange, isTaking }: Connection): boolean {
  return exchange === undefined || !exchange.request.complete || !isTaking && holdsAnswer(exchange);
}

/** Whether a part of an answer waits in this process to be sent. */
function holdsAnswer({ response }: Exchange): boolean {
  return response.writableLength > 0;
}

/** Returns how many bytes of its answers a client, or the operating system for it, has received. */
function takenBytes({ bytesWritten }: Socket, { response }: Exchange): number {
  return bytesWritten - response.writableLength;
}

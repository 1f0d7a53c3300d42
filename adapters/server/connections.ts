/**
 * Limits the number of connections of a service that uses `node:http`, and closes connections of slow
 * clients.
 *
 * At any time, a connection waits either for its client or for the service. A connection waits for its client
 * while the client has to send a request or read a response. When a new connection arrives and the maximum
 * number is reached, the connection that has waited longest for its client is closed. Therefore slow clients
 * cannot keep fast clients out.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DEFAULT_MAX_READERS } from "../../extensions/events/places.ts";

export interface ConnectionLimits {
  /** Maximum number of simultaneous connections, on all addresses together. */
  readonly maxConnections: number;
  /** Timeout while a connection waits for its next request, in milliseconds. */
  readonly idleMs: number;
  /**
   * Timeout for receiving the header of a request, in milliseconds. The timeout begins when the connection is
   * opened, or with the first byte of a later request.
   */
  readonly headMs: number;
  /** Timeout for receiving a request with its body, in milliseconds. */
  readonly requestMs: number;
  /** Timeout in which a client has to read {@link MIN_TAKEN_BYTES} of its response, in milliseconds. */
  readonly takeMs: number;
}

/** Default maximum number of simultaneous connections. The operator may set a larger maximum. */
export const MAX_CONNECTIONS = 1024;
/**
 * Maximum share of the file descriptors that connections may use. Packs, workers and databases use the rest.
 */
export const DESCRIPTOR_SHARE = 1 / 4;
/**
 * Assumed number of file descriptors when the limit of the system is unknown. macOS has this default, the
 * lowest of all systems.
 */
export const USUAL_DESCRIPTORS = 256;
/**
 * Timeout while a connection waits for its next request, in seconds. Proxies usually have a shorter timeout.
 */
export const IDLE_SECONDS = 75;
/** Timeout for the header of a request, in seconds. */
export const HEAD_SECONDS = 20;
/** Timeout for a request with its body, in seconds. In this time, a client with 600 kbit/s can send 4 MiB. */
export const REQUEST_SECONDS = 60;
/**
 * Timeout in which a client has to read {@link MIN_TAKEN_BYTES} of its response, in seconds. If the rest of
 * the response is smaller, the client has to read the rest.
 */
export const TAKE_SECONDS = 20;
/**
 * Number of bytes of a response that a client has to read within {@link TAKE_SECONDS}, which is 26 kbit/s.
 */
export const MIN_TAKEN_BYTES = 64 * 1024;
/**
 * Maximum number of requests on one connection that wait for the response to an earlier request. A connection
 * with more waiting requests is closed.
 */
export const MAX_PIPELINED = 16;

/**
 * Status for bytes that are not an HTTP request, by the error code of `node:http`. All other codes get the
 * status 400.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Interval between two checks of all connections, in milliseconds. */
const CHECK_MS = 1000;

/** Returns the maximum number of connections for a process with this maximum number of file descriptors. */
export function placesFor(descriptors: number = USUAL_DESCRIPTORS): number {
  return Math.min(MAX_CONNECTIONS, Math.max(1, Math.floor(descriptors * DESCRIPTOR_SHARE)));
}

/**
 * Returns the maximum number of clients that may listen to changes. Connections of such clients do not count
 * towards the maximum that {@link placesFor} returns.
 */
export function eventPlacesFor(descriptors: number = USUAL_DESCRIPTORS): number {
  return Math.min(DEFAULT_MAX_READERS, Math.max(1, Math.floor(descriptors * DESCRIPTOR_SHARE)));
}

interface Connection {
  readonly socket: Socket;
  readonly server: HttpServer;
  exchange: Exchange | undefined;
  /** Requests that arrived before the response to `exchange` was complete (RFC 9112, 9.3.2). */
  readonly next: Exchange[];
  /** Time from which the timeout {@link TAKE_SECONDS} is measured, by the clock of `performance`. */
  sinceMs: number;
  /** Number of bytes that the client had read at `sinceMs`. */
  takenBytes: number;
  /** Becomes `false` when a check after `sinceMs` finds that the client does not read its response. */
  isTaking: boolean;
  refusal: string | undefined;
  /**
   * Whether the response lasts until the client leaves. A connection with such a response does not count
   * towards the maximum number.
   */
  isApart: boolean;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /**
   * Called for a request that had to wait for the response to an earlier request. The argument is `true` when
   * the earlier response is complete, and `false` when the connection has closed.
   */
  readonly begin?: (isOpen: boolean) => void;
}

/** The connections of one service, which may listen on several addresses. */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #ending = new Set<HttpServer>();
  #apart = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param limits Limits that replace the constants of this module. */
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

  /** Options for `node:http`, which enforces some of the limits. */
  get serverOptions(): object {
    const { idleMs, headMs, requestMs } = this.limits;
    return {
      keepAliveTimeout: idleMs,
      headersTimeout: Math.min(headMs, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: this.#checkMs,
    };
  }

  /** Starts to limit the connections of a server. */
  watch(server: HttpServer): void {
    server.on("connection", (socket: Socket) => this.#open(socket, server));
    server.on("clientError", (error: Error, socket: Socket) => this.#refuse(error, socket));
    // Without an error listener, responses that are being sent would be lost with the connection. No other
    // code uses this socket.
    server.on("connect", (_request: IncomingMessage, socket: Socket) => {
      socket.on("error", () => {});
      this.#refuse(undefined, socket);
    });
  }

  /**
   * Registers a request. Returns `undefined` if the response may be made at once. Otherwise returns a
   * promise. The promise resolves with `true` when the response may be made, or with `false` when the client
   * no longer waits for a response.
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
   * Marks a request whose response lasts until its client leaves. Until then, the connection does not count
   * towards the maximum number.
   */
  setApart(request: IncomingMessage): void {
    const connection = this.#connections.get(request.socket);
    if (connection === undefined || connection.exchange?.request !== request || connection.isApart) return;
    connection.isApart = true;
    this.#apart++;
  }

  /** Closes each connection of a server as soon as the connection has no request. */
  end(server: HttpServer): void {
    this.#ending.add(server);
    for (const connection of this.#connections.values()) {
      if (connection.server === server && connection.exchange === undefined) connection.socket.destroy();
    }
  }

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

  /** Called when the response closes and when the socket closes, in any order. */
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
    // Unread bytes of the body are dropped, because they precede the next request.
    if (hasBody(connection.exchange.request)) connection.exchange.request.resume();
    connection.exchange = undefined;
    if (connection.isApart) {
      // Other connections may have used up the maximum in the meantime.
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
   * Responds to bytes that are not an HTTP request, after the responses to earlier requests, and ends the
   * connection. `node:http` alone would respond at once, and the client would take that response for the
   * response to an earlier request.
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
    socket.pause();
  }

  /**
   * Closes the connection that has waited longest for its client. Returns `false` if no connection waits for
   * its client.
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

  /** Closes the connections whose timeout is over. Some timeouts are enforced by `node:http` instead. */
  #check(): void {
    const nowMs = performance.now();
    const { idleMs, headMs, takeMs } = this.limits;
    for (const connection of this.#connections.values()) {
      const { socket, exchange } = connection;
      const waitedMs = nowMs - connection.sinceMs;
      if (exchange === undefined) {
        // `node:http` restarts its timeout with each empty line before a request.
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

/** Checks whether a request has a body (RFC 9112, 6.3). The body may be empty. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function endWith(socket: Socket, answer: string): void {
  if (socket.writable) socket.end(answer, () => socket.destroy());
  else socket.destroy();
}

function waitsForClient({ exchange, isTaking }: Connection): boolean {
  return exchange === undefined || !exchange.request.complete || !isTaking && holdsAnswer(exchange);
}

function holdsAnswer({ response }: Exchange): boolean {
  return response.writableLength > 0;
}

/** Returns how many bytes of a connection the client or the operating system has accepted. */
function takenBytes({ bytesWritten }: Socket, { response }: Exchange): number {
  return bytesWritten - response.writableLength;
}

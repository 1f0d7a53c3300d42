/**
 * Manages the connections of a service through `node:http`. Limits the number of connections, and the time
 * for which each connection may make the service wait.
 *
 * At any time, a connection waits either for its client or for the service. It waits for its client when the
 * client has to send a request or the rest of a request, or has to read the response. When all slots are
 * taken, the connection that has waited longest for its client loses its slot. Therefore fast clients are
 * served even if any number of slow clients are connected.
 */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DEFAULT_MAX_READERS } from "../../extensions/events/places.ts";

/**
 * Limits for the number of connections, and for the time for which each connection may make the service wait.
 */
export interface ConnectionLimits {
  /** Maximum number of simultaneous connections, on all addresses together. */
  readonly maxConnections: number;
  /** Timeout between two requests of a connection, in milliseconds. */
  readonly idleMs: number;
  /**
   * Timeout for receiving the header of a request, in milliseconds. It begins with the first byte of the
   * header, or when the connection is opened.
   */
  readonly headMs: number;
  /** Timeout for receiving a request with its body, in milliseconds. */
  readonly requestMs: number;
  /** Timeout in which a client has to read {@link MIN_TAKEN_BYTES} of its response, in milliseconds. */
  readonly takeMs: number;
}

/**
 * Default maximum number of simultaneous connections. The default is not larger even if more file descriptors
 * are available, but the operator may set a larger maximum.
 */
export const MAX_CONNECTIONS = 1024;
/**
 * Maximum share of the file descriptors that connections may use. The rest is for packs, workers and
 * databases.
 */
export const DESCRIPTOR_SHARE = 1 / 4;
/**
 * Assumed number of file descriptors when the limit is unknown. It is the default of macOS, which is the
 * lowest default of all systems.
 */
export const USUAL_DESCRIPTORS = 256;
/** Timeout of a connection without traffic, in seconds. It is longer than the usual timeout of proxies. */
export const IDLE_SECONDS = 75;
/** Timeout for the header of a request, in seconds. */
export const HEAD_SECONDS = 20;
/** Timeout for a request with its body, in seconds. It is enough for 4 MiB at 600 kbit/s. */
export const REQUEST_SECONDS = 60;
/**
 * Timeout in which a client has to read {@link MIN_TAKEN_BYTES} of its response, in seconds. If less than
 * that is left of the response, the client has to read the rest.
 */
export const TAKE_SECONDS = 20;
/** Number of bytes of a response that a client has to read within {@link TAKE_SECONDS}. That is 26 kbit/s. */
export const MIN_TAKEN_BYTES = 64 * 1024;
/**
 * Maximum number of requests on one connection that wait for the response to an earlier request. If a client
 * sends more requests, its connection is closed.
 */
export const MAX_PIPELINED = 16;

/**
 * Status of the response to bytes that are not a request, by the code of the error. For all other codes, the
 * status is 400.
 */
const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/**
 * Interval between two checks of all connections, in milliseconds. It is the precision with which the
 * timeouts are enforced.
 */
const CHECK_MS = 1000;

/**
 * Returns the maximum number of connections of a process that may open this number of file descriptors. The
 * result is at most {@link MAX_CONNECTIONS}.
 */
export function placesFor(descriptors: number = USUAL_DESCRIPTORS): number {
  return Math.min(MAX_CONNECTIONS, Math.max(1, Math.floor(descriptors * DESCRIPTOR_SHARE)));
}

/**
 * Returns the maximum number of clients that may listen to changes. Their connections are in addition to the
 * connections of {@link placesFor}.
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
  /**
   * Time from which the current wait is measured, by the clock of `performance`. It is the time at which
   * `exchange` began or ended, or at which a check last found that the client had read
   * {@link MIN_TAKEN_BYTES}.
   */
  sinceMs: number;
  /** Number of bytes that the client had read at `sinceMs`. */
  takenBytes: number;
  /**
   * Whether the client reads its response. It is `false` when a check since `sinceMs` has found that the
   * client does not read.
   */
  isTaking: boolean;
  /**
   * Response to bytes that came after the last request and are not a request. The connection ends after this
   * response.
   */
  refusal: string | undefined;
  /** Whether the response lasts until the client leaves. Such a connection takes no slot. */
  isApart: boolean;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /**
   * Called for a request that waits for the response to an earlier request. The argument is `true` when the
   * turn of the request comes, and `false` when the connection has closed.
   */
  readonly begin?: (isOpen: boolean) => void;
}

/** The connections of one service, which may listen on several addresses. */
export class Connections {
  readonly limits: ConnectionLimits;
  readonly #connections = new Map<Socket, Connection>();
  readonly #ending = new Set<HttpServer>();
  /** Number of connections that take no slot. */
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

  /** Options for `node:http`, so that it enforces the limits that it supports. */
  get serverOptions(): object {
    const { idleMs, headMs, requestMs } = this.limits;
    return {
      keepAliveTimeout: idleMs,
      headersTimeout: Math.min(headMs, requestMs),
      requestTimeout: requestMs,
      connectionsCheckingInterval: this.#checkMs,
    };
  }

  /** Registers the connections of a server, and gives each connection a slot. */
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
   * Registers a request. If the method returns `undefined`, the response may be made at once. If it returns a
   * promise, the response may be made only when the promise has resolved with `true`. If the promise resolves
   * with `false`, the client no longer waits for a response.
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
   * Marks a request whose response lasts until its client leaves. The number of such requests has its own
   * limit. Until the response ends, the connection takes no slot.
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

  /** Whether all slots are taken. In that case, a new connection needs the slot of another connection. */
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
   * Makes a connection that takes no slot take a slot again. The runtimes differ in whether the response or
   * the socket closes first, so this method may be called twice.
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
    // Unread bytes of the body come before the next request on the connection, so they are read and dropped.
    if (hasBody(connection.exchange.request)) connection.exchange.request.resume();
    connection.exchange = undefined;
    if (connection.isApart) {
      // Other connections may have taken all slots in the meantime.
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
   * Responds to bytes that are not a request, after the responses to earlier requests, and ends the
   * connection. `node:http` alone would respond at once, and the client would treat that response as the
   * response to an earlier request.
   */
  #refuse(error: Error | undefined, socket: Socket): void {
    const code = error !== undefined && "code" in error ? String(error.code) : "";
    const status = REFUSALS[code] ?? "400 Bad Request";
    const refusal = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
    const connection = this.#connections.get(socket);
    const exchange = connection?.exchange;
    if (exchange === undefined) return endWith(socket, refusal);
    // In this case, either the body of this request is malformed, or its client has left.
    if (!exchange.request.complete || !socket.writable) {
      return exchange.response.headersSent ? void socket.destroy() : endWith(socket, refusal);
    }
    connection!.refusal = refusal;
    // No further bytes are read from this connection.
    socket.pause();
  }

  /**
   * Closes the connection that has waited longest for its client, to free its slot. Returns `false` if no
   * connection waits for its client.
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

  /** Closes the connections whose timeout is over, as far as `node:http` itself does not close them. */
  #check(): void {
    const nowMs = performance.now();
    const { idleMs, headMs, takeMs } = this.limits;
    for (const connection of this.#connections.values()) {
      const { socket, exchange } = connection;
      const waitedMs = nowMs - connection.sinceMs;
      if (exchange === undefined) {
        // If line ends come before a request, `node:http` restarts its timeout with each line end.
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

/** Checks whether a request has a body, which may be empty (RFC 9112, 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** Sends a response and closes the connection. */
function endWith(socket: Socket, answer: string): void {
  if (socket.writable) socket.end(answer, () => socket.destroy());
  else socket.destroy();
}

function waitsForClient({ exchange, isTaking }: Connection): boolean {
  return exchange === undefined || !exchange.request.complete || !isTaking && holdsAnswer(exchange);
}

/** Checks whether a part of a response waits in this process to be sent. */
function holdsAnswer({ response }: Exchange): boolean {
  return response.writableLength > 0;
}

/**
 * Returns the number of bytes of a connection that were accepted by the client, or by the operating system
 * for the client.
 */
function takenBytes({ bytesWritten }: Socket, { response }: Exchange): number {
  return bytesWritten - response.writableLength;
}

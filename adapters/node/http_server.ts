/** A server on a socket, through srvx and `node:http`. */
import { once } from "node:events";
import { lstatSync, unlinkSync } from "node:fs";
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { ServerRequest } from "srvx";
import { FastResponse, serve } from "srvx/node";
import type { Client } from "../../mod.ts";
import type { Address } from "../server/address.ts";
import { Connections } from "../server/connections.ts";
import { type Handler, steady } from "../server/handler.ts";
import type { Operator } from "../server/operator.ts";
import { finish, type Server, type ServerOptions } from "../server/server.ts";

const HOST = /^host$/i;

export interface NodeServer extends Server {
  readonly http: HttpServer;
}

/**
 * Opens a server. The server accepts connections when the promise resolves.
 *
 * @throws {Error} with the operating system's `code` (`EADDRINUSE`, `EACCES` …) when the socket cannot be
 * opened.
 */
export async function createServer(
  handler: Handler,
  { address, log, connections = new Connections(), answers, operator, closeMs }: ServerOptions,
): Promise<NodeServer> {
  // `FastResponse` needs a fifth less processor time than the `Response` of the runtime (measured on
  // Node.js).
  const { answer, giveUp, endLasting } = steady(handler, log, answers, FastResponse, operator?.idOf);
  const server = serve({
    fetch(request) {
      const { req, res } = request.runtime!.node as { req: IncomingMessage; res: ServerResponse };
      // After a request to upgrade to another protocol, Node.js and Deno read no further requests.
      if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
      const turn = connections.begin(req, res);
      if (req.method !== "GET" && req.method !== "HEAD") {
        Object.defineProperty(request, "body", { value: streamBody(req, res) });
      }
      const whenLeft = (call: () => void) => void (req.socket.destroyed ? call() : res.once("close", call));
      const client = clientOf(request, address.transport);
      if (operator !== undefined) watch(operator, request, client, res);
      const reply = () =>
        hasWrongHost(req)
          ? new FastResponse(null, { status: 400 })
          : answer(request, client, whenLeft, () => connections.setApart(req));
      return turn === undefined
        ? reply()
        : turn.then((isOpen) => isOpen ? reply() : new FastResponse(null, { status: 503 }));
    },
    ...(address.transport === "tcp" && { hostname: address.hostname, port: address.port }),
    node: {
      ...connections.serverOptions,
      // Bun would respond with an error at once, before the responses to earlier requests on the connection.
      requireHostHeader: false,
      ...(address.transport === "unix" && { path: address.path }),
    },
    manual: true,
    silent: true,
    gracefulShutdown: false,
  });
  const http = server.node?.server as HttpServer;
  connections.watch(http);
  // srvx itself responds to a malformed request target. On Deno, the unread body would then precede the next
  // request.
  http.on("request", (request, response) => response.writableEnded && request.resume());
  // When the runtime itself responds, the unread body would precede the next request.
  http.on("checkExpectation", (_request, response) => {
    response.shouldKeepAlive = false;
    response.writeHead(417).end();
  });
  if (address.transport === "unix") await removeStaleSocket(address.path);
  await server.serve();
  // Without a listener, an error while accepting a connection would end the process.
  http.on("error", (error) => log?.("warn", "Cannot accept a connection", error));
  return {
    http,
    address: withPort(address, http.address()),
    get isListening() {
      return http.listening;
    },
    async close() {
      const closed = server.close();
      endLasting();
      connections.end(http);
      await finish(closed, giveUp, () => connections.cut(http), closeMs);
    },
  };
}

function watch(
  operator: Operator,
  request: Request,
  client: Client | undefined,
  response: ServerResponse,
): void {
  const { socket } = response.req;
  const startMs = performance.now();
  const bytesBefore = socket.bytesWritten;
  operator.begin(request, client, response.req);
  response.once("close", () =>
    operator.end(request, {
      status: response.statusCode,
      bytes: socket.bytesWritten - bytesBefore,
      seconds: (performance.now() - startMs) / 1000,
    }));
}

/** Removes a Unix socket on which no process listens any more. Removes nothing else. */
async function removeStaleSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const socket = connect(path);
  const isRefused = await once(socket, "connect").then(() => false, ({ code }) => code === "ECONNREFUSED");
  socket.destroy();
  if (isRefused) unlinkSync(path);
}

/**
 * Checks whether a request lacks the required `Host` field, or has the field twice (RFC 9112, 3.2). A proxy
 * may use another of two values than this server.
 */
function hasWrongHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) if (HOST.test(rawHeaders[i]!)) hosts++;
  return hosts > 1 || hosts === 0 && httpVersion !== "1.0";
}

function withPort(address: Address, bound: ReturnType<HttpServer["address"]>): Address {
  return address.transport === "tcp" && bound !== null && typeof bound === "object"
    ? { ...address, port: bound.port }
    : address;
}

/**
 * Returns the sender of a request on a socket with this transport; `undefined` when the connection has
 * already closed, or when a forwarded request came over a Unix socket.
 *
 * A request counts as forwarded if it lacks `Host`, or if its target is in absolute form, which is meant for
 * a proxy (RFC 9112, 3.2.2). Forwarded requests never have the rights of the owner, but count towards the
 * limits of their sender.
 */
export function clientOf(request: ServerRequest, transport: Client["transport"]): Client | undefined {
  const message = request.runtime?.node?.req;
  if (message === undefined) return undefined;
  const isForwarded = message.headers.host === undefined || !message.url?.startsWith("/");
  if (transport === "unix") return isForwarded ? undefined : { transport };
  const address = message.socket.remoteAddress;
  if (address === undefined) return undefined;
  return isForwarded ? { transport: "tcp", address, isForwarded } : { transport: "tcp", address };
}

/**
 * Streams the bytes of a request's body. Reading rejects when the client leaves. After the response, unread
 * bytes are dropped, so that the connection can be used for the next request. The streams of Node.js and Deno
 * are not used, because data that arrives after a cancellation would cause an error outside of any handler.
 */
function streamBody(
  request: IncomingMessage,
  response: ServerResponse,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = request.iterator({ destroyOnReturn: false });
  let isCancelled = false;
  // `return` settles when more bytes have arrived, or when no more bytes can arrive.
  const letGo = async () => {
    isCancelled = true;
    await chunks.return?.().catch(() => {});
  };
  response.once("finish", () => {
    if (!request.complete) void letGo().then(() => request.resume());
  });
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (isCancelled) return;
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    },
    cancel: () => void letGo(),
  }, { highWaterMark: 0 });
}

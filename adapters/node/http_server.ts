/** A handler on a socket, through srvx and `node:http`. */
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

/** A listening socket, and what listens. */
export interface NodeServer extends Server {
  readonly http: HttpServer;
}

/**
 * Puts a handler on a socket; it accepts connections when the promise resolves.
 *
 * @throws {Error} with the operating system's `code` (`EADDRINUSE`, `EACCES` …) when it cannot.
 */
export async function createServer(
  handler: Handler,
  { address, log, connections = new Connections(), answers, operator, closeMs }: ServerOptions,
): Promise<NodeServer> {
  // An answer takes a fifth less processor time than with the runtime's own class (measured on Node.js).
  const { answer, giveUp, endLasting } = steady(handler, log, answers, FastResponse, operator?.idOf);
  const server = serve({
    fetch(request) {
      const { req, res } = request.runtime!.node as { req: IncomingMessage; res: ServerResponse };
      // Node.js and Deno do not read what follows a wish for another protocol as requests.
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
      // Bun would refuse at once, in the place of an earlier answer on the connection.
      requireHostHeader: false,
      ...(address.transport === "unix" && { path: address.path }),
    },
    manual: true,
    silent: true,
    gracefulShutdown: false,
  });
  const http = server.node?.server as HttpServer;
  connections.watch(http);
  // srvx has refused a target that is none by itself; Deno would leave the body before the next request.
  http.on("request", (request, response) => response.writableEnded && request.resume());
  // After the runtime's own refusal, the body would still stand before the next request.
  http.on("checkExpectation", (_request, response) => {
    response.shouldKeepAlive = false;
    response.writeHead(417).end();
  });
  if (address.transport === "unix") await removeStaleSocket(address.path);
  await server.serve();
  // Without a listener, a connection that cannot be accepted would end the process.
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

/** Tells an operator of a request, and of the end of its answer. */
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

/** Removes a socket that a killed process has left: nobody listens there. Everything else stays. */
async function removeStaleSocket(path: string): Promise<void> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return;
  const socket = connect(path);
  const isRefused = await once(socket, "connect").then(() => false, ({ code }) => code === "ECONNREFUSED");
  socket.destroy();
  if (isRefused) unlinkSync(path);
}

/**
 * Whether a request lacks the field that its version requires, or has it twice (RFC 9112, 3.2): who forwards
 * one may have looked at the other.
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
 * The sender of a request that came over such a socket; `undefined` when the connection has closed already. A
 * target in absolute form (RFC 9112, 3.2.2) was meant for a proxy, and its host may differ from that in
 * `Host`; a request of HTTP/1.0 may lack `Host`. Such requests are never the owner's, but count for their
 * sender.
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
 * The bytes of a request's body as they come; reading rejects when the client leaves. Cancelled, the stream
 * leaves the connection as it is; the stream of Node.js, and of Deno, fails outside of any handler when data
 * comes after that. Bytes that nobody wants are read once the request has been answered, so that the next
 * request can come.
 */
function streamBody(
  request: IncomingMessage,
  response: ServerResponse,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = request.iterator({ destroyOnReturn: false });
  let isCancelled = false;
  // Settles when more bytes have come, or none can come any more.
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

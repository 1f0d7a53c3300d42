/** A handler on a socket: srvx makes `Request` and `Response` of what `node:http` has. For Node.js, and for the `node:http` of Deno and Bun. */
import type { IncomingMessage, Server as HttpServer, ServerResponse } from "node:http";
import { serve } from "srvx/node";
import type { Address } from "../address.ts";
import { Connections } from "../connections.ts";
import { type Handler, steady } from "../handler.ts";
import { finish, type Server, type ServerOptions } from "../server.ts";
import { clientOf } from "./client.ts";
import { streamBody } from "./request_body.ts";

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
  { address, log, connections = new Connections(), answers }: ServerOptions,
): Promise<NodeServer> {
  const { answer, giveUp } = steady(handler, log, answers);
  const server = serve({
    fetch(request) {
      const { req, res } = request.runtime!.node as { req: IncomingMessage; res: ServerResponse };
      const turn = connections.begin(req, res);
      if (req.method !== "GET" && req.method !== "HEAD") {
        Object.defineProperty(request, "body", { value: streamBody(req, res) });
      }
      const whenLeft = (call: () => void) => void (req.socket.destroyed ? call() : res.once("close", call));
      const reply = () => answer(request, clientOf(request, address.transport), whenLeft);
      return turn === undefined
        ? reply()
        : turn.then((isOpen) => isOpen ? reply() : new Response(null, { status: 503 }));
    },
    ...(address.transport === "tcp" && { hostname: address.hostname, port: address.port }),
    node: {
      ...connections.serverOptions,
      ...(address.transport === "unix" && { path: address.path }),
    },
    manual: true,
    silent: true,
    gracefulShutdown: false,
  });
  const http = server.node?.server as HttpServer;
  connections.watch(http);
  await server.serve();
  // Without a listener, a connection that cannot be accepted would end the process.
  http.on("error", (error) => log?.("warn", "Cannot accept a connection", error));
  return {
    http,
    address: withPort(address, http.address()),
    async close() {
      const closed = server.close();
      connections.end(http);
      await finish(closed, giveUp, () => connections.cut(http));
    },
  };
}

function withPort(address: Address, bound: ReturnType<HttpServer["address"]>): Address {
  return address.transport === "tcp" && bound !== null && typeof bound === "object"
    ? { ...address, port: bound.port }
    : address;
}

/** A handler on a socket of Node.js: srvx makes `Request` and `Response` of what `node:http` has. */
import type { Server as HttpServer } from "node:http";
import { serve } from "srvx/node";
import type { Address } from "../address.ts";
import { type Handler, steady } from "../handler.ts";
import { finish, IDLE_SECONDS, type Server, type ServerOptions } from "../server.ts";
import { clientOf } from "./client.ts";

/** How often idle connections are looked for while closing, in milliseconds: a request may have been running on them. */
const SWEEP_MS = 20;

/**
 * Puts a handler on a socket; it accepts connections when the promise resolves.
 *
 * @throws {Error} with the operating system's `code` (`EADDRINUSE`, `EACCES` …) when it cannot.
 */
export async function createServer(handler: Handler, { address, log }: ServerOptions): Promise<Server> {
  const { answer, giveUp } = steady(handler, log);
  const server = serve({
    fetch: (request) => answer(request, clientOf(request, address.transport)),
    ...(address.transport === "tcp" && { hostname: address.hostname, port: address.port }),
    node: {
      keepAliveTimeout: IDLE_SECONDS * 1000,
      ...(address.transport === "unix" && { path: address.path }),
    },
    manual: true,
    silent: true,
    gracefulShutdown: false,
  });
  await server.serve();
  const http = server.node?.server as HttpServer;
  return {
    address: withPort(address, http.address()),
    async close() {
      const sweep = setInterval(() => http.closeIdleConnections(), SWEEP_MS);
      await finish(server.close(), giveUp, () => http.closeAllConnections());
      clearInterval(sweep);
    },
  };
}

function withPort(address: Address, bound: ReturnType<HttpServer["address"]>): Address {
  return address.transport === "tcp" && bound !== null && typeof bound === "object"
    ? { ...address, port: bound.port }
    : address;
}

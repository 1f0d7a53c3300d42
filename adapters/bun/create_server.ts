/** A handler on a socket of Bun, which speaks Fetch itself. */
import { type Handler, steady } from "../handler.ts";
import { finish, IDLE_SECONDS, type Server, type ServerOptions } from "../server.ts";
import { clientOf } from "./client.ts";

/**
 * Puts a handler on a socket; it accepts connections when the promise resolves.
 *
 * @throws {Error} with the operating system's `code` (`EADDRINUSE`, `EACCES` …) when it cannot.
 */
// deno-lint-ignore require-await -- what fails at once shall reject, as on the other runtimes
export async function createServer(handler: Handler, { address, log }: ServerOptions): Promise<Server> {
  const { answer, giveUp } = steady(handler, log);
  // Bun's types allow no `idleTimeout` beside `unix`; the server does.
  const where: { hostname?: string; port?: number } = address.transport === "unix"
    ? { unix: address.path } as object
    : { hostname: address.hostname, port: address.port };
  const server = Bun.serve({
    ...where,
    fetch: (request, server) => answer(request, clientOf(request, server, address.transport)),
    idleTimeout: IDLE_SECONDS,
    // Without `development` Bun would share a port that is in use.
    reusePort: false,
    // Else errors and their stacks are shown as pages.
    development: false,
  });
  return {
    address: address.transport === "tcp" && server.port !== undefined
      ? { ...address, port: server.port }
      : address,
    close: () => finish(server.stop(), giveUp, () => void server.stop(true)),
  };
}

/** A handler on a socket of Deno, which speaks Fetch itself. */
import type { Address } from "../address.ts";
import { type Handler, steady } from "../handler.ts";
import { finish, type Server, type ServerOptions } from "../server.ts";
import { clientOf } from "./client.ts";

/**
 * Puts a handler on a socket; it accepts connections when the promise resolves.
 *
 * @throws {Error} with the operating system's `code` (`EADDRINUSE`, `EACCES` …) when it cannot.
 */
// deno-lint-ignore require-await -- what fails at once shall reject, as on the other runtimes
export async function createServer(handler: Handler, { address, log }: ServerOptions): Promise<Server> {
  const { answer, giveUp } = steady(handler, log);
  const where = address.transport === "unix"
    ? { path: address.path }
    : { hostname: address.hostname, port: address.port };
  const server = Deno.serve(
    { ...where, onListen() {} },
    (request: Request, info: Deno.ServeHandlerInfo) => answer(request, clientOf(info.remoteAddr)),
  );
  return {
    address: withPort(address, server.addr),
    // A server that is shutting down has no way to cut its connections: whatever is left ends with the process.
    close: () => finish(server.shutdown(), giveUp, () => {}),
  };
}

function withPort(address: Address, bound: Deno.Addr): Address {
  return address.transport === "tcp" && bound.transport === "tcp"
    ? { ...address, port: bound.port }
    : address;
}

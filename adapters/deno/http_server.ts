/**
 * Opens the server of the Node.js adapter, on Deno's `node:http`. This server is used because `Deno.serve`
 * cannot limit connections (see docs/decisions/node_http.md).
 *
 * When no file descriptor is left for a new connection, Deno's `node:http` stops accepting connections
 * without an error. This module then makes the server listen again.
 */
import { connect, type Socket } from "node:net";
import { type Address, formatAddress } from "../server/address.ts";
import type { Handler } from "../server/handler.ts";
import type { NodeServer } from "../node/http_server.ts";
import type { Server, ServerOptions } from "../server/server.ts";
import { mayReach } from "./permission.ts";
import { loadSrvx } from "./srvx.ts";

/** Interval between two checks whether the server accepts connections, in milliseconds. */
export const KNOCK_MS = 5000;

/**
 * Opens a server. The server accepts connections when the promise resolves.
 *
 * @throws {Error} with the operating system's `code` (`EADDRINUSE`, `EACCES` …) when the socket cannot be
 *   opened.
 */
export async function createServer(
  handler: Handler,
  options: ServerOptions & { /** Replaces {@link KNOCK_MS}. */ readonly knockMs?: number },
): Promise<Server> {
  const { address } = options;
  if (address.transport === "tcp" && !mayReach(address)) {
    throw Object.assign(new Error(`Deno has no permission for ${formatAddress(address)}`), {
      code: "EACCES",
    });
  }
  await loadSrvx();
  const { createServer: createNodeServer } = await import("../node/http_server.ts");
  const server = await createNodeServer(handler, options);
  const stop = mayReach(server.address) ? keepListening(server, options) : () => {};
  return {
    address: server.address,
    get isListening() {
      return server.isListening;
    },
    close() {
      stop();
      return server.close();
    },
  };
}

/**
 * Checks at intervals whether a server accepts connections. If no client has connected since the last check,
 * the check itself connects to the server. If the server does not accept this connection, the check makes the
 * server listen again. Returns a function that ends the checks.
 */
function keepListening(
  { http, address }: NodeServer,
  { log, knockMs = KNOCK_MS }: ServerOptions & { knockMs?: number },
): () => void {
  let hasAccepted = true;
  let knock: Socket | undefined;
  http.on("connection", () => hasAccepted = true);
  const timer = setInterval(() => {
    if (!hasAccepted && knock !== undefined) listenAgain();
    else if (!hasAccepted) return void (knock = connectTo(address));
    knock?.destroy();
    knock = undefined;
    hasAccepted = false;
  }, knockMs);
  return () => {
    clearInterval(timer);
    knock?.destroy();
  };

  function connectTo(address: Address): Socket {
    const socket = address.transport === "unix"
      ? connect(address.path)
      : connect(address.port, address.hostname);
    // The connection also fails when no file descriptor is left for this socket.
    socket.on("error", () => knock = undefined);
    return socket;
  }

  function listenAgain(): void {
    log?.("warn", `Listening on ${formatAddress(address)} again`);
    if (http.listening) http.close();
    if (address.transport === "unix") http.listen(address.path);
    else http.listen(address.port, address.hostname);
  }
}

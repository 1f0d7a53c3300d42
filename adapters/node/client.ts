/** The other end of a connection on Node.js, and through `node:http` on Deno and Bun. */
import type { ServerRequest } from "srvx";
import type { Client } from "../../mod.ts";

/**
 * The sender of a request that came over such a socket; `undefined` when the connection has closed already. `undefined`, too, for a target in
 * absolute form (RFC 9112 3.2.2): it was meant for a proxy, and its host may be another one than that in `Host`.
 */
export function clientOf(request: ServerRequest, transport: Client["transport"]): Client | undefined {
  const message = request.runtime?.node?.req;
  if (message === undefined || !message.url?.startsWith("/")) return undefined;
  if (transport === "unix") return { transport };
  const address = message.socket.remoteAddress;
  return address === undefined ? undefined : { transport: "tcp", address };
}

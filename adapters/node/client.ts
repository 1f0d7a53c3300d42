/** The other end of a connection on Node.js. */
import type { ServerRequest } from "srvx";
import type { Client } from "../../mod.ts";

/** Who sent a request that came over such a socket; `undefined` when the connection has closed already. */
export function clientOf(request: ServerRequest, transport: Client["transport"]): Client | undefined {
  if (transport === "unix") return { transport };
  const address = request.runtime?.node?.req.socket.remoteAddress;
  return address === undefined ? undefined : { transport, address };
}

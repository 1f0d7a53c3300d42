/** The other end of a connection on Bun. */
import type { Client } from "../../mod.ts";

/** Who sent a request that came over such a socket; `undefined` when the connection has closed already. */
export function clientOf(
  request: Request,
  server: Bun.Server<unknown>,
  transport: Client["transport"],
): Client | undefined {
  if (transport === "unix") return { transport };
  const remote = server.requestIP(request);
  return remote === null ? undefined : { transport, address: remote.address };
}

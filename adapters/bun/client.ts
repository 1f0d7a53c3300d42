/** The other end of a connection on Bun. */
import type { Client } from "../../mod.ts";

/**
 * The sender of a request that came to `Bun.serve` over such a socket; `undefined` when the connection has
 * closed already. `Bun.serve` does not tell a target in absolute form from others and takes its host from
 * `Host`; `createServer` makes its sender a stranger.
 */
export function clientOf(
  request: Request,
  server: Bun.Server<unknown>,
  transport: Client["transport"],
): Client | undefined {
  if (transport === "unix") return { transport };
  const remote = server.requestIP(request);
  return remote === null ? undefined : { transport, address: remote.address };
}

/** The other end of a connection on Deno. */
import type { Client } from "../../mod.ts";

/**
 * The sender of a request that came to `Deno.serve` from a remote address; `undefined`, a stranger, without
 * `Host`, which nobody has checked then. Requests of HTTP/2 have none on Deno.
 */
export function clientOf(remote: Deno.Addr, { headers }: Request): Client | undefined {
  if (!headers.has("host")) return undefined;
  if (remote.transport === "tcp") return { transport: "tcp", address: remote.hostname };
  return remote.transport === "unix" ? { transport: "unix" } : undefined;
}

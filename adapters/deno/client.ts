/** Identifies the sender of a request on Deno. */
import type { Client } from "../../mod.ts";

/**
 * Returns the sender of a request that came to `Deno.serve` from a remote address. Returns `undefined` for a
 * request without `Host`, such as an HTTP/2 request on Deno, because its host has not been checked. The API
 * treats an `undefined` sender as a client that is not the owner.
 */
export function clientOf(remote: Deno.Addr, { headers }: Request): Client | undefined {
  if (!headers.has("host")) return undefined;
  if (remote.transport === "tcp") return { transport: "tcp", address: remote.hostname };
  return remote.transport === "unix" ? { transport: "unix" } : undefined;
}

/** Identifies the sender of a request on Deno. */
import type { Client } from "../../mod.ts";

/**
 * Returns the sender of a request that came to `Deno.serve` from a remote address. Returns `undefined` for a
 * request without `Host`, because the host of such a request has not been checked. The API treats a sender
 * that is `undefined` as a stranger. On Deno, HTTP/2 requests have no `Host`.
 */
export function clientOf(remote: Deno.Addr, { headers }: Request): Client | undefined {
  if (!headers.has("host")) return undefined;
  if (remote.transport === "tcp") return { transport: "tcp", address: remote.hostname };
  return remote.transport === "unix" ? { transport: "unix" } : undefined;
}

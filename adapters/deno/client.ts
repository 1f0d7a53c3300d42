/** The sender of a request on Deno. */
import type { Client } from "../../mod.ts";

/**
 * Returns the sender of a request that came to `Deno.serve` from a remote address; `undefined`, a stranger,
 * without `Host`, because then nothing has checked the host. On Deno, requests of HTTP/2 have no `Host`.
 */
export function clientOf(remote: Deno.Addr, { headers }: Request): Client | undefined {
  if (!headers.has("host")) return undefined;
  if (remote.transport === "tcp") return { transport: "tcp", address: remote.hostname };
  return remote.transport === "unix" ? { transport: "unix" } : undefined;
}

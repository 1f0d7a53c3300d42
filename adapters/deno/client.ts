/** The other end of a connection on Deno. */
import type { Client } from "../../mod.ts";

/** The client at a remote address. */
export function clientOf(remote: Deno.Addr): Client | undefined {
  if (remote.transport === "tcp") return { transport: "tcp", address: remote.hostname };
  return remote.transport === "unix" ? { transport: "unix" } : undefined;
}

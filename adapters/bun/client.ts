/** The sender of a request on Bun. */
import type { Client } from "../../mod.ts";

/** The part of `Bun.Server` that returns the address of a client. */
export interface RequestSource {
  /** Returns the address that a request came from; `null` when its connection has closed. */
  requestIP(request: Request): { readonly address: string } | null;
}

/**
 * Returns the sender of a request that came to `Bun.serve` over such a socket; `undefined`, a stranger, when
 * the connection has already closed, and for a request of HTTP/1.0 without `Host`.
 *
 * `Bun.serve` does not distinguish a target in absolute form from others, and takes its host from `Host`.
 * `createServer` treats the sender of such a request as a stranger.
 */
export function clientOf(
  request: Request,
  server: RequestSource,
  transport: Client["transport"],
): Client | undefined {
  if (!request.headers.has("host")) return undefined;
  if (transport === "unix") return { transport };
  const remote = server.requestIP(request);
  return remote === null ? undefined : { transport, address: remote.address };
}

/** Identifies the sender of a request on Bun. */
import type { Client } from "../../mod.ts";

/** The part of `Bun.Server` that returns the address of a client. */
export interface RequestSource {
  /** Returns the address that a request came from; `null` when its connection has closed. */
  requestIP(request: Request): { readonly address: string } | null;
}

/**
 * Returns the sender of a request that came to `Bun.serve` over a socket with this transport; `undefined`
 * when the connection has already closed, and for an HTTP/1.0 request without `Host`. The API treats an
 * `undefined` sender as a client that is not the owner.
 *
 * `Bun.serve` does not show whether the target of a request is in absolute form. Unlike this function,
 * `createServer` treats the sender of such a request as a client that is not the owner.
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

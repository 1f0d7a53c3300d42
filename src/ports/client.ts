/**
 * The client of a request. The host takes it from the socket or from its own sign-in, never from a header
 * field.
 */

/**
 * The sender of a request.
 *
 * - `tcp`: the other end of a TCP connection, by its IP address without port, such as `127.0.0.1` or `::1`.
 *   `isForwarded` means that the request was addressed to a proxy, or named no host. Such a client is never
 *   the owner.
 * - `unix`: the other end of a Unix socket.
 * - `owner`: the node's owner, identified by the host. Only the value `NODE_OWNER` itself counts.
 */
export type Client =
  | { readonly transport: "tcp"; readonly address: string; readonly isForwarded?: true }
  | { readonly transport: "unix" }
  | { readonly transport: "owner" };

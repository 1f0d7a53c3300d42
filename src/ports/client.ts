/** The caller of a request, as a host knows it from the socket or from its own sign-in, never from a header. */

/**
 * The sender of a request.
 *
 * - `tcp`: the other end of a TCP connection, by its IP address without port, such as `127.0.0.1` or `::1`.
 * - `unix`: the other end of a Unix socket.
 * - `owner`: the node's owner, for whom the host vouches. Only the value `NODE_OWNER` itself counts.
 */
export type Client =
  | { readonly transport: "tcp"; readonly address: string }
  | { readonly transport: "unix" }
  | { readonly transport: "owner" };

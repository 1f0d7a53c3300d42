/**
 * The client that has sent a request. The host identifies the client by the socket or by a sign-in of the
 * host, never by a header field.
 */

/**
 * The sender of a request.
 *
 * - `tcp`: The client is connected by TCP and has this IP address, such as `127.0.0.1` or `::1`, without
 *   port. `isForwarded` means that the request was addressed to a proxy, or named no host. Such a client is
 *   never the owner.
 * - `unix`: The client is connected by a Unix socket.
 * - `owner`: The client is the owner of the node, whom the host has identified. Only the value `NODE_OWNER`
 *   itself is accepted.
 */
export type Client =
  | { readonly transport: "tcp"; readonly address: string; readonly isForwarded?: true }
  | { readonly transport: "unix" }
  | { readonly transport: "owner" };

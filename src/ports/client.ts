/** What a host knows of the caller of a request from its socket, never from a header. */

/** The other end of the connection. */
export type Client =
  | {
    readonly transport: "tcp"; /** IP address without port, `127.0.0.1` or `::1`. */
    readonly address: string;
  }
  | { readonly transport: "unix" };

/** Parses and formats addresses of servers, as users write them on a command line. */

/** A TCP address or a Unix socket. Port 0 means any free port. */
export type Address =
  | {
    readonly transport: "tcp"; /** Host name or IP address. An IPv6 address has no brackets. */
    readonly hostname: string;
    readonly port: number;
  }
  | { readonly transport: "unix"; readonly path: string };

/** Default address of a service, to which only programs on this machine can connect. */
export const DEFAULT_ADDRESS: Address = { transport: "tcp", hostname: "127.0.0.1", port: 8080 };

const TCP = /^(?:\[([0-9a-f]*:[0-9a-f:.]*(?:%\w+)?)\]|([^\s:/[\]]+)):(\d{1,5})$/i;
const UNIX = "unix:";

/** Parses `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; `undefined` for any other text. */
export function parseAddress(text: string): Address | undefined {
  if (text.startsWith(UNIX)) {
    const path = text.slice(UNIX.length);
    return path === "" ? undefined : { transport: "unix", path };
  }
  const [, ipv6, name, digits] = TCP.exec(text) ?? [];
  const hostname = ipv6 ?? name;
  const port = Number(digits);
  return hostname === undefined || port > 0xffff ? undefined : { transport: "tcp", hostname, port };
}

/** Formats a TCP address as a URL without a final slash. A Unix socket is formatted as `unix:PATH`. */
export function formatAddress(address: Address): string {
  if (address.transport === "unix") return UNIX + address.path;
  const host = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
  return `http://${host}:${address.port}`;
}

const LOCALHOST = /^localhost\.?$/i;

/**
 * Returns the addresses that a server listens on. `localhost` means both loopback addresses (RFC 6761, 6.3),
 * because browsers try both addresses. If the service listened on only one address, a program of another user
 * could respond on the other address.
 */
export function concreteAddresses(address: Address): readonly Address[] {
  return address.transport === "tcp" && LOCALHOST.test(address.hostname)
    ? ["127.0.0.1", "::1"].map((hostname) => ({ ...address, hostname }))
    : [address];
}

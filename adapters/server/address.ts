/** Addresses of servers, as they are written on a command line and shown to people. */

/** A TCP port (0 = any free one) or a Unix socket. */
export type Address =
  | {
    readonly transport: "tcp"; /** Name or IP address, IPv6 without brackets. */
    readonly hostname: string;
    readonly port: number;
  }
  | { readonly transport: "unix"; readonly path: string };

/** Default address of a service: only this machine can reach it. */
export const DEFAULT_ADDRESS: Address = { transport: "tcp", hostname: "127.0.0.1", port: 8080 };

const TCP = /^(?:\[([0-9a-f]*:[0-9a-f:.]*(?:%\w+)?)\]|([^\s:/[\]]+)):(\d{1,5})$/i;
const UNIX = "unix:";

/** Reads `HOST:PORT`, `[IPV6]:PORT` or `unix:PATH`; `undefined` for anything else. */
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

/** Formats an address as a URL without a final slash, or as `unix:PATH`: a Unix socket has no URL. */
export function formatAddress(address: Address): string {
  if (address.transport === "unix") return UNIX + address.path;
  const host = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
  return `http://${host}:${address.port}`;
}

const LOCALHOST = /^localhost\.?$/i;

/**
 * Returns the addresses that a server listens on. `localhost` stands for both loopback addresses, whatever
 * the machine's resolver returns (RFC 6761, 6.3). Browsers try both without asking the resolver. If the
 * service listened on one only, a program of another user could answer on the other one.
 */
export function concreteAddresses(address: Address): readonly Address[] {
  return address.transport === "tcp" && LOCALHOST.test(address.hostname)
    ? ["127.0.0.1", "::1"].map((hostname) => ({ ...address, hostname }))
    : [address];
}

/**
 * Decides whether a request comes from the owner of the node, who alone may see private repositories and the profile.
 *
 * The socket's address decides, never a header. A web page can make the owner's own browser ask, so `Host` and `Origin` must be local or trusted, too.
 * A header field that a proxy adds shows that the socket belongs to the proxy, not to the sender.
 */
import type { Client } from "../ports/client.ts";
import { NODE_OWNER } from "./client.ts";

/** The host's part in the decision. */
export interface PrivilegePolicy {
  /** Requests come through a proxy, so their address says nothing: nobody is privileged. */
  readonly behindProxy: boolean;
  /** Origins of web pages that may act for the owner, besides those on loopback. */
  readonly trustedOrigins: readonly string[];
}

/** Origins trusted unless a host says otherwise: the public web app. */
export const DEFAULT_TRUSTED_ORIGINS: readonly string[] = ["https://app.radicle.xyz"];

/** Header fields that proxies add (RFC 7239, RFC 9110 7.6.3, and the older ones in use). */
export const PROXY_FIELDS: readonly string[] = [
  "forwarded",
  "via",
  "x-forwarded-by",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-proto",
  "x-forwarded-scheme",
  "x-forwarded-server",
  "x-forwarded-ssl",
  "x-client-ip",
  "x-real-ip",
  "cf-connecting-ip",
  "true-client-ip",
];

/** Whether a request comes from the owner of the node. A request without a known client does not. */
export function isPrivileged(request: Request, client: Client | undefined, policy: PrivilegePolicy): boolean {
  if (client === undefined) return false;
  if (client.transport === "owner") return client === NODE_OWNER;
  if (policy.behindProxy || isForwarded(request)) return false;
  if (client.transport === "tcp" && !isLoopbackAddress(client.address)) return false;
  return hasLocalHost(request) && hasTrustedOrigin(request, policy.trustedOrigins);
}

/** Whether a page of a foreign site sent the request: one that may not act for the owner. */
export function isFromForeignPage(request: Request, { trustedOrigins }: PrivilegePolicy): boolean {
  return !hasTrustedOrigin(request, trustedOrigins);
}

/**
 * A text for the peer that sent a request, the same for all requests of that peer; empty when the peer cannot be told, or is a proxy. Addresses of IPv6
 * count by their network of 64 bits, which one sender usually has as a whole.
 */
export function peerOf(request: Request, client: Client | undefined, policy: PrivilegePolicy): string {
  if (client === undefined || policy.behindProxy || isForwarded(request)) return "";
  if (client.transport !== "tcp") return client.transport;
  const { address } = client;
  return address.includes(":") && !address.includes(".") ? networkOf(address) : address;
}

/** The first four groups of an IPv6 address. */
function networkOf(address: string): string {
  const [start = "", end] = address.split("::");
  const groups = start.split(":").filter((group) => group !== "");
  const rest = end?.split(":").filter((group) => group !== "") ?? [];
  const zeros = end === undefined ? 0 : Math.max(8 - groups.length - rest.length, 0);
  return [...groups, ...new Array<string>(zeros).fill("0"), ...rest].slice(0, 4).join(":").toLowerCase();
}

/** Whether a proxy has handed the request on. */
function isForwarded({ headers }: Request): boolean {
  return PROXY_FIELDS.some((name) => headers.has(name));
}

/** Whether an IP address is one of this machine: 127.0.0.0/8, `::1`, and the former mapped into IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  return plain === "::1" || /^127(\.\d{1,3}){3}$/.test(plain);
}

/** The form of a `Host` field (RFC 9110 7.2): a name or an address, and perhaps a port; nothing else, no user information. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** Closes DNS rebinding: a foreign name that resolves to loopback is still a foreign name. */
function hasLocalHost(request: Request): boolean {
  const { hostname, username, password } = new URL(request.url);
  if (username !== "" || password !== "" || !isLoopbackHost(hostname)) return false;
  const host = request.headers.get("host");
  return host === null || HOST.test(host) && isLoopbackHost(hostnameOf(`http://${host}`));
}

function hasTrustedOrigin(request: Request, trusted: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return !isUsedByOtherSite(request);
  return trusted.includes(origin) || /^https?:/.test(origin) && isLoopbackHost(hostnameOf(origin));
}

/**
 * Closes the gap that CORS leaves: a page may load scripts, styles, images and media from other sites without `Origin`, and learn from their effect,
 * their size or their failure whether they exist. Browsers mark such requests by Fetch Metadata (W3C), other clients do not.
 * Choice: only a navigation, which leaves the page, may show the owner something private.
 */
function isUsedByOtherSite({ headers }: Request): boolean {
  return headers.get("sec-fetch-site") === "cross-site" && headers.get("sec-fetch-dest") !== "document";
}

function isLoopbackHost(hostname: string | undefined): boolean {
  if (hostname === undefined) return false;
  return hostname === "localhost" || hostname.endsWith(".localhost") ||
    isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

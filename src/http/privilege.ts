/**
 * Decides whether a request comes from the owner of the node. Only the owner may see private repositories and
 * the profile.
 *
 * A request of the owner comes from a local socket. Because a foreign web page can make the owner's browser
 * send such a request, `Host` and `Origin` must also be local or trusted. A request with a header field of a
 * proxy is never a request of the owner, because the socket belongs to the proxy. No header field makes a
 * client the owner.
 */
import type { Client } from "../ports/client.ts";
import { MalformedError } from "../errors.ts";

/**
 * The node's owner, as a client. A host with its own sign-in passes this value with requests that it has
 * authenticated. For these requests, the API does not check the address of the socket, `Host`, `Origin` and
 * proxies, so the host itself must refuse cross-site requests.
 *
 * @example
 * ```ts
 * const response = await api.fetch(request, isSignedIn(request) ? NODE_OWNER : undefined);
 * ```
 */
export const NODE_OWNER: Client = Object.freeze({ transport: "owner" });

/**
 * Reads a value as a client. Frameworks and runtimes may pass other values in the same argument, such as an
 * environment or an execution context. Other values must never make a client the owner.
 *
 * @returns The client, if the value is {@link NODE_OWNER} itself or an object with exactly the members of a
 * TCP or Unix client; otherwise `undefined`.
 */
export function recognizeClient(value: unknown): Client | undefined {
  if (value === NODE_OWNER) return NODE_OWNER;
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const { transport, address, isForwarded, ...others } = value as Record<string, unknown>;
    const names = Reflect.ownKeys(value);
    if (Reflect.ownKeys(others).length > 0) return undefined;
    if (transport === "unix" && names.length === 1) return { transport };
    if (transport !== "tcp" || typeof address !== "string") return undefined;
    if (names.length === 2 && isForwarded === undefined) return { transport, address };
    if (names.length === 3 && isForwarded === true) return { transport, address, isForwarded };
  } catch {
    // Reading a member may throw, as in a revoked proxy. Such a value is not a client.
  }
  return undefined;
}

/** Settings of the host that decide which clients count as the owner. */
export interface PrivilegePolicy {
  /** Whether requests come through a proxy. With a proxy, no client with a socket counts as the owner. */
  readonly behindProxy: boolean;
  /** Origins of web pages that may send requests for the owner, in addition to origins on loopback. */
  readonly trustedOrigins: readonly string[];
}

/** Default of {@link PrivilegePolicy.trustedOrigins}: the public web app. */
export const DEFAULT_TRUSTED_ORIGINS: readonly string[] = ["https://app.radicle.xyz"];

/** Header fields that proxies add (RFC 7239, RFC 9110 7.6.3, and fields without a standard). */
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

/** Checks whether a request comes from the owner of the node. An unknown client is never the owner. */
export function isPrivileged(request: Request, client: Client | undefined, policy: PrivilegePolicy): boolean {
  if (client === undefined) return false;
  if (client.transport === "owner") return client === NODE_OWNER;
  if (policy.behindProxy || isForwarded(request)) return false;
  if (client.transport === "tcp" && (client.isForwarded || !isLoopbackAddress(client.address))) return false;
  return hasLocalHost(request) && hasTrustedOrigin(request, policy.trustedOrigins);
}

/** Checks whether a request was sent by a web page whose site is neither local nor trusted. */
export function isFromForeignPage(request: Request, { trustedOrigins }: PrivilegePolicy): boolean {
  return !hasTrustedOrigin(request, trustedOrigins);
}

function isForwarded({ headers }: Request): boolean {
  return PROXY_FIELDS.some((name) => headers.has(name));
}

/**
 * Checks whether an IP address is a loopback address: `::1`, or an address in 127.0.0.0/8, also in the form
 * `::ffff:127.0.0.1`.
 */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  return plain === "::1" || /^127(\.\d{1,3}){3}$/.test(plain);
}

/** Syntax of a `Host` field (RFC 9110 7.2): a name or an address, and an optional port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Checks whether the `Host` of a request is local. The check prevents DNS rebinding: a foreign host name is
 * refused even when it resolves to a loopback address.
 */
function hasLocalHost(request: Request): boolean {
  const { host: asked, hostname, username, password } = new URL(request.url);
  if (username !== "" || password !== "" || !isLoopbackHost(hostname)) return false;
  const host = request.headers.get("host");
  if (host === null || host === asked) return true;
  return HOST.test(host) && isLoopbackHost(hostnameOf(`http://${host}`));
}

function hasTrustedOrigin(request: Request, trusted: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return !isUsedByOtherSite(request);
  return trusted.includes(origin) || /^https?:/.test(origin) && isLoopbackHost(hostnameOf(origin));
}

/**
 * Checks whether a page of another site sent a request without `Origin`, for example for a script or an
 * image. The page could find out whether a private file exists. Browsers mark such requests with Fetch
 * Metadata (W3C). Choice: Navigations are not refused, because they leave the page.
 */
function isUsedByOtherSite({ headers }: Request): boolean {
  return headers.get("sec-fetch-site") === "cross-site" && headers.get("sec-fetch-dest") !== "document";
}

/**
 * Checks whether a browser treats the URL of a request as trustworthy (W3C Secure Contexts, 3.1): the request
 * used HTTPS, possibly only to a proxy, or the host is this machine. The result decides only about features
 * of browsers, and grants no rights.
 */
export function hasTrustworthyOrigin({ url, headers }: Request): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || headers.get("x-forwarded-proto") === "https" || isLoopbackHost(hostname);
}

function isLoopbackHost(hostname: string | undefined): boolean {
  if (hostname === undefined) return false;
  return hostname === "localhost" || hostname.endsWith(".localhost") ||
    isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Matches the scheme, which is case-insensitive (RFC 9110, 11.1), and the token. */
const BEARER = /^bearer(?: (.*))?$/i;

/**
 * Reads the bearer token of a request. Exactly one space follows the scheme, as in `radicle-httpd`. Further
 * spaces belong to the token. `Bearer` alone has an empty token, which matches no session.
 *
 * @throws {MalformedError} when the field is missing, has another scheme, or contains characters outside
 * ASCII.
 */
export function readBearer(request: Request): string {
  const value = request.headers.get("authorization");
  if (value === null) throw new MalformedError("`Authorization` header is missing");
  if (!/^[\t\x20-\x7e]*$/.test(value)) {
    throw new MalformedError("`Authorization` header contains invalid characters");
  }
  const bearer = BEARER.exec(value);
  if (bearer === null) throw new MalformedError("`Authorization` header must be a bearer token");
  return bearer[1] ?? "";
}

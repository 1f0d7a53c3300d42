/**
 * Who may see what belongs to the owner of the node alone: private repositories and the profile.
 *
 * The socket's address decides, never a header; and since a web page can make the owner's own browser ask, `Host` and `Origin` must be local or trusted, too.
 */
import type { Client } from "../ports/client.ts";

/** The host's part in the decision. */
export interface PrivilegePolicy {
  /** Requests come through a proxy, so their address says nothing: nobody is privileged. */
  readonly behindProxy: boolean;
  /** Origins of web pages that may act for the owner, besides those on loopback. */
  readonly trustedOrigins: readonly string[];
}

/** Origins trusted unless a host says otherwise: the public web app. */
export const DEFAULT_TRUSTED_ORIGINS: readonly string[] = ["https://app.radicle.xyz"];

/** Whether a request comes from the owner of the node. A request without a known client does not. */
export function isPrivileged(request: Request, client: Client | undefined, policy: PrivilegePolicy): boolean {
  if (client === undefined || policy.behindProxy) return false;
  if (client.transport === "tcp" && !isLoopbackAddress(client.address)) return false;
  return hasLocalHost(request) && hasTrustedOrigin(request, policy.trustedOrigins);
}

/** Whether an IP address is one of this machine: 127.0.0.0/8, `::1`, and the former mapped into IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, "");
  return plain === "::1" || /^127(\.\d{1,3}){3}$/.test(plain);
}

/** Closes DNS rebinding: a foreign name that resolves to loopback is still a foreign name. */
function hasLocalHost(request: Request): boolean {
  const host = request.headers.get("host");
  return isLoopbackHost(new URL(request.url).hostname) &&
    (host === null || isLoopbackHost(hostnameOf(`http://${host}`)));
}

function hasTrustedOrigin(request: Request, trusted: readonly string[]): boolean {
  const origin = request.headers.get("origin");
  if (origin === null) return !isUsedByOtherSite(request);
  return trusted.includes(origin) || /^https?:/.test(origin) && isLoopbackHost(hostnameOf(origin));
}

/** What a browser does with an answer that a page of another site may ask for without saying its origin, but cannot look into. */
const ONLY_SHOWN = new Set(["document", "image", "audio", "video"]);

/**
 * Closes what CORS leaves open: scripts, styles and the like may be loaded from other sites without `Origin`, and tell what is in them by what they
 * do. Browsers say so by Fetch Metadata (W3C), other clients do not. Choice: images stay, since the web app shows those of readmes.
 */
function isUsedByOtherSite({ headers }: Request): boolean {
  return headers.get("sec-fetch-site") === "cross-site" &&
    !ONLY_SHOWN.has(headers.get("sec-fetch-dest") ?? "");
}

function isLoopbackHost(hostname: string | undefined): boolean {
  if (hostname === undefined) return false;
  return hostname === "localhost" || hostname.endsWith(".localhost") ||
    isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

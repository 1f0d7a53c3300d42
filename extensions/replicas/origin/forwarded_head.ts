/** Header fields of requests and responses that pass through a replica (RFC 9110, 7.6). */
import { ForbiddenError, PROXY_FIELDS } from "../../../src/mod.ts";
import { CLIENT_ADDRESS_FIELD, REPLICA_NAME } from "./fields.ts";

/**
 * Value of `Via` that a replica adds. It always names version 1.1 of HTTP, because `fetch` hides the version
 * that was used. No program evaluates this version.
 */
const VIA = `1.1 ${REPLICA_NAME}`;

/**
 * Header fields that are only for one connection (RFC 9110, 7.6.1), in addition to the fields that
 * `Connection` names.
 */
export const HOP_BY_HOP: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * Checks whether a request claims to come through a replica. Anyone can send this claim, so it gives the
 * client no additional rights.
 */
export function isFromReplica({ headers }: Request): boolean {
  return (headers.get("via") ?? "").split(",").some((step) => step.trim().split(/\s+/)[1] === REPLICA_NAME);
}

/**
 * Checks whether a replica may pass a request on. Returns false if the request came through a replica, or
 * through another proxy that adds `Via`.
 */
export function mayForward({ headers }: Request): boolean {
  return !headers.has("via");
}

/**
 * Returns the header fields of a request to the origin. `Host`, `Origin` and `Authorization` stay. The
 * `fetch` of some hosts replaces `Host`, so the same value is also in `X-Forwarded-Host`. `Via` is always
 * added, and because of it, the origin never treats the sender as its owner.
 *
 * These fields are removed: the fields of the connection; `Expect`, which the server has already handled; the
 * length of the body, because the body is streamed; and the fields in which other proxies give the address of
 * the client, because anyone can write them. The replica sends a signed claim instead of the address fields.
 *
 * @param claim Value of {@link CLIENT_ADDRESS_FIELD}, if the replica has the key for it.
 * @throws {ForbiddenError} when the request came with `Via`. Such a request might go in circles. Or it came
 *   through the proxy of somebody else, so that the origin cannot know the client.
 */
export function headOfForwarded(request: Request, claim?: string): Headers {
  if (!mayForward(request)) {
    throw new ForbiddenError("This replica forwards no request that another proxy forwarded (Via)");
  }
  const headers = withoutConnection(request.headers);
  for (const name of [...PROXY_FIELDS, "expect", "content-length"]) headers.delete(name);
  const host = request.headers.get("host") ?? new URL(request.url).host;
  headers.set("host", host);
  headers.set("x-forwarded-host", host);
  headers.set("via", VIA);
  headers.delete(CLIENT_ADDRESS_FIELD);
  if (claim !== undefined) headers.set(CLIENT_ADDRESS_FIELD, claim);
  // Asks for an uncompressed body, because `fetch` would decompress a compressed body.
  headers.set("accept-encoding", "identity");
  return headers;
}

/**
 * Returns the header fields of the origin's response for the client of the replica, with `Via`. If the origin
 * has compressed the body although the replica did not ask for this, `fetch` has decompressed the body. In
 * this case, the fields for the encoding and the length are removed. Cookies are always removed, because they
 * are not part of the API.
 */
export function headOfAnswer(response: Response): Record<string, string> {
  const headers = withoutConnection(response.headers);
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  headers.delete("set-cookie");
  headers.append("via", VIA);
  return Object.fromEntries(headers);
}

function withoutConnection(source: Headers): Headers {
  const headers = new Headers(source);
  const named = (source.get("connection") ?? "").split(",").map((name) => name.trim());
  // Texts that cannot be the name of a field are ignored.
  const names = named.filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name));
  for (const name of [...HOP_BY_HOP, ...names]) headers.delete(name);
  return headers;
}

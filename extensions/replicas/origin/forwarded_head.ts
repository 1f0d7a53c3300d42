/** Header fields of requests and answers that pass through a replica (RFC 9110, 7.6). */
import { ForbiddenError, PROXY_FIELDS } from "../../../src/mod.ts";
import { CLIENT_ADDRESS_FIELD, REPLICA_NAME } from "./fields.ts";

/** `Via` of a replica. `fetch` hides the version of the protocol; no program uses it. */
const VIA = `1.1 ${REPLICA_NAME}`;

/** Fields about one connection (RFC 9110, 7.6.1), in addition to the fields that `Connection` names. */
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

/** Whether a request claims to come through a replica. Anyone can claim it: it gives no right. */
export function isFromReplica({ headers }: Request): boolean {
  return (headers.get("via") ?? "").split(",").some((step) => step.trim().split(/\s+/)[1] === REPLICA_NAME);
}

/**
 * Whether a replica may pass a request on: it came through no replica, and through no proxy that adds `Via`.
 */
export function mayForward({ headers }: Request): boolean {
  return !headers.has("via");
}

/**
 * Header fields of a request to the origin. `Host`, `Origin` and `Authorization` stay. The `fetch` of some
 * hosts replaces `Host`, so `X-Forwarded-Host` has it, too. `Via` is always added: because of it, the origin
 * never treats the sender as its owner. Removed are the fields of the connection, `Expect`, which the server
 * has answered, the length of the body, which is streamed, and the fields in which other proxies name the
 * sender, since anyone can write them. Instead, the replica signs a claim.
 *
 * @param claim Value of {@link CLIENT_ADDRESS_FIELD}, if the replica has the key for it.
 * @throws {ForbiddenError} when the request came with `Via`: it might go in circles, or came through a proxy
 *   of somebody else, so that the origin cannot know its client.
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
  // Bodies pass through unchanged: `fetch` would unpack compressed ones.
  headers.set("accept-encoding", "identity");
  return headers;
}

/**
 * Header fields of the origin's answer for the client of the replica, with `Via`. If the body came compressed
 * nevertheless, `fetch` has unpacked it, so that its length is another one. Cookies are not part of the API.
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
  // Names that no field can have are ignored.
  const names = named.filter((name) => /^[\w!#$%&'*+.^`|~-]+$/.test(name));
  for (const name of [...HOP_BY_HOP, ...names]) headers.delete(name);
  return headers;
}

/**
 * Cross-origin header fields: web apps of any origin may read every answer, and the header fields of it
 * that lists and clients need. As on the real service, requests carry no credentials.
 */
import { type Answer, withHeaders } from "./answer.ts";

const VARY = "origin, access-control-request-method, access-control-request-headers";
const MAX_AGE_SECONDS = 86400;
/** Field that pages may send, named to those alone that ask for it: the real service does not know it. */
const TOKEN_FIELD = "xylem-consistency-token";

/** Methods and header fields that pages of other origins may use. */
export type CrossOrigin = Readonly<Record<"methods" | "headers", string>>;

/** Header fields that let any origin read an answer. */
const ANY_ORIGIN: Answer["headers"] = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "accept-ranges, content-range, link, retry-after, x-total-count, " +
    "xylem-confirmed, xylem-consistency-token, xylem-published, xylem-publisher-seen",
  vary: VARY,
};

/**
 * A copy of the answer that web pages of any origin may read. Adds to a `Vary` field of the answer, unless it
 * has all names already: a service to which a request was passed on has added them.
 */
export function withAnyOrigin(answer: Answer): Answer {
  const { vary } = answer.headers;
  const readable = withHeaders(answer, ANY_ORIGIN);
  if (vary === undefined || vary === VARY) return readable;
  return withHeaders(readable, { vary: vary.endsWith(`, ${VARY}`) ? vary : `${vary}, ${VARY}` });
}

/**
 * The answer to `OPTIONS`.
 *
 * @param allow Methods of the path, for `Allow`.
 */
export function preflight(request: Request, allow: string, { methods, headers }: CrossOrigin): Answer {
  const asked = request.headers.get("access-control-request-headers")?.toLowerCase().split(",");
  const token = asked?.some((name) => name.trim() === TOKEN_FIELD) ? `,${TOKEN_FIELD}` : "";
  return {
    status: 200,
    headers: {
      allow,
      "content-length": "0",
      "access-control-allow-methods": methods,
      "access-control-allow-headers": headers + token,
      "access-control-max-age": String(MAX_AGE_SECONDS),
    },
    body: undefined,
  };
}

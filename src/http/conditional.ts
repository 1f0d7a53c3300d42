/** Conditional requests: entity tags, `If-None-Match` and status 304 (RFC 9110, 8.8.3, 13.1.2, 15.4.5). */
import { digest } from "../text/digest.ts";
import type { Answer } from "./answer.ts";

/** Header fields that a `304` has in common with the full response (RFC 9110, 15.4.5). */
const REPEATED = ["cache-control", "content-location", "etag", "expires", "vary"];

const ENTITY_TAG = /^[ \t,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/;

/**
 * Creates a strong entity tag.
 *
 * @param text Text that contains everything on which the response depends.
 */
export function entityTag(text: string): string {
  return `"${digest(text)}"`;
}

/** Checks whether `If-None-Match` is `*`, which matches every existing response. */
export function isAnyTag(ifNoneMatch: string): boolean {
  return ifNoneMatch.trim() === "*";
}

/**
 * Checks whether the list of tags in `If-None-Match` contains a tag, by weak comparison. Tags after a syntax
 * error are ignored.
 */
export function holdsTag(ifNoneMatch: string, etag: string | undefined): boolean {
  for (let rest = ifNoneMatch; rest !== "";) {
    const [all, tag] = ENTITY_TAG.exec(rest) ?? [];
    if (all === undefined) return false;
    if (tag === etag) return true;
    rest = rest.slice(all.length);
  }
  return false;
}

/**
 * Returns a response with the status 304 when the client already has the response; otherwise the given
 * response.
 */
export function unlessKnown<A extends Answer>(request: Request, answer: A): A | Answer {
  const { headers } = answer;
  const asked = request.headers.get("if-none-match");
  const isKnown = asked !== null && (isAnyTag(asked) || holdsTag(asked, headers["etag"]));
  return isKnown ? notModified(headers) : answer;
}

/**
 * Creates the response `304 Not Modified`.
 *
 * @param headers Header fields of the full response.
 */
export function notModified(headers: Answer["headers"]): Answer {
  const repeated = Object.entries(headers).filter(([name]) => REPEATED.includes(name));
  return { status: 304, headers: Object.fromEntries(repeated), body: undefined };
}

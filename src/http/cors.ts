/** Cross-origin headers: web apps on any origin may read every answer (no credentials, nothing exposed, as the real service). */
import { type Answer, withHeaders } from "./answer.ts";

const VARY = "origin, access-control-request-method, access-control-request-headers";
const MAX_AGE_SECONDS = 86400;

/** Header fields that let any origin read an answer. */
const ANY_ORIGIN: Answer["headers"] = { "access-control-allow-origin": "*", vary: VARY };

/** The answer, readable by web pages of any origin. Fields that its `Vary` names stay in it. */
export function withAnyOrigin(answer: Answer): Answer {
  const { vary } = answer.headers;
  const readable = withHeaders(answer, ANY_ORIGIN);
  return vary === undefined ? readable : withHeaders(readable, { vary: `${vary}, ${VARY}` });
}

/** The answer to `OPTIONS`: what a path takes, and what may be asked of the service from other origins. */
export function preflight(allow: string, crossOrigin: { methods: string; headers: string }): Answer {
  return {
    status: 200,
    headers: {
      allow,
      "content-length": "0",
      "access-control-allow-methods": crossOrigin.methods,
      "access-control-allow-headers": crossOrigin.headers,
      "access-control-max-age": String(MAX_AGE_SECONDS),
    },
    body: undefined,
  };
}

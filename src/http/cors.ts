/** Cross-origin headers: web apps on any origin may read every answer (no credentials, nothing exposed, as the real service). */

const VARY = "origin, access-control-request-method, access-control-request-headers";
const MAX_AGE_SECONDS = 86400;

/** Lets any origin read the answer. */
export function allowAnyOrigin(headers: Headers): void {
  headers.set("access-control-allow-origin", "*");
  headers.append("vary", VARY);
}

/** The answer to `OPTIONS`: what a path takes, and what may be asked of the service from other origins. */
export function preflight(allow: string, crossOrigin: { methods: string; headers: string }): Response {
  return new Response(null, {
    status: 200,
    headers: {
      allow,
      "content-length": "0",
      "access-control-allow-methods": crossOrigin.methods,
      "access-control-allow-headers": crossOrigin.headers,
      "access-control-max-age": String(MAX_AGE_SECONDS),
    },
  });
}

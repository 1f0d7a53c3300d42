/**
 * Requests to an origin through Deno's `fetch`, which sends the `Host` of the request if that is allowed
 * explicitly.
 */
import type { FetchOrigin } from "../../extensions/replicas/origin/forward.ts";

let client: Deno.HttpClient | undefined;

/** Sends a request with its own `Host` field. */
export const fetchOrigin: FetchOrigin = (url, request) => {
  client ??= Deno.createHttpClient({ allowHost: true });
  return fetch(url, { ...request, client } as RequestInit);
};

/** Sends requests to an origin through Deno's `fetch`, with an option that allows the `Host` field. */
import type { FetchOrigin } from "../../extensions/replicas/origin/forward.ts";

let client: Deno.HttpClient | undefined;

/** Sends a request with the `Host` field of the request, instead of the host of the URL. */
export const fetchOrigin: FetchOrigin = (url, request) => {
  client ??= Deno.createHttpClient({ allowHost: true });
  return fetch(url, { ...request, client } as RequestInit);
};

/** Requests to an origin by Deno's `fetch`, which keeps `Host` when it is told to. */
import type { FetchOrigin } from "../../extensions/replicas/origin/forward.ts";

let client: Deno.HttpClient | undefined;

/** Sends a request with the `Host` field that it has. */
export const fetchOrigin: FetchOrigin = (url, request) => {
  client ??= Deno.createHttpClient({ allowHost: true });
  return fetch(url, { ...request, client } as RequestInit);
};

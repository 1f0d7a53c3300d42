/** Requests to an origin by Bun's `fetch`, which keeps `Host`. */
import type { FetchOrigin } from "../../src/replication/origin/forward.ts";

/** Sends a request with the `Host` field that it has. */
export const fetchOrigin: FetchOrigin = (url, request) => fetch(url, request);

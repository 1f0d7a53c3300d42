/**
 * Sends requests to an origin. A replica has to send the `Host` field that it has received. `fetch` of
 * Node.js replaces this field, so Node.js uses `node:http`. Bun uses `fetch`.
 */
import { type IncomingMessage, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import type { FetchOrigin } from "../../extensions/replicas/origin/forward.ts";

/** Statuses for which `Response` allows no body. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** Sends a request with the `Host` field of the request, instead of the host of the URL. */
export const fetchOrigin: FetchOrigin = "Bun" in globalThis
  ? (url, request) => fetch(url, request)
  : (url, request) => fetchByHttp(url, request);

/**
 * Sends each request on a new connection. The origin may close an existing connection at the moment when a
 * change is sent, and a change must not be sent twice.
 *
 * @throws {Error} when the origin cannot be reached or ends the connection, or when the signal is aborted.
 */
const fetchByHttp: FetchOrigin = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? requestByHttps : requestByHttp;
    const options = { method, headers: Object.fromEntries(headers), signal, agent: false as const };
    const outgoing = request(url, options, (incoming) => resolve(toResponse(incoming)));
    outgoing.on("error", reject);
    if (body === null) outgoing.end();
    // The origin may respond before it has read the whole body. An error of `pipeline` then has no effect.
    else pipeline(Readable.fromWeb(body as unknown as NodeStream), outgoing).catch(reject);
  });

function toResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  // When the connection breaks, the reader of the stream gets the error.
  incoming.on("error", () => {});
  if (!WITHOUT_BODY.has(status)) {
    return new Response(Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>, {
      status,
      headers,
    });
  }
  incoming.resume();
  return new Response(null, { status, headers });
}

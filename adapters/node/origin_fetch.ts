/**
 * Requests to an origin by `node:http`. `fetch` of Node.js replaces `Host`, with which a replica passes
 * requests on; that of Bun does not.
 */
import { type IncomingMessage, request as requestByHttp } from "node:http";
import { request as requestByHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";
import type { FetchOrigin } from "../../extensions/replicas/origin/forward.ts";

/** Statuses without a body, for which `Response` takes none. */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** Sends a request with the `Host` field that it has. */
export const fetchOrigin: FetchOrigin = "Bun" in globalThis
  ? (url, request) => fetch(url, request)
  : (url, request) => fetchByHttp(url, request);

/**
 * Each request has a connection of its own: the origin may close an idle one at the moment in which a change
 * is sent, and a change must not be sent twice.
 *
 * @throws {Error} when the origin cannot be reached, ends the connection, or the signal is aborted.
 */
const fetchByHttp: FetchOrigin = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith("https:") ? requestByHttps : requestByHttp;
    const options = { method, headers: Object.fromEntries(headers), signal, agent: false as const };
    const outgoing = request(url, options, (incoming) => resolve(toResponse(incoming)));
    outgoing.on("error", reject);
    if (body === null) outgoing.end();
    // The origin may answer before it has read the body; then the rest of it does not matter.
    else pipeline(Readable.fromWeb(body as unknown as NodeStream), outgoing).catch(reject);
  });

function toResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  // A broken connection is an error of the stream, which its reader gets.
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

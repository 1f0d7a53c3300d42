/** Sends recorded requests byte for byte: node:http rather than fetch, since fetch rewrites paths and refuses methods. */
import { Buffer } from "node:buffer";
import http from "node:http";
import type { RecordedRequest } from "./recordings.ts";
import { PATIENCE_MS } from "../support/patience.ts";

/** An answer of a service. */
export interface Answer {
  readonly status: number;
  /** Header fields by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A connection pool to one service. */
export interface Client {
  /** @throws Error when the service closes the connection without an answer, or needs longer than 60 s. */
  ask(request: RecordedRequest): Promise<Answer>;
  close(): void;
}

/** @param url base URL of the service. @param parallel most requests at a time. */
export function openClient(url: string, parallel: number): Client {
  const { hostname, port } = new URL(url);
  const agent = new http.Agent({ keepAlive: true, maxSockets: parallel });
  const ask = (recorded: RecordedRequest) =>
    new Promise<Answer>((resolve, reject) => {
      const body = bodyOf(recorded);
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const { method, path, headers } = recorded;
      const request = http.request({
        hostname,
        port,
        method,
        path,
        agent,
        headers: { ...headers, ...length },
      });
      request.on("response", (response) => {
        const chunks: Uint8Array[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const answered = { status: response.statusCode!, headers: Object.fromEntries(fields) };
          resolve({ ...answered, body: Buffer.concat(chunks) });
        });
      });
      request.on("error", reject);
      request.setTimeout(PATIENCE_MS, () => request.destroy(new Error("no answer in time")));
      request.end(body);
    });
  return { ask, close: () => agent.destroy() };
}

function bodyOf(
  { bodyPadded, bodyRaw, body_sent, requestBody }: RecordedRequest,
): string | Uint8Array | undefined {
  if (bodyPadded) {
    const { prefix, fill, suffix, total } = bodyPadded;
    return prefix + fill.repeat(total - Buffer.byteLength(prefix + suffix)) + suffix;
  }
  if (typeof bodyRaw === "object") return Buffer.from(bodyRaw.base64, "base64");
  return bodyRaw ?? body_sent ?? (requestBody === undefined ? undefined : JSON.stringify(requestBody));
}

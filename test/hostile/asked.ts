/** Requests one after the other, each on the same connection, with bounds on time and bytes. */
import { Agent, get } from "node:http";

/** A slower answer counts as hanging. */
const ANSWER_LIMIT_MS = 60_000;
/** Bytes of an answer that are read. */
const MAX_ANSWER_BYTES = 256 * 2 ** 20;

/** Results of some requests. */
export interface Asked {
  readonly ms: number;
  readonly bytes: number;
  readonly statuses: readonly number[];
  /** The start of the path of the slowest request, below the API's, and its time. */
  readonly slowest: { readonly path: string; readonly ms: number };
}

/** Sends all requests, one after the other. */
export async function askAll(urls: readonly string[]): Promise<Asked> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  const startMs = performance.now();
  let slowest = { ms: 0, url: urls[0]! };
  let bytes = 0;
  for (const url of urls) {
    const sentMs = performance.now();
    const answer = await ask(agent, url);
    statuses.push(answer.status);
    bytes += answer.bytes;
    const ms = performance.now() - sentMs;
    if (ms > slowest.ms) slowest = { ms, url };
  }
  agent.destroy();
  const path = decodeURIComponent(new URL(slowest.url).pathname).split("/").slice(5).join("/");
  return {
    ms: performance.now() - startMs,
    bytes,
    statuses,
    slowest: { path: path.slice(0, 60), ms: slowest.ms },
  };
}

/** Status and length of an answer; status 0 when there was none. */
function ask(agent: Agent, url: string): Promise<{ status: number; bytes: number }> {
  return new Promise((resolve) => {
    let bytes = 0;
    const fail = () => resolve({ status: 0, bytes });
    const request = get(url, { agent }, (response) => {
      const done = () => resolve({ status: response.statusCode ?? 0, bytes });
      response.on("data", (chunk: Uint8Array) => {
        bytes += chunk.length;
        if (bytes <= MAX_ANSWER_BYTES) return;
        done();
        request.destroy();
      });
      response.on("end", done);
      response.on("error", fail);
    });
    const timer = setTimeout(() => request.destroy(new Error("hangs")), ANSWER_LIMIT_MS);
    request.on("error", fail);
    request.on("close", () => clearTimeout(timer));
  });
}

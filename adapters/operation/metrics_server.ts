/** Serves metrics on a listener of its own, which the public one never reaches. */
import type { Answer, Environment } from "../../mod.ts";
import { withHeaders } from "../../src/http/answer.ts";
import { errorAnswer, textAnswer } from "../../src/http/respond.ts";
import type { Address } from "../server/address.ts";
import { Connections } from "../server/connections.ts";
import { ListenError, type Server, type ServerOptions } from "../server/server.ts";
import type { Handler } from "../server/handler.ts";
import type { Metrics } from "./metrics.ts";
import { pathOf } from "./own_paths.ts";

/** Most connections at a time of those who ask for metrics. */
export const MAX_METRICS_CONNECTIONS = 16;

/**
 * Listens for requests to `/metrics`.
 *
 * @throws {ListenError} when the socket cannot be opened.
 */
export async function serveMetrics(
  metrics: Metrics,
  address: Address,
  log: Environment["log"],
  createServer: (handler: Handler, options: ServerOptions) => Promise<Server>,
): Promise<Server> {
  const connections = new Connections({ maxConnections: MAX_METRICS_CONNECTIONS });
  try {
    return await createServer((request) => answer(metrics, request), { address, log, connections });
  } catch (error) {
    throw new ListenError(address, error);
  }
}

async function answer(metrics: Metrics, { method, url }: Request): Promise<Answer> {
  if (pathOf(url) !== "/metrics") return errorAnswer(404, "Not Found");
  if (method !== "GET") return withHeaders(errorAnswer(405, "Method Not Allowed"), { allow: "GET" });
  return textAnswer(await metrics.text(), {
    "content-type": metrics.contentType,
    "cache-control": "no-store",
  });
}

/** A published home as a service on Node.js. */
import { type ServeReplica, serveReplicaWith } from "../home/serve_replica.ts";
import { createServer } from "./http_server.ts";
import { fetchOrigin } from "./origin_fetch.ts";
import { homeParts } from "./parts.ts";

/** Serves a published home; without a readable bucket with 503. Rejects with `ListenError`. */
export const serveReplica: ServeReplica = (options) =>
  serveReplicaWith(options, { ...homeParts, fetchOrigin }, createServer);

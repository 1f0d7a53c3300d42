/** A published home as a service on Node.js. */
import { type ServeReplica, serveReplicaWith } from "../home/serve_replica.ts";
import { createServer } from "./http_server.ts";
import { fetchOrigin } from "./origin_fetch.ts";
import { homeParts } from "./parts.ts";

/** Serves a published home. Rejects when the bucket cannot be read, and with `ListenError`. */
export const serveReplica: ServeReplica = (options) =>
  serveReplicaWith(options, { ...homeParts, fetchOrigin }, createServer);

/** A home on Node.js and Bun: its API, to embed in another server, and whole services. */
import { assembleHomeApi, type CreateHomeApi } from "../home/home.ts";
import { type Serve, serveHome } from "../home/serve_home.ts";
import { type ServeReplica, serveReplicaWith } from "../home/serve_replica.ts";
import { createServer } from "./http_server.ts";
import { homeParts } from "./parts.ts";

/** Builds the API of a Radicle home. Rejects with `ProfileError` when the home cannot be served. */
export const createHomeApi: CreateHomeApi = (options) => assembleHomeApi(options, homeParts);

/** Serves a Radicle home. Rejects with `ProfileError` or `ListenError` when that is not possible. */
export const serve: Serve = (options) => serveHome(options, homeParts, createServer);

/** Serves a published home. Answers 503 while the bucket cannot be read. Rejects with `ListenError`. */
export const serveReplica: ServeReplica = (options) => serveReplicaWith(options, homeParts, createServer);

/** Creates the API of a Radicle home on Node.js and Bun, and serves a home or a published home. */
import { assembleHomeApi, type CreateHomeApi } from "../home/home.ts";
import { type Serve, serveHome } from "../home/serve_home.ts";
import { type ServeReplica, serveReplicaWith } from "../home/serve_replica.ts";
import { createServer } from "./http_server.ts";
import { homeParts } from "./parts.ts";

/**
 * Creates the API of a Radicle home, to embed it in another server. The promise rejects with `ProfileError`
 * when the home cannot be served.
 */
export const createHomeApi: CreateHomeApi = (options) => assembleHomeApi(options, homeParts);

/**
 * Serves a Radicle home. The promise rejects with `ProfileError` when the home cannot be served, and with
 * `ListenError` when a socket cannot be opened.
 */
export const serve: Serve = (options) => serveHome(options, homeParts, createServer);

/**
 * Serves a home that was published in a bucket. The service responds with 503 while the bucket cannot be
 * read. The promise rejects with `ListenError` when a socket cannot be opened.
 */
export const serveReplica: ServeReplica = (options) => serveReplicaWith(options, homeParts, createServer);

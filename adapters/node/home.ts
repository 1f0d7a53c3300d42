/** A Radicle home on Node.js and Bun: its API, for a server of one's own, and the whole service. */
import { assembleHomeApi, type CreateHomeApi } from "../home/home.ts";
import { type Serve, serveHome } from "../home/serve_home.ts";
import { createServer } from "./http_server.ts";
import { homeParts } from "./parts.ts";

/** Builds the API of a Radicle home. Rejects with `ProfileError` when the home cannot be served. */
export const createHomeApi: CreateHomeApi = (options) => assembleHomeApi(options, homeParts);

/** Serves a Radicle home. Rejects with `ProfileError` or `ListenError` when it cannot. */
export const serve: Serve = (options) => serveHome(options, homeParts, createServer);

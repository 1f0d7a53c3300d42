/**
 * Xylem on Deno. Serves a Radicle home. Also exports the functions from which a program can build its own
 * service.
 *
 * @module
 */
export * from "../shared.ts";
export { clientOf } from "./client.ts";
export { fileSystem } from "./file_system.ts";
export { createHomeApi, serve, serveReplica } from "./home.ts";
export { createServer } from "./http_server.ts";
export { createCacheFolder, descriptorLimit, homeParts, homeWorkers, usualCachePath } from "./parts.ts";

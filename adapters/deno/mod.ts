/**
 * Xylem on Deno: a Radicle home as a service, and the parts of it for those who put together their own.
 *
 * @module
 */
export * from "../shared.ts";
export { clientOf } from "./client.ts";
export { fileSystem } from "./file_system.ts";
export { createHomeApi, serve, serveReplica } from "./home.ts";
export { createServer } from "./http_server.ts";
export { createCacheFolder, descriptorLimit, homeParts, homeWorkers, usualCachePath } from "./parts.ts";

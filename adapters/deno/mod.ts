/**
 * Xylem on Deno: serves a Radicle home. Also exports the parts of such a service, for programs that assemble
 * their own.
 *
 * @module
 */
export * from "../shared.ts";
export { clientOf } from "./client.ts";
export { fileSystem } from "./file_system.ts";
export { createHomeApi, serve, serveReplica } from "./home.ts";
export { createServer } from "./http_server.ts";
export { createCacheFolder, descriptorLimit, homeParts, homeWorkers, usualCachePath } from "./parts.ts";

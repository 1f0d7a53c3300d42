/**
 * Xylem on Bun. Serves a Radicle home. Also exports the functions from which a program can build its own
 * service.
 *
 * @module
 */
export * from "../shared.ts";
export { clientOf, type RequestSource } from "./client.ts";
export { createCacheFolder, usualCachePath } from "../node/cache_folder.ts";
export { descriptorLimit } from "../node/descriptors.ts";
export { fileSystem } from "../node/file_system.ts";
export { createServer } from "../node/http_server.ts";
export { homeParts, homeWorkers } from "../node/parts.ts";
export { createHomeApi, serve, serveReplica } from "../node/home.ts";

/**
 * Xylem on Node.js. Serves a Radicle home. Also exports the functions from which a program can build its own
 * service.
 *
 * @module
 */
import "./check_version.ts";
export * from "../shared.ts";
export { createCacheFolder, usualCachePath } from "./cache_folder.ts";
export { descriptorLimit } from "./descriptors.ts";
export { fileSystem } from "./file_system.ts";
export { clientOf, createServer } from "./http_server.ts";
export { homeParts, homeWorkers } from "./parts.ts";
export { createHomeApi, serve, serveReplica } from "./home.ts";

/**
 * Xylem on Node.js: a Radicle home as a service, and the parts of it for those who put together their own.
 *
 * @module
 */
export { type Address, DEFAULT_ADDRESS, formatAddress, parseAddress } from "../address.ts";
export type { Handler } from "../handler.ts";
export type { HomeApi, HomeOptions } from "../home.ts";
export { log } from "../log.ts";
export { Answers } from "../answers.ts";
export { type ConnectionLimits, Connections } from "../connections.ts";
export { ListenError, type Server, type ServerOptions } from "../server.ts";
export type { HomeServer, ServeOptions } from "../serve_home.ts";
export { createCacheFolder, usualCachePath } from "./cache_folder.ts";
export { clientOf } from "./client.ts";
export { createCobCache } from "./cob_cache.ts";
export { createServer } from "./create_server.ts";
export { deflate } from "./deflate.ts";
export { descriptorLimit } from "./descriptors.ts";
export { fileSystem } from "./file_system.ts";
export { inflate } from "./inflate.ts";
export { loadLibgit2 } from "./libgit2.ts";
export { createNodeDatabase } from "./node_databases.ts";
export { createAskNode } from "./radicle_node.ts";
export { createHomeApi, serve } from "./serve.ts";
export { loadSigner, openSigner, type SignerOptions } from "./signer.ts";
export { homeWorkers } from "./start_worker.ts";
export { KeyError } from "../../src/keys/key_error.ts";
export { ProfileError } from "../../src/profile/profile_error.ts";

/**
 * The exports that the adapters of all runtimes have in common.
 *
 * @module
 */
export { type Address, DEFAULT_ADDRESS, formatAddress, parseAddress } from "./server/address.ts";
export { Answers } from "./server/answers.ts";
export { type ConnectionLimits, Connections } from "./server/connections.ts";
export type { Handler } from "./server/handler.ts";
export { ListenError, type Server, type ServerOptions } from "./server/server.ts";
export type { CreateHomeApi, HomeApi, HomeOptions } from "./home/home.ts";
export type { HomeParts, SignerOptions } from "./home/parts.ts";
export type { HomeServer, Serve, ServeOptions } from "./home/serve_home.ts";
export type { ReplicaServer, ServeReplica, ServeReplicaOptions } from "./home/serve_replica.ts";
export { log } from "./node/log.ts";
export { createCobCache } from "./node/cob_cache.ts";
export { loadLibgit2 } from "./node/libgit2.ts";
export { createNodeDatabase } from "./node/node_databases.ts";
export { createAskNode, createSubscribeToNode } from "./node/radicle_node.ts";
export { loadSigner, openSigner } from "./node/signer.ts";
export { deflate, inflate } from "./node/zlib.ts";
export { KeyError } from "../src/keys/key_error.ts";
export { ProfileError } from "../src/profile/config.ts";

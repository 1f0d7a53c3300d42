/** A Radicle home on Bun: its API, for a server of one's own, and the whole service. */
import { createHomeApi as createApi, type HomeApi, type HomeOptions, type HomeParts } from "../home.ts";
import { type HomeServer, serveHome, type ServeOptions } from "../serve_home.ts";
import { createCacheFolder } from "./cache_folder.ts";
import { createCobCache } from "./cob_cache.ts";
import { createServer } from "./create_server.ts";
import { deflate } from "./deflate.ts";
import { descriptorLimit } from "./descriptors.ts";
import { fileSystem } from "./file_system.ts";
import { inflate } from "./inflate.ts";
import { loadLibgit2 } from "./libgit2.ts";
import { createNodeDatabase } from "./node_databases.ts";
import { createAskNode } from "./radicle_node.ts";
import { loadSigner } from "./signer.ts";
import { homeWorkers } from "./start_worker.ts";

const parts: HomeParts = {
  fileSystem,
  inflate,
  deflate,
  loadLibgit2,
  loadSigner,
  createAskNode,
  createNodeDatabase,
  createCobCache,
  createCacheFolder,
  descriptorLimit,
  homeWorkers,
};

/**
 * Builds the API of a Radicle home.
 *
 * @throws {ProfileError} when the home cannot be served.
 */
export function createHomeApi(options: HomeOptions): Promise<HomeApi> {
  return createApi(options, parts);
}

/**
 * Serves a Radicle home; the promise resolves when it answers.
 *
 * @throws {ProfileError} when the home cannot be served.
 * @throws {ListenError} when a socket cannot be opened; then none is.
 */
export function serve(options: ServeOptions): Promise<HomeServer> {
  return serveHome(options, parts, createServer);
}

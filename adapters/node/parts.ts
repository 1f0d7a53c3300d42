/** The functions that Node.js and Bun provide for a Radicle home. Deno replaces some of these functions. */
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { HomeParts } from "../home/parts.ts";
import { createCacheFolder } from "./cache_folder.ts";
import { createCobCache } from "./cob_cache.ts";
import { descriptorLimit } from "./descriptors.ts";
import { fileSystem } from "./file_system.ts";
import { loadLibgit2 } from "./libgit2.ts";
import { log } from "./log.ts";
import { createNodeDatabase } from "./node_databases.ts";
import { createAskNode, createSubscribeToNode } from "./radicle_node.ts";
import { fetchOrigin } from "./origin_fetch.ts";
import { startProgram } from "./program.ts";
import { createSearchIndex } from "./search_index.ts";
import { openSessions } from "./sessions.ts";
import { loadSigner } from "./signer.ts";
import { workers } from "./workers.ts";
import { deflate, inflate } from "./zlib.ts";

export const homeParts: HomeParts = {
  fileSystem,
  loadLibgit2,
  absolutePath: (path) => resolve(path),
  log,
  inflate,
  deflate,
  loadSigner,
  createAskNode,
  createSubscribeToNode,
  createNodeDatabase: (path) => createNodeDatabase(path),
  createCobCache,
  createCacheFolder: (path) => createCacheFolder(path),
  createSearchIndex: (path, log) => createSearchIndex({ path, log }),
  openSessions,
  descriptorLimit,
  fetchOrigin,
  startProgram,
  temporaryPath: () => resolve(tmpdir()),
  ...workers,
};

export const homeWorkers: NonNullable<HomeParts["homeWorkers"]> = workers.homeWorkers;

/**
 * The functions that Deno provides for a Radicle home. Most functions come from the adapter for Node.js. They
 * use a feature only if Deno permits the feature, and never ask for permissions.
 */
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { SearchIndex } from "../../extensions/search/search_index.ts";
import type { CacheFolder, Environment } from "../../mod.ts";
import type { HomeParts } from "../home/parts.ts";
import {
  createCacheFolder as createNodeFolder,
  usualCachePath as usualNodePath,
} from "../node/cache_folder.ts";
import { descriptorLimit as nodeLimit, LIMITS_FILE } from "../node/descriptors.ts";
import { homeParts as nodeParts } from "../node/parts.ts";
import { DEFAULT_STORE_PORT, isStoreUrl, openSessions as openNodeSessions } from "../node/sessions.ts";
import { createSearchIndexOf } from "../node/search_index.ts";
import { programNextTo, type WorkerProgram, workersOf } from "../node/workers.ts";
import { USUAL_DESCRIPTORS } from "../server/connections.ts";
import { fileSystem } from "./file_system.ts";
import { isGranted, mayConnect, mayRead, mayUse } from "./permission.ts";
import { fetchOrigin } from "./origin_fetch.ts";
import { startProgram } from "./program.ts";
import {
  createAskNode,
  createCobCache,
  createNodeDatabase,
  createSubscribeToNode,
  loadSigner,
} from "./queried_parts.ts";

/**
 * Folders of the modules that a worker loads. A worker needs permission to read its modules, unlike the main
 * program.
 */
const MODULE_FOLDERS = ["..", "../../extensions", "../../src"];

/** Opens the cache folder at a path. Without permission to read and write the folder, every call fails. */
export function createCacheFolder(path: string): CacheFolder {
  if (mayUse(path)) return createNodeFolder(path);
  const refuse = () => {
    throw new Error(`Deno has no permission to read and write ${path}`);
  };
  return { read: refuse, write: refuse };
}

/**
 * Returns the default path of the command's cache folder; `undefined` without permission to use the folder,
 * or to read the environment variables that determine its path.
 */
export function usualCachePath(): string | undefined {
  const path = usualNodePath((variable) =>
    isGranted({ name: "env", variable }) ? Deno.env.get(variable) : undefined
  );
  return path !== undefined && mayUse(path) ? path : undefined;
}

/**
 * Opens the sessions in a file or a store.
 *
 * @throws {Error} when Deno has no permission to use the file or the store.
 */
export const openSessions: NonNullable<HomeParts["openSessions"]> = (place, options) => {
  if (!isStoreUrl(place)) {
    if (!mayUse(place)) throw new Error(`Deno has no permission to read and write ${place}`);
  } else if (!mayConnectTo(place)) {
    throw new Error("Deno has no permission to connect to the store of sessions");
  }
  return openNodeSessions(place, options);
};

function mayConnectTo(store: string): boolean {
  if (/^unix:/i.test(store)) return mayConnect(store.slice("unix:".length));
  const { hostname, port } = new URL(store);
  return isGranted({ name: "net", host: `${hostname}:${port || DEFAULT_STORE_PORT}` });
}

/**
 * Returns the maximum number of file descriptors of this process; {@link USUAL_DESCRIPTORS} when the number
 * is unknown.
 */
export function descriptorLimit(): number {
  return isGranted({ name: "read", path: LIMITS_FILE }) ? nodeLimit() : USUAL_DESCRIPTORS;
}

/**
 * Returns the program of a worker. Deno cannot start a module from a registry directly, so the result may be
 * a small module that imports the program.
 *
 * @throws {Error} when Deno may not read the modules. Without this check, the failing worker would write to
 * standard error.
 */
function startableProgram(): WorkerProgram {
  const program = programNextTo(import.meta.url);
  const missing = unreadableFolders(program).map((folder) => fileURLToPath(folder));
  if (missing.length > 0) throw new Error(`A worker needs --allow-read=${missing.join()}`);
  if (typeof program === "string" || program.protocol === "file:") return program;
  return new URL(`data:text/javascript,${encodeURIComponent(`import ${JSON.stringify(program.href)};`)}`);
}

/** Creates the full-text index. Without permission to read and write its files, the index is in memory. */
export function createSearchIndex(path: string | undefined, log: Environment["log"]): SearchIndex {
  return createSearchIndexOf({
    path: path !== undefined && mayUse(path) ? path : undefined,
    log,
    program: unreadableFolders(programNextTo(import.meta.url)).length === 0 ? startableProgram : undefined,
  });
}

const workers = workersOf(startableProgram);

export const homeWorkers: NonNullable<HomeParts["homeWorkers"]> = workers.homeWorkers;

export const homeParts: HomeParts = {
  ...nodeParts,
  fileSystem,
  mayRead,
  createAskNode,
  createSubscribeToNode,
  createNodeDatabase,
  createCobCache,
  createCacheFolder,
  openSessions,
  createSearchIndex,
  loadSigner,
  descriptorLimit,
  fetchOrigin,
  startProgram,
  temporaryPath,
  ...workers,
};

/** Returns the system's folder for temporary files. Without permission to read `TMPDIR`, returns `/tmp`. */
function temporaryPath(): string {
  return isGranted({ name: "env", variable: "TMPDIR" }) ? tmpdir() : "/tmp";
}

function unreadableFolders(program: WorkerProgram): readonly URL[] {
  if (typeof program === "string" || program.protocol !== "file:") return [];
  return MODULE_FOLDERS.map((path) => new URL(path, program))
    .filter((folder) => !isGranted({ name: "read", path: folder }));
}

/** The API of a Radicle home, put together from the parts that a runtime brings. The same for every runtime. */
import { resolve } from "node:path";
import type { Api, ApiOptions, LoadLibgit2, LoadSigner, StartWorker, WorkerPool } from "../mod.ts";
import type { Deflate } from "../src/ports/deflate.ts";
import type { FileSystem } from "../src/ports/file_system.ts";
import type { AskNode } from "../src/ports/node_socket.ts";
import type { Inflate } from "../src/ports/inflate.ts";
import { type HomeProfile, loadHomeProfile } from "../src/profile/home_profile.ts";
import type { HomeNode } from "../src/seeding/home_node.ts";
import type { HomeStorage } from "../src/storage/home/storage.ts";
import { log } from "./log.ts";
import type { createCacheFolder } from "./node/cache_folder.ts";
import type { createCobCache } from "./node/cob_cache.ts";
import type { createNodeDatabase } from "./node/node_databases.ts";
import type { createAskNode } from "./node/radicle_node.ts";
import type { loadSigner } from "./node/signer.ts";

/** What a runtime brings to read a home. */
export interface HomeParts {
  readonly fileSystem: FileSystem;
  readonly inflate: Inflate;
  readonly deflate: Deflate;
  readonly loadLibgit2: LoadLibgit2;
  readonly loadSigner: typeof loadSigner;
  readonly createAskNode: typeof createAskNode;
  readonly createNodeDatabase: typeof createNodeDatabase;
  readonly createCobCache: typeof createCobCache;
  readonly createCacheFolder: (path: string) => ReturnType<typeof createCacheFolder>;
  /** How many file descriptors the process may have. */
  readonly descriptorLimit: () => number;
  /** How workers are started that read the storage in a folder; without it, diffs are made in this process. */
  readonly homeWorkers?: (root: string) => StartWorker;
}

/** Which home, and the options of the API itself. The log goes to standard error unless `environment` has another. */
export interface HomeOptions extends Omit<ApiOptions, "storage" | "profile" | "loadLibgit2"> {
  /** Path of the Radicle home. */
  readonly home: string;
  /** Name of the user, asked for only when the home has no `config.json`: the node's alias then. */
  readonly user?: () => string | undefined;
  /** Passphrase of the secret key, asked for when something is signed for the first time. */
  readonly passphrase?: () => string | undefined;
  /** Path of the socket of an ssh-agent that may hold the secret key, asked for likewise. */
  readonly agentSocket?: () => string | undefined;
  /** Path of the node's control socket, asked for when the node is; `node/control.sock` in the home by default. */
  readonly nodeSocket?: () => string | undefined;
  /** Path of a folder, outside of the home, for indexes of long histories, which can be made again; none by default. */
  readonly cachePath?: string;
}

/** A Radicle home and its API. */
export interface HomeApi {
  /** Absolute path of the home. */
  readonly home: string;
  readonly api: Api;
  readonly profile: HomeProfile;
  readonly storage: HomeStorage;
  /** The node of the home, which the API asks unless the options have another. */
  readonly node: HomeNode;
  /** Who makes diffs that take long; absent when the runtime brings no workers. Its workers end by themselves when they are idle. */
  readonly workers: WorkerPool | undefined;
  /**
   * Writes what is missing in the objects database of `rad` because an earlier process ended too early; `serve` does so when it starts.
   * Never rejects.
   */
  checkCobCache(signal?: AbortSignal): Promise<void>;
}

/**
 * Loads the profile of a home.
 *
 * @throws {ProfileError} when the home cannot be served.
 */
export function loadProfile(options: HomeOptions, { fileSystem }: HomeParts): HomeProfile {
  const { user } = options;
  return loadHomeProfile({
    home: resolve(options.home),
    fileSystem,
    log: logOf(options),
    ...(user && { user }),
  });
}

/** Builds the API of a home, whose profile may have been loaded before. Loads the code of it on the first call, reads no repository yet. */
export async function createHomeApi(
  options: HomeOptions,
  parts: HomeParts,
  profile: HomeProfile = loadProfile(options, parts),
): Promise<HomeApi> {
  const { createApi, createWorkerPool } = await import("../mod.ts");
  const { createHomeStorage } = await import("../src/storage/home/storage.ts");
  const { detectGeneration, readHomeSigns } = await import("../src/identity/generation.ts");
  const home = resolve(options.home);
  const { fileSystem, inflate, deflate, loadLibgit2 } = parts;
  const environment = { ...options.environment, log: logOf(options) };
  const node = await createNode(options, home, parts);
  const storage = createHomeStorage({
    root: `${home}/storage`,
    fileSystem,
    inflate,
    deflate,
    log: environment.log,
  });
  const startWorker = parts.homeWorkers?.(`${home}/storage`);
  const workers = startWorker && createWorkerPool({ startWorker, log: environment.log });
  const cacheFolder = options.cachePath === undefined
    ? undefined
    : parts.createCacheFolder(resolve(options.cachePath));
  const cobCache = options.cobCache ?? parts.createCobCache(`${home}/cobs/cache.db`);
  return {
    home,
    profile,
    storage,
    node,
    workers,
    api: createApi({
      node,
      ...(workers && { workers }),
      ...(cacheFolder && { cacheFolder }),
      signer: signerOf(options, home, profile, parts),
      generation: () => detectGeneration(readHomeSigns(fileSystem, home)),
      ...options,
      environment,
      storage,
      profile,
      loadLibgit2,
      cobCache,
    }),
    async checkCobCache(signal) {
      const { checkCacheRows } = await import("../src/cob/rad_cache/cache_row_check.ts");
      await checkCacheRows(
        { cache: cobCache, storage, nodeId: profile.nodeId, log: environment.log },
        signal,
      );
    },
  };
}

/** The node of a home; its socket is looked for on first need. */
async function createNode(options: HomeOptions, home: string, parts: HomeParts): Promise<HomeNode> {
  const { createHomeNode } = await import("../src/seeding/home_node.ts");
  const { fileSystem, createNodeDatabase } = parts;
  let askNode: AskNode | undefined;
  return createHomeNode({
    home,
    fileSystem,
    log: logOf(options),
    openDatabase: createNodeDatabase,
    ask(line, limits) {
      askNode ??= parts.createAskNode(options.nodeSocket?.() || `${home}/node/control.sock`);
      return askNode(line, limits);
    },
  });
}

/** The signer of a home, made on first need: until then nobody asks for passphrases. */
function signerOf(options: HomeOptions, home: string, { nodeId }: HomeProfile, parts: HomeParts): LoadSigner {
  let load: LoadSigner | undefined;
  return () => {
    load ??= parts.loadSigner({
      home,
      nodeId,
      fileSystem: parts.fileSystem,
      passphrase: options.passphrase?.(),
      agentSocket: options.agentSocket?.(),
      log: logOf(options),
    });
    return load();
  };
}

/** Where the log of a home goes. */
export function logOf({ environment }: HomeOptions): typeof log {
  return environment?.log ?? log;
}

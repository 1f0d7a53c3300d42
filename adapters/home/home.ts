/** Creates the API of a Radicle home from the adapters of a runtime. All runtimes use this code. */
import type {
  Api,
  ApiExtension,
  Environment,
  LoadLibgit2,
  LoadSigner,
  ServiceOptions,
  StartWorker,
  WorkerPool,
} from "../../mod.ts";
import type { Memory } from "../../src/cache/memory.ts";
import { DatabaseError, type NodeDatabase } from "../../src/ports/node_database.ts";
import { type AskNode, NodeSocketError } from "../../src/ports/node_socket.ts";
import { type HomeProfile, loadHomeProfile } from "../../src/profile/home_profile.ts";
import type { HomeNode } from "../../src/seeding/home_node.ts";
import type { OpenSessionTable } from "../../src/session/stored_session.ts";
import type { HomeStorage } from "../../src/storage/home/storage.ts";
import type { GitProgram } from "../../extensions/git/git_program.ts";
import type { HomeGitProgram } from "../../extensions/git/home_git_program.ts";
import type { SearchIndex } from "../../extensions/search/search_index.ts";
import type { HomeParts } from "./parts.ts";

/** Options of the API of a home. The log goes to standard error unless `environment` has another log. */
export interface HomeOptions extends Omit<ServiceOptions, "storage" | "profile" | "loadLibgit2"> {
  /**
   * Whether the web page is served at `/`; `false` by default. Without the dialect `v1`, the page is never
   * served.
   */
  readonly page?: boolean;
  /**
   * Program that serves clones and fetches. By default, git on this machine, if the runtime can start
   * programs.
   */
  readonly git?: GitProgram;
  /**
   * Full-text index for searches. By default, the runtime creates the index. The API closes the index when
   * the API is closed.
   */
  readonly searchIndex?: SearchIndex;
  /** Maximum number of clients that listen to changes at the same time; 1,000 by default. */
  readonly maxEventReaders?: number | undefined;
  /**
   * Secret key of consistency tokens, with at least 32 characters. The replicas of this home need the same
   * key.
   */
  readonly tokenKey?: string | undefined;
  /** Extensions in addition to live changes, search, archives, clones and the page; none by default. */
  readonly extensions?: readonly ApiExtension[];

  /** Path of the Radicle home. The path must be absolute if the runtime cannot make paths absolute. */
  readonly home: string;
  /**
   * Returns the name of the user. Called only when the home has no `config.json`. The name then becomes the
   * alias of the node.
   */
  readonly user?: () => string | undefined;
  /** Returns the passphrase of the secret key. Called before the first signature. */
  readonly passphrase?: () => string | undefined;
  /**
   * Returns the path of the socket of an ssh-agent that may hold the secret key. Called before the first
   * signature.
   */
  readonly agentSocket?: () => string | undefined;
  /**
   * Returns the path of the node's control socket, by default `node/control.sock` in the home. Called when
   * the API first uses the control socket.
   */
  readonly nodeSocket?: () => string | undefined;
  /**
   * Folder outside of the home in which indexes of long histories are saved. Lost indexes are made again. By
   * default, no indexes are saved.
   */
  readonly cachePath?: string;
  /**
   * Storage of the sessions: `memory` (the default) for the memory of this process, the path of a file, or
   * the URL of a Redis store as `redis://…`, `rediss://…` or `unix:PATH`. The option `sessionTable` overrides
   * this option.
   */
  readonly sessions?: string;
  /** Wraps the session table of the option `sessions`, for example to measure calls of the table. */
  readonly watchSessions?: ((table: OpenSessionTable) => OpenSessionTable) | undefined;
  /** Compiles libgit2 for the API and its workers. By default, the libgit2 in the package is compiled. */
  readonly loadLibgit2?: LoadLibgit2;
  /**
   * Starts a worker of the host instead of a worker of the runtime. The code of the worker has to call
   * `workOnHome`. To replace the whole pool, use the option `workers`.
   */
  readonly startWorker?: StartWorker;
}

export interface HomeApi {
  readonly home: string;
  readonly api: Api;
  readonly profile: HomeProfile;
  readonly storage: HomeStorage;
  /** The node of the home, or the node from the options. */
  readonly node: HomeNode;
  /**
   * Pool of workers for slow diffs. Idle workers end automatically. `undefined` when the runtime has no
   * workers, or when the options contain another pool.
   */
  readonly workers: WorkerPool | undefined;
  /**
   * Counts the git processes that are running and the requests that wait for a process, for metrics.
   * `undefined` when clones are not possible.
   */
  readonly git: Pick<HomeGitProgram, "running" | "waiting"> | undefined;
  /**
   * Writes missing rows of issues and patches into the database of `rad`. Rows are missing when an earlier
   * process ended too early. Never rejects.
   */
  checkCobCache(signal?: AbortSignal): Promise<void>;
  /**
   * Sends the waiting announcements to the node, and closes everything that the API opened. Call this method
   * after the last response, and send no more requests.
   */
  close(): Promise<void>;
}

/**
 * Creates the API of a Radicle home.
 *
 * @throws {ProfileError} when the home cannot be served.
 */
export type CreateHomeApi = (options: HomeOptions) => Promise<HomeApi>;

export interface OpenHome {
  readonly home: string;
  readonly profile: HomeProfile;
}

/**
 * Opens a home. Reads its configuration and its public key, but no repository.
 *
 * @throws {ProfileError} when the home cannot be served.
 */
export function openHome(
  options: Pick<HomeOptions, "home" | "user" | "environment">,
  parts: HomeParts,
): OpenHome {
  const { user } = options;
  const home = absolute(options.home, parts);
  const { fileSystem, mayRead } = parts;
  const log = logOf(options, parts);
  return { home, profile: loadHomeProfile({ home, fileSystem, mayRead, log, ...(user && { user }) }) };
}

/**
 * Creates the API of a home from the adapters of a runtime. Reads no repository.
 *
 * @param opened The home, if the caller has already opened it.
 * @throws {TypeError} for options that contradict each other or cannot be used, such as too little memory.
 * @throws {ProfileError} when the home cannot be served.
 */
export async function assembleHomeApi(
  options: HomeOptions,
  parts: HomeParts,
  opened: OpenHome = openHome(options, parts),
): Promise<HomeApi> {
  const { createApi, createWorkerPool } = await import("../../mod.ts");
  const { Memory } = await import("../../src/cache/memory.ts");
  const { createHomeStorage } = await import("../../src/storage/home/storage.ts");
  const { HomeGitProgram } = await import("../../extensions/git/home_git_program.ts");
  const { generationOf } = await import("../../src/identity/generation.ts");
  const { home, profile } = opened;
  const { fileSystem, inflate, deflate } = parts;
  const loadLibgit2 = compileOnce(options.loadLibgit2 ?? parts.loadLibgit2);
  const environment = { ...options.environment, log: logOf(options, parts) };
  const sessionTable = await openSessions(options, opened, parts);
  const memory = new Memory(options.memory);
  const node = await createNode(options, opened, parts, memory);
  const storage = createHomeStorage({
    root: `${home}/storage`,
    fileSystem,
    ...(inflate && { inflate }),
    ...(deflate && { deflate }),
    log: environment.log,
    memory,
  });
  const startWorker = options.startWorker ??
    parts.homeWorkers?.(`${home}/storage`, options.memory, loadLibgit2);
  const workers = options.workers || !startWorker
    ? undefined
    : createWorkerPool({ startWorker, log: environment.log });
  const cacheFolder = options.cachePath === undefined
    ? undefined
    : parts.createCacheFolder?.(absolute(options.cachePath, parts));
  const cobCache = options.cobCache ?? parts.createCobCache?.(`${home}/cobs/cache.db`);
  const searchIndex = parts.createSearchIndex?.(
    options.cachePath && await searchPath(absolute(options.cachePath, parts), home),
    environment.log,
  );
  const signer = createSignerOf(options, opened, parts);
  const git = parts.startProgram && new HomeGitProgram(`${home}/storage`, parts.startProgram);
  const api = createApi({
    node,
    ...(workers && { workers }),
    ...(cacheFolder && { cacheFolder }),
    ...(signer && { signer }),
    ...(sessionTable && { sessionTable }),
    ...options,
    compatibility: { generation: generationOf(fileSystem, home), ...options.compatibility },
    extensions: await homeExtensions({
      ...options,
      git: options.git ?? git,
      searchIndex: options.searchIndex ?? searchIndex,
    }),
    environment,
    storage,
    profile,
    loadLibgit2,
    ...(cobCache && { cobCache }),
  });
  return {
    home,
    profile,
    storage,
    node,
    workers,
    git,
    api,
    async checkCobCache(signal) {
      if (cobCache === undefined) return;
      const { checkCacheRows } = await import("../../src/cob/rad_cache/cache_row_check.ts");
      await checkCacheRows(
        { cache: cobCache, storage, nodeId: profile.nodeId, log: environment.log },
        signal,
      );
    },
    async close() {
      await api.close();
      sessionTable?.close();
      git?.close();
      await workers?.close();
      await node.close();
      storage.close();
    },
  };
}

async function homeExtensions(
  options: Pick<HomeOptions, "page" | "maxEventReaders" | "tokenKey" | "extensions"> & {
    readonly git: GitProgram | undefined;
    readonly searchIndex: SearchIndex | undefined;
  },
): Promise<readonly ApiExtension[]> {
  const { extensionsWithRoutes } = await import("../../extensions/with_routes.ts");
  const { origin } = await import("../../extensions/replicas/origin/mod.ts");
  return [
    ...extensionsWithRoutes({ ...options, search: { index: options.searchIndex } }),
    origin({ tokenKey: options.tokenKey }),
    ...(options.extensions ?? []),
  ];
}

/** Opens the table of sessions in a file or a store. Returns `undefined` when the sessions are in memory. */
async function openSessions(
  options: HomeOptions,
  { profile }: OpenHome,
  parts: HomeParts,
): Promise<OpenSessionTable | undefined> {
  const { sessions = "memory", sessionTable, environment, watchSessions = (table) => table } = options;
  if (sessions === "memory" || sessionTable !== undefined) return undefined;
  if (parts.openSessions === undefined) throw new TypeError("This runtime supports sessions in memory only");
  return watchSessions(
    await parts.openSessions(sessions, {
      scope: profile.nodeId,
      now: () => environment?.now?.() ?? Date.now(),
      log: logOf(options, parts),
    }),
  );
}

/** Each home has a separate index, even if several homes use the same cache folder. */
async function searchPath(cachePath: string, home: string): Promise<string> {
  const { hashObject } = await import("../../src/git/encode.ts");
  const name = hashObject("blob", new TextEncoder().encode(home)).slice(0, 16);
  return `${cachePath}/search-${name}`;
}

/**
 * Returns a function that compiles libgit2 once for all its callers. If compiling fails, the next call tries
 * again.
 */
export function compileOnce(load: LoadLibgit2): LoadLibgit2 {
  let compiled: ReturnType<LoadLibgit2> | undefined;
  return () => {
    compiled ??= load().catch((error) => {
      compiled = undefined;
      throw error;
    });
    return compiled;
  };
}

/** Returns the log from the options. If the options have no log, returns the log of the runtime. */
export function logOf(
  { environment }: Pick<HomeOptions, "environment">,
  { log = () => {} }: Pick<HomeParts, "log">,
): Environment["log"] {
  return environment?.log ?? log;
}

function absolute(path: string, { absolutePath = (path) => path }: HomeParts): string {
  return absolutePath(path);
}

/** Creates the node of a home. */
export async function createNode(
  options: Pick<HomeOptions, "nodeSocket" | "environment">,
  { home }: OpenHome,
  parts: HomeParts,
  memory: Memory,
): Promise<HomeNode> {
  const { createHomeNode } = await import("../../src/seeding/home_node.ts");
  const {
    fileSystem,
    createAskNode = createAbsentSocket,
    createSubscribeToNode,
    createNodeDatabase = createAbsentDatabase,
  } = parts;
  let askNode: AskNode | undefined;
  const socket = () => options.nodeSocket?.() || `${home}/node/control.sock`;
  return createHomeNode({
    home,
    fileSystem,
    log: logOf(options, parts),
    openDatabase: createNodeDatabase,
    memory,
    ask(line, limits) {
      askNode ??= createAskNode(socket());
      return askNode(line, limits);
    },
    ...createSubscribeToNode && { subscribe: (...request) => createSubscribeToNode(socket())(...request) },
  });
}

function createAbsentSocket(path: string): () => Promise<never> {
  return () => Promise.reject(new NodeSocketError("absent", `This runtime cannot reach the socket ${path}`));
}

function createAbsentDatabase(path: string): NodeDatabase {
  return {
    read: () => Promise.resolve(undefined),
    write: () => Promise.reject(new DatabaseError("denied", `This runtime cannot write ${path}`)),
  };
}

/**
 * Returns a function that loads the signer of a home. The key is not read before the first call, because
 * reading the key may require a passphrase.
 */
function createSignerOf(
  options: HomeOptions,
  { home, profile: { nodeId } }: OpenHome,
  parts: HomeParts,
): LoadSigner | undefined {
  const { fileSystem, loadSigner } = parts;
  let load: LoadSigner | undefined;
  return loadSigner && (() => {
    load ??= loadSigner({
      home,
      nodeId,
      fileSystem,
      passphrase: options.passphrase?.(),
      agentSocket: options.agentSocket?.(),
      log: logOf(options, parts),
    });
    return load();
  });
}

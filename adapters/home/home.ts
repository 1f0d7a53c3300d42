/** The API of a Radicle home, assembled from the parts of a runtime. The same for every runtime. */
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

/**
 * Path of a home, and the options of the API itself. The log goes to standard error unless `environment` has
 * another.
 */
export interface HomeOptions extends Omit<ServiceOptions, "storage" | "profile" | "loadLibgit2"> {
  /** Whether browsers get the page at the root; not by default, and never with today's dialect alone. */
  readonly page?: boolean;
  /** Serves clones and fetches; by default git of the machine, where the runtime starts programs. */
  readonly git?: GitProgram;
  /** Full-text index for searches; by default one of the runtime. The API closes it. */
  readonly searchIndex?: SearchIndex;
  /** Clients that listen to changes at a time; 1,000 by default. */
  readonly maxEventReaders?: number | undefined;
  /** Key of consistency tokens, of 32 characters or more, which the replicas of this home have, too. */
  readonly tokenKey?: string | undefined;
  /** Extensions besides live changes, search, archives, clones and the page; none by default. */
  readonly extensions?: readonly ApiExtension[];

  /** Path of the Radicle home. */
  readonly home: string;
  /** Name of the user, asked for only when the home has no `config.json`: the node's alias then. */
  readonly user?: () => string | undefined;
  /** Passphrase of the secret key, asked for when something is signed for the first time. */
  readonly passphrase?: () => string | undefined;
  /** Path of the socket of an ssh-agent that may hold the secret key, asked for likewise. */
  readonly agentSocket?: () => string | undefined;
  /**
   * Path of the node's control socket, asked for when the node is; `node/control.sock` in the home by
   * default.
   */
  readonly nodeSocket?: () => string | undefined;
  /**
   * Path of a folder, outside of the home, for indexes of long histories, which can be made again; none by
   * default.
   */
  readonly cachePath?: string;
  /**
   * Place of the sessions: `memory` of this process, the default; the path of a file; or `redis://…`,
   * `rediss://…` or `unix:PATH` for a store with the protocol of Redis. `sessionTable` counts before it.
   */
  readonly sessions?: string;
  /** Wraps the table of these sessions, for instruments. */
  readonly watchSessions?: ((table: OpenSessionTable) => OpenSessionTable) | undefined;
  /** Compiles libgit2, also for the workers; by default the one that the package carries. */
  readonly loadLibgit2?: LoadLibgit2;
  /**
   * Starts the workers, in place of those of the runtime: a host's own that call `workOnHome`. `workers`
   * takes a whole pool.
   */
  readonly startWorker?: StartWorker;
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
  /**
   * Makes diffs that take long; absent when the runtime brings no workers, or the options bring a pool. Idle
   * workers end by themselves.
   */
  readonly workers: WorkerPool | undefined;
  /** Processes of git for clones and fetches, for instruments; absent where nothing can be cloned. */
  readonly git: Pick<HomeGitProgram, "running" | "waiting"> | undefined;
  /**
   * Writes rows that are missing in the objects database of `rad` because an earlier process ended too early;
   * `serve` does so when it starts. Never rejects.
   */
  checkCobCache(signal?: AbortSignal): Promise<void>;
  /**
   * Sends the node the announcements that wait, and closes all that the API opened: workers, files,
   * databases, timers. The process can then end by itself. Call it after the last answer; requests must not
   * come any more.
   */
  close(): Promise<void>;
}

/**
 * Builds the API of a Radicle home on one runtime.
 *
 * @throws {ProfileError} when the home cannot be served.
 */
export type CreateHomeApi = (options: HomeOptions) => Promise<HomeApi>;

/** A home whose profile has been read. */
export interface OpenHome {
  /** Absolute path of the home. */
  readonly home: string;
  readonly profile: HomeProfile;
}

/**
 * Opens a home: reads its configuration and public key, and no repository yet.
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
 * Assembles the API of a home from the parts of a runtime. Loads the code of the API on the first call; reads
 * no repository yet.
 *
 * @param opened The home, when it has been opened before.
 * @throws {TypeError} for options that contradict each other or that cannot be used, such as too little
 *   memory.
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
  const { memoryBytes, cacheBytes } = options;
  const memory = new Memory({ memoryBytes, cacheBytes });
  const node = await createNode(options, opened, parts, memory);
  const storage = createHomeStorage({
    root: `${home}/storage`,
    fileSystem,
    ...(inflate && { inflate }),
    ...(deflate && { deflate }),
    log: environment.log,
    memory,
  });
  const startWorker = options.startWorker ?? parts.homeWorkers?.(`${home}/storage`, options, loadLibgit2);
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
    generation: generationOf(fileSystem, home),
    ...options,
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

/** The extensions of a home. */
async function homeExtensions(
  options: Pick<HomeOptions, "page" | "maxEventReaders" | "tokenKey" | "extensions"> & {
    readonly git: GitProgram | undefined;
    readonly searchIndex: SearchIndex | undefined;
  },
): Promise<readonly ApiExtension[]> {
  const { archives } = await import("../../extensions/archives/mod.ts");
  const { events } = await import("../../extensions/events/mod.ts");
  const { git } = await import("../../extensions/git/mod.ts");
  const { page } = await import("../../extensions/page/mod.ts");
  const { origin } = await import("../../extensions/replicas/origin/mod.ts");
  const { search } = await import("../../extensions/search/mod.ts");
  return [
    events({ maxReaders: options.maxEventReaders }),
    search({ index: options.searchIndex }),
    archives(),
    ...(options.page === true ? [page()] : []),
    git({ program: options.git }),
    origin({ tokenKey: options.tokenKey }),
    ...(options.extensions ?? []),
  ];
}

/** The table of sessions outside of the process; `undefined` for sessions in memory. */
async function openSessions(
  options: HomeOptions,
  { profile }: OpenHome,
  parts: HomeParts,
): Promise<OpenSessionTable | undefined> {
  const { sessions = "memory", sessionTable, environment, watchSessions = (table) => table } = options;
  if (sessions === "memory" || sessionTable !== undefined) return undefined;
  if (parts.openSessions === undefined) throw new TypeError("The runtime has sessions in memory only");
  return watchSessions(
    await parts.openSessions(sessions, {
      scope: profile.nodeId,
      now: () => environment?.now?.() ?? Date.now(),
      log: logOf(options, parts),
    }),
  );
}

/** Path of the search index of a home: homes that share a cache folder have files of their own. */
async function searchPath(cachePath: string, home: string): Promise<string> {
  const { hashObject } = await import("../../src/git/encode.ts");
  const name = hashObject("blob", new TextEncoder().encode(home)).slice(0, 16);
  return `${cachePath}/search-${name}`;
}

/** Compiles a module for the API and its workers once, and again only after a failure. */
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

/** The log of a home. */
export function logOf(
  { environment }: Pick<HomeOptions, "environment">,
  { log = () => {} }: Pick<HomeParts, "log">,
): Environment["log"] {
  return environment?.log ?? log;
}

function absolute(path: string, { absolutePath = (path) => path }: HomeParts): string {
  return absolutePath(path);
}

/** The node of a home; its socket is looked for on first need. */
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
    createHearNode,
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
    ...createHearNode && { hear: (...request) => createHearNode(socket())(...request) },
  });
}

/** The socket of a runtime that has no sockets. */
function createAbsentSocket(path: string): () => Promise<never> {
  return () => Promise.reject(new NodeSocketError("absent", `The runtime cannot reach ${path}`));
}

/** A database of a runtime that has no SQLite. */
function createAbsentDatabase(path: string): NodeDatabase {
  return {
    read: () => Promise.resolve(undefined),
    write: () => Promise.reject(new DatabaseError("denied", `The runtime cannot write ${path}`)),
  };
}

/** Loads the signer of a home, made on first need: until then nobody asks for passphrases. */
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

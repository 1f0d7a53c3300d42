/** Types of the functions that a runtime provides for the API of a Radicle home. */
import type {
  CacheFolder,
  CobCache,
  Environment,
  LoadLibgit2,
  LoadSigner,
  MemoryOptions,
  StartWorker,
  Storage,
} from "../../mod.ts";
import type { SearchIndex } from "../../extensions/search/search_index.ts";
import type { HomeSignerOptions } from "../../src/keys/home_signer.ts";
import type { Deflate, Inflate } from "../../src/ports/compression.ts";
import type { FileSystem } from "../../src/ports/file_system.ts";
import type { NodeDatabase } from "../../src/ports/node_database.ts";
import type { StartProgram } from "../../src/ports/program.ts";
import type { FetchOrigin } from "../../extensions/replicas/origin/forward.ts";
import type { OpenSessionTable, StoredTableOptions } from "../../src/session/stored_session.ts";
import type { AskNode, SubscribeToNode } from "../../src/ports/node_socket.ts";

/** Places in which the secret key of the node is searched. */
export interface SignerOptions extends Omit<HomeSignerOptions, "askAgent"> {
  /** Path of the ssh-agent's socket, from `SSH_AUTH_SOCK`. An empty path is treated as absent. */
  readonly agentSocket?: string | undefined;
}

/**
 * Functions of a runtime for a Radicle home. The two required members are enough to show repositories. Each
 * optional member adds a feature or makes the API faster.
 */
export interface HomeParts {
  /** File system that contains the home. With a `WritableFileSystem`, repositories can be changed. */
  readonly fileSystem: FileSystem;
  /** Checks whether the runtime allows reading a file. By default every file may be read. */
  readonly mayRead?: (path: string) => boolean;
  /** Compiles libgit2, which makes the diffs that the TypeScript code alone cannot make. */
  readonly loadLibgit2: LoadLibgit2;
  /** Makes the path of a home absolute. Without this function, paths must already be absolute. */
  readonly absolutePath?: (path: string) => string;
  /** Log for options without a log. */
  readonly log?: Environment["log"];
  /** Decompresses zlib data faster than the default in TypeScript. */
  readonly inflate?: Inflate;
  /** Compresses zlib data faster than the default (fflate). */
  readonly deflate?: Deflate;
  /** Loads the secret key of a home. Without this function, no data can be changed. */
  readonly loadSigner?: (options: SignerOptions & Pick<Environment, "log">) => LoadSigner;
  /**
   * Sends requests to the node through the control socket at a path. Without this function, the node counts
   * as stopped.
   */
  readonly createAskNode?: (path: string) => AskNode;
  /**
   * Receives events from the node through the control socket at a path. Without this function, a publisher
   * finds changes only by checks at intervals.
   */
  readonly createSubscribeToNode?: (path: string) => SubscribeToNode;
  /**
   * Opens an SQLite database of the node. Without this function, the databases count as absent and cannot be
   * written.
   */
  readonly createNodeDatabase?: (path: string) => NodeDatabase;
  /**
   * Opens the SQLite database of `rad`, `cobs/cache.db`. Without this function, the API does not write to the
   * database, so `rad` does not show changes by the API.
   */
  readonly createCobCache?: (path: string) => CobCache;
  /**
   * Opens the cache folder of `HomeOptions.cachePath`, for indexes of long histories. Without this function,
   * no cache folder is used.
   */
  readonly createCacheFolder?: (path: string) => CacheFolder;
  /**
   * Creates the full-text index, in files whose names begin with the path, or without a path in memory.
   * Without this function, search requests get the status 501.
   */
  readonly createSearchIndex?: (path: string | undefined, log: Environment["log"]) => SearchIndex;
  /**
   * Opens the sessions of `HomeOptions.sessions`, in a file or in a store. Without this function, sessions
   * are in memory only.
   */
  readonly openSessions?: (place: string, options: StoredTableOptions) => Promise<OpenSessionTable>;
  /**
   * Returns the maximum number of file descriptors of the process, which limits the number of connections of
   * a service. Without this function, the maximum is assumed to be 256.
   */
  readonly descriptorLimit?: () => number;
  /**
   * Sends requests of a replica to its origin. The function must send the `Host` field that the replica
   * received, not the host of the origin's URL. By default, `fetch` sends the requests.
   */
  readonly fetchOrigin?: FetchOrigin;
  /**
   * Starts git for clones and fetches, and for publishing. Without this function, clones and fetches get the
   * status 501, and nothing can be published.
   */
  readonly startProgram?: StartProgram;
  /** Returns the absolute path of the system's folder for temporary files, which several users may share. */
  readonly temporaryPath?: () => string;
  /**
   * Starts workers that read the storage in a folder, with caches of the given sizes and the given libgit2.
   * Without this function, the thread of the service computes diffs.
   */
  readonly homeWorkers?: (root: string, memory?: MemoryOptions, loadLibgit2?: LoadLibgit2) => StartWorker;
  /**
   * Starts workers that compute diffs of a replica. A worker reads the storage through the thread that
   * started the worker. Without this function, the thread of the service computes diffs.
   */
  readonly storageWorkers?: (
    storage: Pick<Storage, "repository">,
    loadLibgit2?: LoadLibgit2,
  ) => StartWorker;
}

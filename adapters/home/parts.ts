/** The parts of a runtime from which the API of a Radicle home is assembled. Types only. */
import type {
  ApiOptions,
  CacheFolder,
  CobCache,
  Environment,
  LoadLibgit2,
  LoadSigner,
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
import type { AskNode, HearNode } from "../../src/ports/node_socket.ts";

/** Sizes of caches, as of `ApiOptions`. */
export type MemorySizes = Pick<ApiOptions, "memoryBytes" | "cacheBytes">;

/** The places of a secret key. */
export interface SignerOptions extends Omit<HomeSignerOptions, "askAgent"> {
  /** Path of the agent's socket, `SSH_AUTH_SOCK`; empty counts as none. */
  readonly agentSocket?: string | undefined;
}

/**
 * Parts that a runtime brings to read a home. The two without a question mark are enough to show
 * repositories; each other part adds a feature or speed.
 */
export interface HomeParts {
  /** The files of homes. Repositories can be changed when they are a `WritableFileSystem`. */
  readonly fileSystem: FileSystem;
  /** Whether the runtime lets a file be read; every one by default. */
  readonly mayRead?: (path: string) => boolean;
  /** Compiles libgit2, for diffs that TypeScript does not make alone. */
  readonly loadLibgit2: LoadLibgit2;
  /** Makes the path of a home absolute; without it, paths must be absolute already. */
  readonly absolutePath?: (path: string) => string;
  /** Takes log lines when the options name no log. */
  readonly log?: Environment["log"];
  /** Unpacks zlib data faster than TypeScript, the default. */
  readonly inflate?: Inflate;
  /** Packs zlib data faster than fflate, the default. */
  readonly deflate?: Deflate;
  /** Finds the secret key of a home; without it, nothing can be changed. */
  readonly loadSigner?: (options: SignerOptions & Pick<Environment, "log">) => LoadSigner;
  /** Asks the node behind a control socket; without it, the node counts as stopped. */
  readonly createAskNode?: (path: string) => AskNode;
  /** Hears the node behind a control socket; without it, a publisher looks for changes itself. */
  readonly createHearNode?: (path: string) => HearNode;
  /**
   * The SQLite database of the node in a file; without it, databases count as absent and cannot be written.
   */
  readonly createNodeDatabase?: (path: string) => NodeDatabase;
  /** The SQLite database of `rad` in a file, `cobs/cache.db`; without it, `rad` hears of no change. */
  readonly createCobCache?: (path: string) => CobCache;
  /**
   * The folder for indexes of long histories, which `HomeOptions.cachePath` names; without it, none is used.
   */
  readonly createCacheFolder?: (path: string) => CacheFolder;
  /**
   * The full-text index in files at a path, to which their ends are added, or in memory without a path;
   * without it, searches are answered 501.
   */
  readonly createSearchIndex?: (path: string | undefined, log: Environment["log"]) => SearchIndex;
  /**
   * Opens the sessions that `HomeOptions.sessions` names: a file, or the URL of a store; without it, sessions
   * are in memory only.
   */
  readonly openSessions?: (place: string, options: StoredTableOptions) => Promise<OpenSessionTable>;
  /**
   * Number of file descriptors that the process may have; 256 by default. It bounds the connections of a
   * service.
   */
  readonly descriptorLimit?: () => number;
  /** Sends requests to the origin of a replica with the `Host` that they have; by default `fetch`. */
  readonly fetchOrigin?: FetchOrigin;
  /** Starts git, for clones and fetches; without it, they are answered 501. */
  readonly startProgram?: StartProgram;
  /**
   * Starts workers that read the storage in a folder, with caches of the given sizes, and that have libgit2
   * from the given source; without it, diffs are made in this thread.
   */
  readonly homeWorkers?: (root: string, memory?: MemorySizes, loadLibgit2?: LoadLibgit2) => StartWorker;
  /**
   * Starts workers that read the storage of a replica through this thread; without it, diffs are made in this
   * thread.
   */
  readonly storageWorkers?: (
    storage: Pick<Storage, "repository">,
    loadLibgit2?: LoadLibgit2,
  ) => StartWorker;
}

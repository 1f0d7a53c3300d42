/** Types of the parts of a runtime from which the API of a Radicle home is assembled. */
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

/** Places of a secret key. */
export interface SignerOptions extends Omit<HomeSignerOptions, "askAgent"> {
  /** Path of the agent's socket, `SSH_AUTH_SOCK`. An empty path counts as absent. */
  readonly agentSocket?: string | undefined;
}

/**
 * Parts of a runtime that are used to read a home. The two without a question mark are enough to show
 * repositories. Each other part adds a function or speed.
 */
export interface HomeParts {
  /** The files of homes. Repositories can be changed if this is a `WritableFileSystem`. */
  readonly fileSystem: FileSystem;
  /** Whether the runtime allows reading a file; every file by default. */
  readonly mayRead?: (path: string) => boolean;
  /** Compiles libgit2, for diffs that TypeScript alone does not make. */
  readonly loadLibgit2: LoadLibgit2;
  /** Makes the path of a home absolute; without it, paths must already be absolute. */
  readonly absolutePath?: (path: string) => string;
  /** Log that is used when the options have none. */
  readonly log?: Environment["log"];
  /** Unpacks zlib data faster than TypeScript, the default. */
  readonly inflate?: Inflate;
  /** Packs zlib data faster than fflate, the default. */
  readonly deflate?: Deflate;
  /** Loads the secret key of a home; without it, nothing can be changed. */
  readonly loadSigner?: (options: SignerOptions & Pick<Environment, "log">) => LoadSigner;
  /** Sends requests to the node at a control socket; without it, the node counts as stopped. */
  readonly createAskNode?: (path: string) => AskNode;
  /** Receives events from the node at a control socket; without it, a publisher checks for changes itself. */
  readonly createSubscribeToNode?: (path: string) => SubscribeToNode;
  /** Opens a SQLite database of the node; without it, databases count as absent and cannot be written. */
  readonly createNodeDatabase?: (path: string) => NodeDatabase;
  /** Opens the SQLite database of `rad`, `cobs/cache.db`; without it, `rad` does not show changes. */
  readonly createCobCache?: (path: string) => CobCache;
  /**
   * Opens the folder that `HomeOptions.cachePath` names, for indexes of long histories; without it, no such
   * folder is used.
   */
  readonly createCacheFolder?: (path: string) => CacheFolder;
  /**
   * Creates the full-text index: in files whose names begin with the path, or in memory without a path.
   * Without this part, searches are answered 501.
   */
  readonly createSearchIndex?: (path: string | undefined, log: Environment["log"]) => SearchIndex;
  /**
   * Opens the sessions that `HomeOptions.sessions` names: a file, or the URL of a store. Without it, sessions
   * are in memory only.
   */
  readonly openSessions?: (place: string, options: StoredTableOptions) => Promise<OpenSessionTable>;
  /**
   * Returns how many file descriptors the process may have; 256 by default. This number limits the
   * connections of a service.
   */
  readonly descriptorLimit?: () => number;
  /** Sends requests to the origin of a replica with their own `Host`; `fetch` by default. */
  readonly fetchOrigin?: FetchOrigin;
  /** Starts git for clones and fetches; without it, they are answered 501. */
  readonly startProgram?: StartProgram;
  /**
   * Starts workers that read the storage in a folder, with caches of the given sizes and libgit2 from the
   * given source. Without it, this thread makes diffs.
   */
  readonly homeWorkers?: (root: string, memory?: MemoryOptions, loadLibgit2?: LoadLibgit2) => StartWorker;
  /**
   * Starts workers that read the storage of a replica through this thread. Without it, this thread makes
   * diffs.
   */
  readonly storageWorkers?: (
    storage: Pick<Storage, "repository">,
    loadLibgit2?: LoadLibgit2,
  ) => StartWorker;
}

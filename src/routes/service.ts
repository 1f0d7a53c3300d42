/** State of a running API: the ports from its options, its caches, and its work in the background. */
import { PathSearches } from "../browse/history.ts";
import { ByteCache } from "../cache/byte_cache.ts";
import type { Answer } from "../http/answer.ts";
import { StreamCopies } from "../http/stream_copies.ts";
import { watchCache } from "../cache/memory.ts";
import { CacheRows } from "../cob/rad_cache/cache_rows.ts";
import { type Generation, RULES, type Rules } from "../cob/rules.ts";
import { Jobs } from "../cob/job/find_jobs.ts";
import { Writer } from "../cob/write/writer.ts";
import { createCore } from "../core.ts";
import { DiffService } from "../diff_service/diff_service.ts";
import { LiveChanges } from "../../extensions/events/live_changes.ts";
import { neverThrowing } from "../http/respond.ts";
import { type AddressOf, ownAddress } from "../http/client_key.ts";
import { DEFAULT_TRUSTED_ORIGINS } from "../http/privilege.ts";
import type { HomeGeneration } from "../identity/generation.ts";
import { parseRid, type RepoId, tryParseRid } from "../ids/rid.ts";
import type { CacheFolder } from "../ports/cache_folder.ts";
import type { CobCache } from "../ports/cob_cache.ts";
import type { Environment } from "../ports/environment.ts";
import type { GitProgram } from "../ports/git_program.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Profile } from "../ports/profile.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { RequestEvent, RequestShare } from "../ports/request_event.ts";
import type { SessionTable } from "../ports/session_table.ts";
import type { LoadSigner } from "../ports/signer.ts";
import type { Storage } from "../ports/storage.ts";
import type { Workers } from "../ports/workers.ts";
import type { AnswerRoom } from "../ports/answer_room.ts";
import { TokenSigner } from "../../extensions/replicas/origin/consistency_token.ts";
import { createAbsentNode } from "../seeding/absent_node.ts";
import { createNodeNames } from "../seeding/node_names.ts";
import { CheckedTable } from "../session/checked_table.ts";
import { createMemoryTable } from "../session/memory_table.ts";
import { requireSigner } from "../session/key_sign_in.ts";
import { OwnerProofs } from "../session/owner_proof.ts";
import { Sessions } from "../session/sessions.ts";
import type { SearchIndex } from "../ports/search_index.ts";
import { Search } from "../../extensions/search/search.ts";
import { createWalletRules, type WalletRules } from "../session/wallet_sign_in.ts";
import type { RouteNeed } from "../contract/traits.ts";
import { versionWith } from "../version.ts";
import { createAliases } from "./aliases.ts";
import { PublicRepositories } from "./public_repositories.ts";
import { CachedTexts } from "../views/cached_texts.ts";

/** Dialects of the API that are served. */
export type ApiDialect = "v1" | "today" | "both";

/**
 * Answers a request in place of this service: a replica passes on what only the home can answer. Called when
 * a route has been found; `undefined` leaves the request to the service.
 *
 * @param route Pattern of the route, the repository that the path names, if it names one, what only the home
 *   has that the answer needs, and the address of the client as `addressOf` tells it.
 */
export type PassOn = (
  request: Request,
  route: {
    readonly pattern: string;
    readonly rid: RepoId | undefined;
    readonly need: RouteNeed | undefined;
    readonly address: string | undefined;
  },
) => Promise<Answer | undefined>;

/** Options of {@link createApi}: the parts that the host provides, and its choices. */
export interface ApiOptions {
  readonly storage: Storage;
  /** The local node. */
  readonly profile: Profile;
  readonly loadLibgit2: LoadLibgit2;
  /**
   * Workers for long histories, and for diffs that take long, such as the pool of `createWorkerPool`. Without
   * workers, such diffs are computed in this thread, and other requests wait.
   */
  readonly workers?: Workers;
  /** Bounds the memory of large answers; unbounded by default. */
  readonly answerRoom?: AnswerRoom;
  /** The Radicle node. By default a stopped node without aliases, routes and policies. */
  readonly node?: RadicleNode;
  /** Abbreviated id of the commit in the version of the service; by default that of this package's build. */
  readonly commit?: string;
  /** Clock and log; by default the system's clock and no log. */
  readonly environment?: Partial<Environment>;
  /**
   * Path below which the API is mounted, such as `/radicle`; empty by default. Slashes at its ends do not
   * matter, and it may be percent-encoded or not.
   */
  readonly basePath?: string;
  /** Whether requests come through a proxy. If so, no client counts as the owner, except `NODE_OWNER`. */
  readonly behindProxy?: boolean;
  /**
   * Reads the address of a client, by which all limits of one client count: sign-ins, live changes, searches,
   * processes of git, turns in queues. By default that of its socket, which is `undefined`, for all clients
   * together, behind a proxy and on loopback. A host behind a proxy reads it from a header field that its
   * proxy overwrites.
   */
  readonly addressOf?: AddressOf | undefined;
  /**
   * Origins of web pages that may act for the owner; `https://app.radicle.xyz` by default. Pages on loopback
   * always may.
   */
  readonly trustedOrigins?: readonly string[];
  /** Loads the node's secret key. Without it the API is read-only. */
  readonly signer?: LoadSigner;
  /** Storage of sessions; memory of this process by default. */
  readonly sessionTable?: SessionTable;
  /** Way to sign in (4.8): `key`, with the node's key, by default; `wallet`, with an Ethereum wallet. */
  readonly signIn?: "key" | "wallet";
  /**
   * Addresses of the wallets that may write, `0x` and 40 hexadecimal digits; other wallets may only sign in.
   * At least one if `signIn` is `wallet`, none otherwise.
   */
  readonly wallets?: readonly string[];
  /** Host and optional port that the messages to sign must name; required if `signIn` is `wallet`. */
  readonly serviceDomain?: string;
  /** Chain ids that the messages to sign may name; 1, Ethereum's main network, by default. */
  readonly chains?: readonly number[];
  /** Fixed time of written objects, in seconds since the epoch: for tests and recordings. */
  readonly objectTimeSeconds?: number;
  /**
   * Generation of the Radicle programs that use the storage; `newest` by default. References are signed in
   * its form, and a write that it would ignore is refused.
   */
  readonly generation?: () => HomeGeneration;
  /** Generation of Radicle programs whose rules evaluate issues and patches; `newest` by default. */
  readonly evaluation?: Generation;
  /** Form of reactions and review comments: `spec`, pairs, by default; `objects`, as services since 2024. */
  readonly answers?: "spec" | "objects";
  /**
   * Routes that are served: `v1`, as specified for version 1 (below `/projects`); `today`, as in
   * today's `radicle-httpd` (below `/repos`); `both`, by default.
   */
  readonly api?: ApiDialect;
  /**
   * Whether browsers get a page at the root: the node, its repositories, and a reference of the API. Not by
   * default, and never with today's dialect alone.
   */
  readonly page?: boolean;
  /** Names that paths may have in place of repository ids: name → repository id. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The database from which `rad` reads issues and patches. Without it, `rad` does not learn of writes. */
  readonly cobCache?: CobCache;
  /** Serves clones and fetches; without git they are answered 501. */
  readonly git?: GitProgram;
  /** Full-text index for searches; without it they are answered 501. The API closes it. */
  readonly searchIndex?: SearchIndex;
  /** Clients that listen to changes at a time; 1,000 by default. */
  readonly maxEventReaders?: number;
  /**
   * Folder for saved indexes of long histories and for the last changes, so that the next process loads them;
   * none by default.
   */
  readonly cacheFolder?: CacheFolder;
  /**
   * Memory of all caches, in bytes, approximately. `docs/caches.md` has the default, the smallest value and
   * the division. A service rarely fills the default, because caches hold only requested data.
   */
  readonly memoryBytes?: number;
  /**
   * Key of consistency tokens, of 32 characters or more, which the replicas of this service have, too.
   * Without it a change is seen at once by way of the replica that passed it on, and at others when it is
   * published.
   */
  readonly tokenKey?: string | undefined;
  /** Whether `passOn` answers searches; not by default. */
  readonly searchesElsewhere?: boolean;
  /** Answers some requests in place of this service; no requests by default. */
  readonly passOn?: PassOn;
  /** Whether the storage is that of a home, by default, or of a bucket: the memory is divided accordingly. */
  readonly storageKind?: "home" | "bucket";
  /**
   * Is told of each request when it has been answered, for instruments of the host. Requests of the host
   * itself count, too. What it throws is dropped.
   */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
  /** Share of expensive requests that each client may take; unbounded by default. */
  readonly share?: RequestShare | undefined;
  /** Memory of cached answers, in bytes, a part of `memoryBytes`; 64 MiB by default, 0 for none. */
  readonly cacheBytes?: number;
}

/** The state shared by all requests: the core, and what routes need beyond it. */
export type Service = Readonly<ReturnType<typeof createService>>;

/**
 * Builds the state of an API. Reads at most what tells the generation of a home, and compiles nothing.
 *
 * @throws {TypeError} for options that contradict each other or that cannot be used.
 */
export function createService(options: ApiOptions) {
  const log: Environment["log"] = neverThrowing((...line) => options.environment?.log?.(...line));
  const core = createCore({ ...options, environment: { ...options.environment, log } });
  const { behindProxy = false, addressOf = (_, client) => ownAddress(client, behindProxy) } = options;
  const { environment, memory, evaluation, generation, cobs, graphs, identities } = core;
  const { storage, profile, workers } = options;
  const node = options.node ?? createAbsentNode();
  const names = createNodeNames(node, profile);
  const now = () => environment.now();
  const aliases = createAliases(options.aliases);
  const answerCache = watchCache("answers", new ByteCache(memory.share("answers")));
  const table = new CheckedTable(options.sessionTable ?? createMemoryTable(now), { now, log });
  const sessions = new Sessions(table, now);
  const search = options.searchIndex &&
    new Search({ index: options.searchIndex, storage, cobs, evaluation, identities, graphs, log });
  const changes = new LiveChanges({
    storage,
    node,
    names,
    cobs,
    identities,
    graphs,
    report: log,
    maxReaders: options.maxEventReaders,
    cacheFolder: options.cacheFolder,
    logName: () => `events-${options.storageKind ?? "home"}-${profile.nodeId}`,
  });
  const writer = new Writer({
    profile,
    rows: new CacheRows({ cache: options.cobCache, cobs, log, graphs }),
    node: {
      announce(rid) {
        search?.expectChanges();
        changes.expect(rid);
        node.announce(rid);
      },
    },
    log,
    nowSeconds: () => options.objectTimeSeconds ?? Math.floor(now() / 1000),
    generation,
    identities,
  });
  return {
    ...core,
    /** Dialects that are served. */
    dialect: options.api ?? "both",
    /** Whether browsers get a page at the root. */
    page: options.page ?? false,
    storage,
    /** Repositories as strangers open them. */
    publicRepositories: new PublicRepositories(storage, identities, now),
    profile,
    node,
    /** Aliases of nodes. */
    names,
    answerRoom: options.answerRoom,
    /** Absent where nothing can be cloned. */
    git: options.git,
    pathSearches: new PathSearches(),
    /** Absent where nothing can be searched. */
    search,
    /** Whether searches are answered, here or elsewhere. */
    isSearchable: search !== undefined || options.searchesElsewhere === true,
    /** Version in answers to clients. */
    version: versionWith(options.commit || undefined),
    addressOf,
    privilege: {
      behindProxy,
      trustedOrigins: options.trustedOrigins ?? DEFAULT_TRUSTED_ORIGINS,
    },
    tokens: new TokenSigner(options.tokenKey),
    /** Compares trees. */
    diffs: new DiffService({ loadLibgit2: options.loadLibgit2, workers, answerCache, memory }),
    /** The cache `answers`. Check the permission to read the repository before a look-up. */
    answerCache,
    streamCopies: new StreamCopies(memory),
    sessions,
    /** Checks who holds the key of the node. */
    ownerProofs: new OwnerProofs(now),
    /** Absent when clients sign in with the node's key. */
    walletRules: walletRulesOf(options),
    /** The rules that a write has to obey: of evaluation, then of the home's programs. */
    rules: (): readonly [Rules, ...Rules[]] => [core.rules, RULES[generation()]],
    /** Finds jobs. */
    jobs: new Jobs({ rules: core.rules, docs: cobs.docs, log, memory }),
    /** Tells clients what changes. */
    changes,
    /** Changes issues and patches. */
    writer,
    /** Cached JSON of issues and patches. */
    texts: new CachedTexts(memory),
    /** Form of reactions and review comments. */
    answers: options.answers ?? "spec",
    /**
     * Loads the node's signer.
     *
     * @throws {ApiError} `unauthorized` when there is no usable key.
     */
    signer: () => requireSigner(options.signer, profile.nodeId),
    /**
     * Parses a repository id in any of its spellings, or resolves an alias.
     *
     * @throws {ApiError} `badParameter` when the text is not a repository id.
     */
    rid: (text: string): RepoId => aliases.resolve(text) ?? parseRid(text),
    /** As `rid`, with `undefined` in place of the error. */
    tryRid: (text: string): RepoId | undefined => aliases.resolve(text) ?? tryParseRid(text),
    /** Names of repositories. */
    aliases,
    /** Ends the work in the background; resolves when the service has no timers left. Never rejects. */
    async close() {
      sessions.close();
      // First: they may look at what the others close.
      await changes.close();
      await Promise.all([writer.close(), graphs.close(), search?.close()]);
    },
  };
}

function walletRulesOf({ signIn, wallets = [], serviceDomain, chains }: ApiOptions): WalletRules | undefined {
  if (signIn === "wallet") return createWalletRules({ serviceDomain, wallets, chains });
  if (wallets.length > 0) {
    throw new TypeError("Wallets may change things only where clients sign in with them");
  }
  return undefined;
}

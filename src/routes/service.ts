/**
 * Creates the objects that all requests to an API share: ports from the options, caches, and background work.
 */
import { PathSearches } from "../browse/history.ts";
import { ByteCache } from "../cache/byte_cache.ts";
import { StreamCopies } from "../http/stream_copies.ts";
import { type MemoryOptions, watchCache } from "../cache/memory.ts";
import { CacheRows } from "../cob/rad_cache/cache_rows.ts";
import { type Generation, RULES, type Rules } from "../cob/rules.ts";
import { Jobs } from "../cob/job/find_jobs.ts";
import { Writer } from "../cob/write/writer.ts";
import { type Core, createCore } from "../core.ts";
import { DiffService } from "../diff_service/diff_service.ts";
import { neverThrowing } from "../http/respond.ts";
import { type AddressOf, ownAddress } from "../http/client_key.ts";
import { DEFAULT_TRUSTED_ORIGINS, type PrivilegePolicy } from "../http/privilege.ts";
import type { HomeGeneration } from "../identity/generation.ts";
import { parseRid, type RepoId, tryParseRid } from "../ids/rid.ts";
import type { CacheFolder } from "../ports/cache_folder.ts";
import type { CobCache } from "../ports/cob_cache.ts";
import type { Environment } from "../ports/environment.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Profile } from "../ports/profile.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { RequestEvent, RequestShare } from "../ports/request_event.ts";
import type { SessionTable } from "../ports/session_table.ts";
import type { LoadSigner, Signer } from "../ports/signer.ts";
import type { Storage } from "../ports/storage.ts";
import type { Workers } from "../ports/workers.ts";
import type { AnswerRoom } from "../ports/answer_room.ts";
import { createAbsentNode } from "../seeding/absent_node.ts";
import { createNodeNames, type NodeNames } from "../seeding/node_names.ts";
import { CheckedTable } from "../session/checked_table.ts";
import { createMemoryTable } from "../session/memory_table.ts";
import { requireSigner } from "../session/key_sign_in.ts";
import { OwnerProofs } from "../session/owner_proof.ts";
import { Sessions } from "../session/sessions.ts";
import { createWalletRules, type WalletOptions, type WalletRules } from "../session/wallet_sign_in.ts";
import { versionWith } from "../version.ts";
import { createAliases, type RepoAliases } from "./aliases.ts";
import { PublicRepositories } from "./public_repositories.ts";
import type { DocumentDialect, DocumentPart } from "../contract/openapi.ts";
import { CachedTexts } from "../views/cached_texts.ts";

/** Dialects of the API: `v1` with paths below `/projects`, and `today` with paths below `/repos`. */
export type ApiDialect = "v1" | "today" | "both";

/** Options of a service: adapters of the host, and settings. */
export interface ServiceOptions {
  readonly storage: Storage;
  /** The id, the alias and the settings of the local node. */
  readonly profile: Profile;
  readonly loadLibgit2: LoadLibgit2;
  /**
   * Workers for long histories and slow diffs, such as the pool of `createWorkerPool`. Without workers, long
   * histories and slow diffs are computed in this thread, and other requests wait.
   */
  readonly workers?: Workers;
  /** Limits the memory of large responses; unlimited by default. */
  readonly answerRoom?: AnswerRoom;
  /** The Radicle node. The default is a stopped node without aliases, routes and policies. */
  readonly node?: RadicleNode;
  /**
   * Abbreviated commit id to show in the version of the service. The default is the commit of this package's
   * build.
   */
  readonly commit?: string;
  /** Clock and log. The defaults are the clock of the system and no log. */
  readonly environment?: Partial<Environment>;
  /**
   * Path below which the API is mounted, such as `/radicle`; empty by default. Slashes at both ends are
   * optional, and percent-encoding is optional.
   */
  readonly basePath?: string;
  /**
   * Whether requests come through a proxy. With a proxy, only requests with the client `NODE_OWNER` have the
   * rights of the owner.
   */
  readonly behindProxy?: boolean;
  /** How the service distinguishes clients, and what each client may do. */
  readonly clients?: ClientOptions;
  /** Loads the node's secret key. Without it, the API is read-only. */
  readonly signer?: LoadSigner;
  /** Storage of sessions; the memory of this process by default. */
  readonly sessionTable?: SessionTable;
  /**
   * Sign-in with an Ethereum wallet (specification, 4.8). By default, clients sign in with the key of the
   * node.
   */
  readonly wallets?: WalletOptions;
  readonly compatibility?: CompatibilityOptions;
  /**
   * Dialects that are served: `v1` (paths below `/projects`, specified as version 1), `today` (paths below
   * `/repos`, as in the current `radicle-httpd`), or `both` (the default).
   */
  readonly api?: ApiDialect;
  /**
   * Aliases that may replace repository ids in paths. The keys are aliases, the values are repository ids.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The database from which `rad` reads issues and patches. Without it, `rad` does not see writes. */
  readonly cobCache?: CobCache;
  /**
   * Folder in which indexes of long histories are saved, so that the next process can load them; none by
   * default.
   */
  readonly cacheFolder?: CacheFolder;
  /** Maximum sizes of the caches. */
  readonly memory?: MemoryOptions;
  /**
   * Called after the response to each request is ready. A host can use this function to measure requests.
   * Errors that the function throws are ignored.
   */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** How the service identifies and limits clients, and which web pages it trusts. */
export interface ClientOptions {
  /**
   * Returns the address of a client. All limits per client count requests by this address. The default is the
   * address of the socket. Behind a proxy and on loopback, the default is `undefined`, and all clients
   * together count as one client. A host behind a proxy should return the address from a header field that
   * its proxy overwrites.
   */
  readonly addressOf?: AddressOf | undefined;
  /** Limits how many expensive requests each client may send; unlimited by default. */
  readonly share?: RequestShare | undefined;
  /**
   * Origins of web pages that may send requests with the rights of the owner; `https://app.radicle.xyz` by
   * default. Pages on loopback always may.
   */
  readonly trustedOrigins?: readonly string[] | undefined;
}

/** Options for older Radicle programs and older clients. */
export interface CompatibilityOptions {
  /**
   * Returns the generation (range of versions) of the Radicle programs that use the storage; `newest` by
   * default. The service signs references in the format of these programs, and refuses writes that these
   * programs would ignore.
   */
  readonly generation?: (() => HomeGeneration) | undefined;
  /**
   * Generation (range of versions) of the Radicle programs by whose rules issues and patches are evaluated;
   * `newest` by default.
   */
  readonly evaluation?: Generation | undefined;
  /**
   * JSON format of reactions and review comments. `spec` (the default) shows them as arrays of two items.
   * `objects` shows them as objects, as `radicle-httpd` does since 2024.
   */
  readonly answers?: "spec" | "objects" | undefined;
}

export interface Additions {
  readonly isSearchable: boolean;
  /** Loads the parts of the OpenAPI document that describe the routes of extensions. */
  documentParts(dialect: DocumentDialect): Promise<readonly DocumentPart[]>;
}

/** The objects that all requests share. */
export interface Service extends Omit<Core, "rules"> {
  readonly dialect: ApiDialect;
  readonly storage: Storage;
  /** Opens repositories for clients other than the owner. */
  readonly publicRepositories: PublicRepositories;
  readonly profile: Profile;
  readonly node: RadicleNode;
  readonly names: NodeNames;
  readonly answerRoom: AnswerRoom | undefined;
  readonly pathSearches: PathSearches;
  readonly additions: Additions;
  /** Version of the service, as the API shows it. */
  readonly version: string;
  readonly addressOf: AddressOf;
  readonly privilege: PrivilegePolicy;
  readonly diffs: DiffService;
  /**
   * Cache of responses. Before a caller reads the cache, it must check that the client may read the
   * repository.
   */
  readonly answerCache: ByteCache;
  readonly streamCopies: StreamCopies;
  readonly sessions: Sessions;
  /** Verifies that a client holds the key of the node. */
  readonly ownerProofs: OwnerProofs;
  /** Settings of the sign-in with a wallet; `undefined` when clients sign in with the node's key. */
  readonly walletRules: WalletRules | undefined;
  /**
   * Returns the rules that a write must obey: first the rules by which issues and patches are evaluated, then
   * the rules of the programs that use the Radicle home.
   */
  writeRules(): readonly [Rules, ...Rules[]];
  readonly jobs: Jobs;
  readonly writer: Writer;
  /** Cached JSON texts of issues and patches. */
  readonly texts: CachedTexts;
  readonly answers: "spec" | "objects";
  readonly aliases: RepoAliases;
  /** Registers a function that is called after each change by this service. */
  onChange(listener: (rid: RepoId) => void): void;
  /**
   * Loads the node's signer.
   *
   * @throws {UnauthorizedError} when there is no usable key.
   */
  signer(): Promise<Signer>;
  /**
   * Parses a repository id in any of its spellings, or finds the repository id of an alias.
   *
   * @throws {UnreadableIdError} when the text is neither a repository id nor an alias.
   */
  rid(text: string): RepoId;
  /** Returns the same as {@link Service.rid}, or `undefined` instead of throwing an error. */
  tryRid(text: string): RepoId | undefined;
  /**
   * Ends the background work. The promise resolves when the service has no timers left, and never rejects.
   */
  close(): Promise<void>;
}

/**
 * Creates the service of an API. Reads the generation of the home, but no repository.
 *
 * @throws {TypeError} for options that contradict each other or that cannot be used.
 */
export function createService(options: ServiceOptions, additions: Additions): Service {
  const log: Environment["log"] = neverThrowing((...line) => options.environment?.log?.(...line));
  const core = createCore({
    ...options,
    ...options.compatibility,
    environment: { ...options.environment, log },
  });
  const { behindProxy = false, clients = {} } = options;
  const { addressOf = (_, client) => ownAddress(client, behindProxy) } = clients;
  const { environment, memory, generation, cobs, graphs, identities } = core;
  const { storage, profile, workers } = options;
  const node = options.node ?? createAbsentNode();
  const names = createNodeNames(node, profile);
  const now = () => environment.now();
  const aliases = createAliases(options.aliases);
  const answerCache = watchCache("answers", new ByteCache(memory.share("answers")));
  const table = new CheckedTable(options.sessionTable ?? createMemoryTable(now), { now, log });
  const sessions = new Sessions(table, now);
  const listeners = new Set<(rid: RepoId) => void>();
  const writer = new Writer({
    profile,
    rows: new CacheRows({ cache: options.cobCache, cobs, log, graphs }),
    onWritten(rid) {
      for (const listener of listeners) listener(rid);
      node.announce(rid);
    },
    log,
    nowSeconds: () => environment.objectTimeSeconds ?? Math.floor(now() / 1000),
    generation,
    identities,
  });
  return {
    ...core,
    dialect: options.api ?? "both",
    storage,
    publicRepositories: new PublicRepositories(storage, identities, now),
    profile,
    node,
    names,
    answerRoom: options.answerRoom,
    pathSearches: new PathSearches(),
    additions,
    version: versionWith(options.commit || undefined),
    addressOf,
    privilege: {
      behindProxy,
      trustedOrigins: clients.trustedOrigins ?? DEFAULT_TRUSTED_ORIGINS,
    },
    diffs: new DiffService({ loadLibgit2: options.loadLibgit2, workers, answerCache }),
    answerCache,
    streamCopies: new StreamCopies(memory),
    sessions,
    ownerProofs: new OwnerProofs(now),
    walletRules: options.wallets && createWalletRules(options.wallets),
    writeRules: (): readonly [Rules, ...Rules[]] => [core.rules, RULES[generation()]],
    jobs: new Jobs({ rules: core.rules, docs: cobs.docs, log, memory }),
    onChange: (listener: (rid: RepoId) => void): void => void listeners.add(listener),
    writer,
    texts: new CachedTexts(memory),
    answers: options.compatibility?.answers ?? "spec",
    signer: () => requireSigner(options.signer, profile.nodeId),
    rid: (text: string): RepoId => aliases.resolve(text) ?? parseRid(text),
    tryRid: (text: string): RepoId | undefined => aliases.resolve(text) ?? tryParseRid(text),
    aliases,
    async close() {
      sessions.close();
      await Promise.all([writer.close(), graphs.close()]);
    },
  };
}

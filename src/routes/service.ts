/** What lives as long as the API does: the ports it was given and what it caches between requests. */
import { ByteCache } from "../cache/byte_cache.ts";
import { Memory, smallTable } from "../cache/memory.ts";
import { CacheRows } from "../cob/rad_cache/cache_rows.ts";
import { cacheIdentities } from "../cob/identity/cached_identities.ts";
import { createIdentityReader, findIdentity } from "../cob/identity/identity_search.ts";
import { type Generation, RULES, type Rules } from "../cob/rules.ts";
import { type Cobs, createCobs } from "../cob/evaluation/store.ts";
import { Writer } from "../cob/write/writer.ts";
import { DiffService } from "../diff_service/diff_service.ts";
import type { CommitIndex } from "../git/commit_index.ts";
import { CommitIndexes } from "../git/commit_indexes.ts";
import { DEFAULT_TRUSTED_ORIGINS, type PrivilegePolicy } from "../http/privilege.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import type { HomeGeneration } from "../identity/generation.ts";
import { createDocCache, identityCommit, readIdentity } from "../identity/identity.ts";
import { createSigrefsCache, type SigrefsCache } from "../identity/sigrefs.ts";
import { parseRid, type RepoId } from "../ids/rid.ts";
import type { CacheFolder } from "../ports/cache_folder.ts";
import type { CobCache } from "../ports/cob_cache.ts";
import type { Environment } from "../ports/environment.ts";
import type { LoadLibgit2 } from "../ports/libgit2.ts";
import type { Profile } from "../ports/profile.ts";
import type { RadicleNode } from "../ports/radicle_node.ts";
import type { SessionTable } from "../ports/session_table.ts";
import type { LoadSigner, Signer } from "../ports/signer.ts";
import type { Repository, Storage } from "../ports/storage.ts";
import type { Workers } from "../ports/workers.ts";
import type { AnswerRoom } from "../ports/answer_room.ts";
import { createAbsentNode } from "../seeding/absent_node.ts";
import { createMemoryTable } from "../session/memory_table.ts";
import { requireSigner } from "../session/require_signer.ts";
import { Sessions } from "../session/sessions.ts";
import { createWalletRules, type WalletRules } from "../session/wallet_sign_in.ts";
import { versionWith } from "../version.ts";
import { CachedTexts } from "../views/cached_texts.ts";

/** What a host brings. Everything without a question mark is needed. */
export interface ApiOptions {
  readonly storage: Storage;
  /** The local node. */
  readonly profile: Profile;
  readonly loadLibgit2: LoadLibgit2;
  /** Who makes diffs that take long, such as the pool of `createWorkerPool`; by default this process does, and other requests wait meanwhile. */
  readonly workers?: Workers;
  /** Who gives memory for large answers; by default there is no bound. */
  readonly answerRoom?: AnswerRoom;
  /** The Radicle node; none by default: it counts as stopped then, and as one that knows of no other. */
  readonly node?: RadicleNode;
  /** Abbreviated id of the commit that the service runs, shown as a part of its version; by default the one that this package was built from. */
  readonly commit?: string;
  /** Clock and log; the system's clock and no log where members are missing. */
  readonly environment?: Partial<Environment>;
  /** Path below which the API is mounted, such as `/radicle`; none by default. */
  readonly basePath?: string;
  /** Whether requests come through a proxy: then nobody counts as the node's owner. */
  readonly behindProxy?: boolean;
  /** Origins of web pages that may act for the node's owner; `https://app.radicle.xyz` by default. Pages on loopback always may. */
  readonly trustedOrigins?: readonly string[];
  /** Finds the node's secret key; without it nothing can be changed. */
  readonly signer?: LoadSigner;
  /** Where sessions are kept; in the memory of this process by default. */
  readonly sessionTable?: SessionTable;
  /** How clients sign in: with the node's key, the default, or with an Ethereum wallet (4.8, alternate variant). */
  readonly signIn?: "key" | "wallet";
  /**
   * Addresses of the wallets that may change things, `0x` and 40 hexadecimal digits; other wallets may sign in, but not more. At least one when clients
   * sign in with wallets, none otherwise.
   */
  readonly wallets?: readonly string[];
  /** Host, and port if there is one, that messages to sign with a wallet must name; needed for wallets. */
  readonly serviceDomain?: string;
  /** Ids of the chains that these messages may name; 1, Ethereum's main network, by default. */
  readonly chains?: readonly number[];
  /** Time of everything written, seconds since the epoch, in place of the clock: for tests and recordings alone. */
  readonly objectTimeSeconds?: number;
  /**
   * Which generation of the Radicle programs works on the storage, so that references are signed as it does, and nothing
   * is written that it would drop; `newest` by default.
   */
  readonly generation?: () => HomeGeneration;
  /** Which generation of the Radicle programs issues and patches are evaluated like; `newest` by default. */
  readonly evaluation?: Generation;
  /** Form of reactions and review comments: pairs as specified, the default, or objects as services from 2024 on gave them. */
  readonly answers?: "spec" | "objects";
  /** The objects database from which `rad` reads issues and patches; without it, nobody tells `rad` of changes. */
  readonly cobCache?: CobCache;
  /** Where indexes of long histories are kept, so that the next process need not make them again; nowhere by default. */
  readonly cacheFolder?: CacheFolder;
  /**
   * Memory of all caches, in bytes, about, divided as `docs/caches.md` says, where the default and the least are. A service rarely fills the default: caches
   * hold only what was asked for.
   */
  readonly memoryBytes?: number;
  /** Memory for cached answers on git objects, in bytes, a part of `memoryBytes`; 64 MiB by default, 0 for none. */
  readonly cacheBytes?: number;
}

/** The state shared by all requests. */
export interface Service {
  readonly storage: Storage;
  readonly profile: Profile;
  readonly node: RadicleNode;
  readonly answerRoom: AnswerRoom | undefined;
  /** As clients are told it. */
  readonly version: string;
  readonly environment: Environment;
  readonly privilege: PrivilegePolicy;
  /** Compares trees. */
  readonly diffs: DiffService;
  /** Cached bytes on what never changes; ask only after the right to read was checked. */
  readonly finished: ByteCache;
  readonly sigrefs: SigrefsCache;
  readonly sessions: Sessions;
  /** Absent when clients sign in with the node's key. */
  readonly walletRules: WalletRules | undefined;
  /** The rules that changes have to obey: those that objects are shown by, then those of the programs that work on the storage. */
  rules(): readonly [Rules, ...Rules[]];
  /** Issues and patches. */
  readonly cobs: Cobs;
  /** Changes issues and patches. */
  readonly writer: Writer;
  /** Issues and patches as clients see them. */
  readonly texts: CachedTexts;
  /** Form of reactions and review comments. */
  readonly answers: "spec" | "objects";
  /** The node's signer; throws `ApiError` `unauthorized` when there is no usable key. */
  signer(): Promise<Signer>;
  /**
   * The identity document of a repository.
   *
   * @throws {DamagedError} when there is none that can be read.
   */
  identity(repository: Repository): Promise<IdentityDoc>;
  /**
   * Reads a repository id, in whatever spelling.
   *
   * @throws {ApiError} `badParameter` for anything else.
   */
  rid(text: string): RepoId;
  /** The commits of a repository, as far as they have been asked for. */
  commitIndex(rid: RepoId): CommitIndex;
  /** Ends what goes on beside requests; resolves when no timer of the service is left. Never rejects. */
  close(): Promise<void>;
}

/**
 * Builds the shared state; nothing is read or compiled yet.
 *
 * @throws {TypeError} for options that contradict each other or that cannot be used.
 */
export function createService(options: ApiOptions): Service {
  const environment = { now: () => Date.now(), log: () => {}, ...options.environment };
  const now = () => environment.now();
  const log: Environment["log"] = (...line) => environment.log(...line);
  const evaluation = options.evaluation ?? "newest";
  const memory = new Memory(options);
  const docs = createDocCache(memory);
  const entries = createIdentityReader(RULES[evaluation], memory);
  const find = cacheIdentities((repository) => findIdentity(repository, RULES[evaluation], entries), memory);
  const cobs = createCobs(evaluation, log, memory);
  const node = options.node ?? createAbsentNode();
  const indexes = new CommitIndexes({ cache: options.cacheFolder, log, memory });
  const commitIndex = (rid: RepoId) => indexes.of(rid);
  const rows = new CacheRows({ cache: options.cobCache, cobs, log, commitIndex });
  const generation = options.generation ?? (() => "newest");
  // To parse a repository id is the costliest part of reading a path.
  const rids = smallTable<string, RepoId>("repositoryIds");
  const finished = new ByteCache(memory.share("answers"));
  const sessions = new Sessions(options.sessionTable ?? createMemoryTable(now), now);
  const writer = new Writer({
    profile: options.profile,
    rows,
    node,
    log,
    nowSeconds: () => options.objectTimeSeconds ?? Math.floor(now() / 1000),
    generation,
    identity: (repository) => identityCommit(repository, find),
  });
  return {
    storage: options.storage,
    profile: options.profile,
    node,
    answerRoom: options.answerRoom,
    version: versionWith(options.commit || undefined),
    environment,
    privilege: {
      behindProxy: options.behindProxy ?? false,
      trustedOrigins: options.trustedOrigins ?? DEFAULT_TRUSTED_ORIGINS,
    },
    diffs: new DiffService({ loadLibgit2: options.loadLibgit2, workers: options.workers, finished, memory }),
    finished,
    sigrefs: createSigrefsCache(memory),
    sessions,
    walletRules: walletRulesOf(options),
    rules: () => [RULES[evaluation], RULES[generation()]],
    cobs,
    writer,
    texts: new CachedTexts(memory),
    answers: options.answers ?? "spec",
    signer: () => requireSigner(options.signer, options.profile.nodeId),
    identity: (repository) => readIdentity(repository, docs, find),
    rid: (text) => rids.getOrMake(text, () => parseRid(text)),
    commitIndex,
    async close() {
      sessions.close();
      await Promise.all([writer.close(), indexes.close()]);
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

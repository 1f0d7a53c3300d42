/** What lives as long as the API does: the ports it was given and what it remembers between requests. */
import { LruMap } from "./cache/lru_map.ts";
import { createDiffEngine, type DiffEngine } from "./diff/diff.ts";
import { CommitIndex } from "./git/commit_index.ts";
import { DEFAULT_TRUSTED_ORIGINS, type PrivilegePolicy } from "./http/privilege.ts";
import { createDocCache, type DocCache } from "./identity/identity.ts";
import { createSigrefsCache, type SigrefsCache } from "./identity/sigrefs.ts";
import type { RepoId } from "./ids/rid.ts";
import type { Environment } from "./ports/environment.ts";
import type { LoadLibgit2 } from "./ports/libgit2.ts";
import type { Profile } from "./ports/profile.ts";
import type { Storage } from "./ports/storage.ts";

/** What a host brings. Everything without a question mark is needed. */
export interface ApiOptions {
  readonly storage: Storage;
  /** The local node. */
  readonly profile: Profile;
  readonly loadLibgit2: LoadLibgit2;
  /** Clock and log; the system's clock and no log where members are missing. */
  readonly environment?: Partial<Environment>;
  /** Path below which the API is mounted, such as `/radicle`; none by default. */
  readonly basePath?: string;
  /** Whether requests come through a proxy: then nobody counts as the node's owner. */
  readonly behindProxy?: boolean;
  /** Origins of web pages that may act for the node's owner; `https://app.radicle.xyz` by default. Pages on loopback always may. */
  readonly trustedOrigins?: readonly string[];
}

/** Repositories whose commits are kept indexed. */
const INDEXED_REPOSITORIES = 64;

/** The state shared by all requests. */
export interface Service {
  readonly storage: Storage;
  readonly profile: Profile;
  readonly environment: Environment;
  readonly privilege: PrivilegePolicy;
  readonly diffs: DiffEngine;
  readonly docs: DocCache;
  readonly sigrefs: SigrefsCache;
  /** The commits of a repository, as far as they have been asked for. */
  commitIndex(rid: RepoId): CommitIndex;
}

/** Builds the shared state; nothing is read or compiled yet. */
export function createService(options: ApiOptions): Service {
  const indexes = new LruMap<RepoId, CommitIndex>(INDEXED_REPOSITORIES);
  return {
    storage: options.storage,
    profile: options.profile,
    environment: { now: () => Date.now(), log: () => {}, ...options.environment },
    privilege: {
      behindProxy: options.behindProxy ?? false,
      trustedOrigins: options.trustedOrigins ?? DEFAULT_TRUSTED_ORIGINS,
    },
    diffs: createDiffEngine({ loadLibgit2: options.loadLibgit2 }),
    docs: createDocCache(),
    sigrefs: createSigrefsCache(),
    commitIndex: (rid) => indexes.getOrMake(rid, () => new CommitIndex()),
  };
}

/**
 * The local Radicle node (2.14, 2.16, 4.5): its status, its seeding policies, and the facts that it has
 * stored about other nodes. Policies and facts are on disk, so they can be read whether the node runs or not.
 */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";

/**
 * Scope of a seeding policy: references of delegates and followed nodes (`followed`), or of every node
 * (`all`).
 */
export type Scope = "followed" | "all";

/** A seeding decision of the node's owner for one repository. */
export interface SeedingPolicy {
  readonly rid: RepoId;
  readonly scope: Scope;
  readonly policy: "allow" | "block";
}

/**
 * Status of the node. A running node may also return its configuration: the `node` object of `config.json`,
 * as it was loaded.
 */
export type NodeStatus =
  | { readonly state: "stopped" }
  | { readonly state: "running"; readonly config: Readonly<Record<string, unknown>> | undefined };

/**
 * Result of a fetch, as reported by the node. Further members, which depend on the node's generation, are
 * passed on.
 */
export type FetchResult =
  | {
    readonly status: "success";
    /** Updates of references. */
    readonly updated: readonly unknown[];
    readonly namespaces: readonly unknown[];
    readonly [member: string]: unknown;
  }
  | { readonly status: "failed"; readonly reason: string; readonly [member: string]: unknown };

/** A node. Its stored data can be read whether it runs or not. */
export interface RadicleNode {
  /**
   * Whether policies and inventories name only public repositories of the storage. If not, readers check each
   * repository.
   */
  readonly namesOnlyPublic?: boolean;
  /** Never rejects: an unreachable node counts as stopped. */
  status(): Promise<NodeStatus>;
  /**
   * Lists the seeding policies in the order of their creation.
   *
   * @throws {UnavailableError} when they cannot be read.
   */
  policies(): Promise<readonly SeedingPolicy[]>;
  /**
   * Seeds a repository, or changes the scope of an existing policy. A stopped node applies the policy when it
   * starts.
   *
   * @throws {UnavailableError} when the policy cannot be stored.
   */
  seed(rid: RepoId, scope: Scope): Promise<void>;
  /**
   * Removes the policy of a repository, if there is one. The repository stays in storage. Errors as in
   * `seed`.
   */
  unseed(rid: RepoId): Promise<void>;
  /**
   * Fetches a repository from another node. Never rejects: a fetch that cannot start is reported as failed.
   */
  fetch(rid: RepoId, from: NodeId): Promise<FetchResult>;
  /** Lists the nodes with a known alias, or with repositories that they offer. Never rejects. */
  knownNodes?(): Promise<readonly NodeId[]>;
  /** User agent of a node, such as `/radicle:1.5.0/`, if it is known. Never rejects. */
  agent?(node: NodeId): Promise<string | undefined>;
  /** Looks up the known aliases of nodes. Never rejects. */
  aliases(nodes: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>>;
  /**
   * Lists the repositories that a node offers, sorted by id; empty for an unknown node.
   *
   * @throws {UnavailableError} when they cannot be read.
   */
  inventory(node: NodeId): Promise<readonly RepoId[]>;
  /**
   * Counts the nodes that are known to seed each repository; repositories without seeds may be missing. Never
   * rejects.
   */
  seedCounts(rids: readonly RepoId[]): Promise<ReadonlyMap<RepoId, number>>;
  /**
   * Asks the node to announce soon that references of a repository have changed. A stopped node announces
   * them when it starts.
   */
  announce(rid: RepoId): void;
  /**
   * Reports changes until the signal is aborted, even across restarts of the node. Never rejects. Changes
   * made without the node, and some changes by programs on this machine, are not reported. Without this
   * method, the service finds all changes by checking the repositories.
   */
  watchChanges?(listener: ChangeListener, signal: AbortSignal): Promise<void>;
}

/** Receives changes of references and of the node's state. */
export interface ChangeListener {
  /** The node runs, and from now on it reports changes. Earlier changes may have been missed. */
  readonly onOpen: () => void;
  /** The node cannot be reached, so it counts as stopped. */
  readonly onStopped: () => void;
  /** References of a repository have changed. `undefined`: of any repository. */
  readonly onChange: (rid: RepoId | undefined) => void;
}

/**
 * The local Radicle node (specification, 2.14, 2.16, 4.5): its status, its seeding policies, and what it
 * knows about other nodes. Policies and knowledge are on disk, so that they can be read even if the node does
 * not run.
 */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";

/**
 * Scope of a seeding policy: the references of delegates and followed nodes (`followed`), or of all nodes
 * (`all`).
 */
export type Scope = "followed" | "all";

/** A decision of the node's owner whether the node seeds a repository. */
export interface SeedingPolicy {
  readonly rid: RepoId;
  readonly scope: Scope;
  readonly policy: "allow" | "block";
}

/**
 * Status of the node. `config` is the `node` object of `config.json` as the running node has loaded it;
 * `undefined` if the node does not report its configuration.
 */
export type NodeStatus =
  | { readonly state: "stopped" }
  | { readonly state: "running"; readonly config: Readonly<Record<string, unknown>> | undefined };

/**
 * Result of a fetch, as reported by the node. Further members depend on the version of the node, and are
 * passed on to clients.
 */
export type FetchResult =
  | {
    readonly status: "success";
    /** Updated references, as the node reports them. */
    readonly updated: readonly unknown[];
    readonly namespaces: readonly unknown[];
    readonly [member: string]: unknown;
  }
  | { readonly status: "failed"; readonly reason: string; readonly [member: string]: unknown };

/** The local node. Methods that read stored data work even if the node does not run. */
export interface RadicleNode {
  /**
   * Whether policies and inventories contain only public repositories of the storage. If not, the service
   * checks each repository before it shows the repository to a client.
   */
  readonly namesOnlyPublic?: boolean;
  /** Returns the status of the node. An unreachable node counts as stopped. Never rejects. */
  status(): Promise<NodeStatus>;
  /**
   * Lists the seeding policies in the order of their creation.
   *
   * @throws {UnavailableError} when the policies cannot be read.
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
   * Removes the policy of a repository, if there is a policy. The repository stays in the storage.
   *
   * @throws {UnavailableError} when the policy cannot be removed.
   */
  unseed(rid: RepoId): Promise<void>;
  /**
   * Fetches a repository from another node. Never rejects. A fetch that cannot start is reported as failed.
   */
  fetch(rid: RepoId, from: NodeId): Promise<FetchResult>;
  /** Lists the nodes that have a known alias, or are known to offer repositories. Never rejects. */
  knownNodes?(): Promise<readonly NodeId[]>;
  /**
   * Returns the user agent of a node, such as `/radicle:1.5.0/`; `undefined` if it is unknown. Never rejects.
   */
  agent?(node: NodeId): Promise<string | undefined>;
  /** Returns the known aliases of nodes. Never rejects. */
  aliases(nodes: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>>;
  /**
   * Lists the repositories that a node offers, sorted by id. The list is empty for an unknown node.
   *
   * @throws {UnavailableError} when the repositories cannot be read.
   */
  inventory(node: NodeId): Promise<readonly RepoId[]>;
  /**
   * Counts the nodes that are known to seed each repository. A repository without such nodes may be left out.
   * Never rejects.
   */
  seedCounts(rids: readonly RepoId[]): Promise<ReadonlyMap<RepoId, number>>;
  /**
   * Asks the node to announce soon that references of a repository have changed. A stopped node announces the
   * references when it starts.
   */
  announce(rid: RepoId): void;
  /**
   * Reports changes until the signal is aborted, even across restarts of the node. Never rejects. Changes
   * that do not go through the node, and some changes by programs on this machine, are not reported. Without
   * this method, the service finds all changes by checking the repositories.
   */
  watchChanges?(listener: ChangeListener, signal: AbortSignal): Promise<void>;
}

/** Receives changes of references and of the node's status. */
export interface ChangeListener {
  /** Called when the node runs and reports changes from now on. Earlier changes may have been missed. */
  readonly onOpen: () => void;
  /** Called when the node cannot be reached and therefore counts as stopped. */
  readonly onStopped: () => void;
  /**
   * Called when references of a repository have changed. `undefined` means that any repository may have
   * changed.
   */
  readonly onChange: (rid: RepoId | undefined) => void;
}

/** The local Radicle node (2.14, 2.16, 4.5): whether it runs, what it seeds, and what it knows of other nodes, running or not. */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";

/** Of whom a repository is seeded: of its delegates and the nodes that are followed, or of everybody. */
export type Scope = "followed" | "all";

/** Whether a repository is seeded, as the owner of the node decided. */
export interface SeedingPolicy {
  readonly rid: RepoId;
  readonly scope: Scope;
  readonly policy: "allow" | "block";
}

/** Whether the node runs, and then its configuration, if it tells: the `node` object of `config.json` as the node has it in its memory. */
export type NodeStatus =
  | { readonly state: "stopped" }
  | { readonly state: "running"; readonly config: Readonly<Record<string, unknown>> | undefined };

/** What came of a fetch, as the node tells it: members that its generation has besides these are kept. */
export type FetchResult =
  | {
    readonly status: "success";
    /** What became of each reference. */
    readonly updated: readonly unknown[];
    readonly namespaces: readonly unknown[];
    readonly [member: string]: unknown;
  }
  | { readonly status: "failed"; readonly reason: string; readonly [member: string]: unknown };

/** A node. What it knows is there whether it runs or not. */
export interface RadicleNode {
  /** Never rejects: a node that cannot be asked is stopped. */
  status(): Promise<NodeStatus>;
  /**
   * The policies of repositories, in the order in which they were made.
   *
   * @throws {ApiError} `unavailable` when they cannot be read.
   */
  policies(): Promise<readonly SeedingPolicy[]>;
  /**
   * Seeds a repository, or changes the scope of one that has a policy. A stopped node will do so from its next start on.
   *
   * @throws {ApiError} `unavailable` when it cannot be done.
   */
  seed(rid: RepoId, scope: Scope): Promise<void>;
  /** Removes the policy of a repository, which stays in storage; nothing happens when there is none. Errors as of `seed`. */
  unseed(rid: RepoId): Promise<void>;
  /** Fetches a repository from another node. Never rejects: a fetch that could not even begin has failed. */
  fetch(rid: RepoId, from: NodeId): Promise<FetchResult>;
  /** What nodes are called, as far as that is known. Never rejects. */
  aliases(nodes: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>>;
  /**
   * The repositories that a node offers, in order of their ids; none when the node is unknown.
   *
   * @throws {ApiError} `unavailable` when they cannot be read.
   */
  inventory(node: NodeId): Promise<readonly RepoId[]>;
  /** How many nodes are known to seed each of some repositories; those that none seeds may be missing. Never rejects. */
  seedCounts(rids: readonly RepoId[]): Promise<ReadonlyMap<RepoId, number>>;
  /** Has the node tell others soon that references of a repository have changed; a stopped one does so by itself when it starts. */
  announce(rid: RepoId): void;
}

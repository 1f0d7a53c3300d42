/** Identity and configuration of the local node, from a Radicle home. */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "./storage.ts";

/** The identity and configuration of the local node. */
export interface Profile {
  /** Id of the local node. */
  readonly nodeId: NodeId;
  /** Alias of the local node; `undefined` if the node has no alias. */
  readonly alias?: string | undefined;
  /**
   * Returns the ids of the repositories that the owner has pinned, in any order. Some of the repositories may
   * not be in the storage.
   */
  pinned(): Awaitable<readonly RepoId[]>;
  /** Path of the Radicle home, if there is a home. The path is shown only to the owner of the node. */
  readonly home?: string;
  /**
   * Returns the configuration as clients expect it (specification, 2.15). The configuration is shown only to
   * the owner of the node. `undefined` if there is no configuration.
   */
  readonly config?: (() => Awaitable<Readonly<Record<string, unknown>>>) | undefined;
}

/** Facts about the local node, from a Radicle home. */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "./storage.ts";

/** The identity and configuration of the local node. */
export interface Profile {
  /** Id of the local node. */
  readonly nodeId: NodeId;
  /** Alias of the local node, if it has one. */
  readonly alias?: string | undefined;
  /** Repositories pinned by the owner, as configured: in any order, and possibly unknown. */
  pinned(): Awaitable<readonly RepoId[]>;
  /** Path of the Radicle home, if there is one; shown to the owner of the node only. */
  readonly home?: string;
  /** The configuration as clients expect it (2.15), if there is one; shown to the owner of the node only. */
  readonly config?: (() => Awaitable<Readonly<Record<string, unknown>>>) | undefined;
}

/** The local node's own facts, as a Radicle home has them. */
import type { NodeId } from "../ids/nid.ts";
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "./storage.ts";

/** Whom the service speaks for. */
export interface Profile {
  /** Id of the local node. */
  readonly nodeId: NodeId;
  /** Name of the local node, where it has one. */
  readonly alias?: string;
  /** Repositories that the owner pinned, as configured: any order, perhaps unknown ones. */
  pinned(): Awaitable<readonly RepoId[]>;
  /** Path of the Radicle home, where there is one; only the owner of the node gets to see it. */
  readonly home?: string;
  /** The configuration as clients expect it (2.15), where there is one; likewise. */
  config?(): Awaitable<Readonly<Record<string, unknown>>>;
}

/** Who tells the network of changes: the local node, where one runs. */
import type { RepoId } from "../ids/rid.ts";
import type { Awaitable } from "./storage.ts";

/** A way to the network. */
export interface Announcer {
  /**
   * Tells other nodes that the local node's references in a repository have changed. Ends within seconds; does nothing when no node runs. What it
   * throws is logged: the change stands without it.
   */
  announce(rid: RepoId): Awaitable<void>;
}

/** A remote as clients see it (2.8). */
import type { Remote } from "../identity/remotes.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";

/** Wire form of a remote. */
export interface RemoteView {
  readonly id: NodeId;
  /** Alias of the node, if it is known: in lists only, as on the real service. */
  readonly alias?: string;
  /** Branch name → commit. */
  readonly heads: Readonly<Record<string, Oid>>;
  readonly delegate: boolean;
}

/** Shows a remote. */
export function toRemoteView({ nid, heads, isDelegate }: Remote, alias?: string): RemoteView {
  return {
    id: nid,
    ...(alias !== undefined && { alias }),
    heads: Object.fromEntries(heads),
    delegate: isDelegate,
  };
}

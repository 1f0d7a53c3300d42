/** A remote as clients see it (2.8). */
import type { Remote } from "../identity/remotes.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";

/** Wire form of a remote. */
export interface RemoteView {
  readonly id: NodeId;
  /** Branch name → commit. */
  readonly heads: Readonly<Record<string, Oid>>;
  readonly delegate: boolean;
}

/** Shows a remote. */
export function toRemoteView({ nid, heads, isDelegate }: Remote): RemoteView {
  return { id: nid, heads: Object.fromEntries(heads), delegate: isDelegate };
}

/** A remote as clients see it (2.8). */
import type { Remote as RemoteView } from "../contract/remotes.ts";
import type { Remote } from "../identity/remotes.ts";

/** Shows a remote. */
export function toRemoteView({ nid, heads, isDelegate }: Remote, alias?: string): RemoteView {
  return {
    id: nid,
    ...(alias !== undefined && { alias }),
    heads: Object.fromEntries(heads),
    delegate: isDelegate,
  };
}

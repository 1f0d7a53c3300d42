/** The groups that a comparison belongs to when others wait, too. */
import type { RepoId } from "../ids/rid.ts";

/** Its repository, and the peer that asks for it where peers can be told apart. */
export function groupsOf(rid: RepoId, peer: string | undefined): readonly string[] {
  return peer === undefined ? [rid] : [rid, peer];
}

/** An author, as clients see it (2.9). */
import type { Author as AuthorView } from "../contract/thread.ts";
import { didOfNid, type NodeId } from "../ids/nid.ts";

/** The alias of a node; `undefined` when none is known. */
export type AliasOf = (node: NodeId) => string | undefined;

/** Shows an author; without an alias if `aliasOf` is undefined. */
export function toAuthorView(node: NodeId, aliasOf: AliasOf | undefined): AuthorView {
  const alias = aliasOf?.(node);
  return alias === undefined ? { id: didOfNid(node) } : { id: didOfNid(node), alias };
}

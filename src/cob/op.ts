/** An entry on its way into the state of its object. */
import type { IdentityDoc } from "../identity/doc.ts";
import { type Did, didOfNid } from "../ids/did.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { Refusal } from "./refusal.ts";

/** Who did it and when. */
export interface EntryMetadata {
  /** Id of the entry, and of the comment, revision or review that it makes. */
  readonly id: Oid;
  readonly author: NodeId;
  /** Seconds since the epoch. */
  readonly timeSeconds: number;
}

/** An entry with actions of type `A` and what else decides about them. */
export interface Op<A> extends EntryMetadata {
  readonly actions: readonly A[];
  /** The identity document that the author saw; it decides who is a delegate. */
  readonly doc: IdentityDoc;
}

/** Whether an action may be done; `unclear` ones are passed over: what they are about is redacted, so nobody can tell. */
export type Permission = "granted" | "denied" | "unclear";

/** Whether the author is a delegate, who may do everything. */
export function isDelegate(op: Op<unknown>): boolean {
  const did: Did = didOfNid(op.author);
  return op.doc.delegates.includes(did);
}

/**
 * Whether the action is to be done.
 *
 * @throws {Refusal} `denied` when it may not be.
 */
export function checkPermission(permission: Permission, action: { readonly type: string }): boolean {
  if (permission === "denied") throw new Refusal("denied", `Not allowed to do "${action.type}"`);
  return permission === "granted";
}

/** Permission of whoever is one of these nodes. */
export function permitOnly(author: NodeId, ...nodes: readonly (NodeId | undefined)[]): Permission {
  return nodes.includes(author) ? "granted" : "denied";
}

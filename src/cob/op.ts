/** Entries as input of steps, permissions of their authors, and reasons why an entry does not count. */
import type { IdentityDoc } from "../identity/doc.ts";
import { type Did, didOfNid, type NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { Rules } from "./rules.ts";

/**
 * `denied`: the author has no permission; `missing`: a comment, revision or review does not exist; `invalid`:
 * an action violates a rule of the object; `malformed`: the entry or its identity document cannot be decoded.
 */
export type RefusalReason = "denied" | "missing" | "invalid" | "malformed";

/** Refuses an entry, stored or new. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Metadata of an entry. */
export interface EntryMetadata {
  /** Id of the entry, and of the comment, revision or review that it makes. */
  readonly id: Oid;
  readonly author: NodeId;
  /** Seconds since the epoch. */
  readonly timeSeconds: number;
}

/** Source of a text that is truncated in the state of an object: the action that has it in full. */
export interface TextSource {
  readonly entry: Oid;
  /** Position of the action in its entry, from 0. */
  readonly action: number;
  /** Bytes of all actions of the entry. */
  readonly bytes: number;
}

/** An action with truncated texts, or a part of a state made by such an action. */
export interface Truncated {
  readonly source?: TextSource;
}

/** The source of an action with truncated texts, as a member to be copied; empty for other actions. */
export function sourceOf(action: object): Truncated {
  const { source } = action as Truncated;
  return source === undefined ? {} : { source };
}

/** Gives an issue or patch the title of an action. */
export function setTitle(
  object: { title: string; titleSource?: TextSource },
  action: { readonly title: string },
): void {
  object.title = action.title;
  const { source } = action as Truncated;
  if (source === undefined) delete object.titleSource;
  else object.titleSource = source;
}

/** An entry with its actions, and the identity document that decides about permissions. */
export interface Op<A> extends EntryMetadata {
  readonly actions: readonly A[];
  /** The identity document that the author saw. It names the delegates. */
  readonly doc: IdentityDoc;
  /**
   * Whether the entry is not stored yet. Beside entries that this node does not have, an action without
   * effect may get one, and then its entry is refused with all that stands on it. So a new action needs the
   * permission that it needs with an effect.
   */
  readonly isNew?: boolean;
}

/**
 * Permission of an action. An `unclear` action is ignored: its target is redacted or not there, so its author
 * cannot be checked.
 */
export type Permission = "granted" | "denied" | "unclear";

/** Whether the author is a delegate, and has all permissions. */
export function isDelegate(op: Op<unknown>): boolean {
  const did: Did = didOfNid(op.author);
  return op.doc.delegates.includes(did);
}

/**
 * Whether an action is to be applied.
 *
 * @throws {Refusal} `denied` when the author has no permission; `missing` for a new action without a target.
 */
export function checkPermission(
  permission: Permission,
  { type }: { readonly type: string },
  { isNew }: Pick<Op<unknown>, "isNew">,
): boolean {
  if (permission === "denied") throw new Refusal("denied", `Not allowed to do "${type}"`);
  if (permission === "unclear" && isNew === true) {
    throw new Refusal("missing", `Target of "${type}" was not found`);
  }
  return permission === "granted";
}

/** Whether anybody may set a list to what it is: by rules that allow it, and not in a new entry. */
export function maySetUnchanged({ isNew }: Op<unknown>, { allowsUnchanged }: Rules): boolean {
  return allowsUnchanged && isNew !== true;
}

/** Permission granted to these nodes only. */
export function permitOnly(author: NodeId, ...nodes: readonly (NodeId | undefined)[]): Permission {
  return nodes.includes(author) ? "granted" : "denied";
}

/**
 * Applies entries (signed changes) to the states of issues, patches and other objects, and checks the
 * permissions of their authors.
 */
import type { IdentityDoc } from "../identity/doc.ts";
import { type Did, didOfNid, type NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import type { Embed } from "./entry/entry.ts";
import { isSameList } from "./entry/fields.ts";
import type { Edit } from "./entry/state_forms.ts";
import type { Rules } from "./rules.ts";

/**
 * Reason why an entry is refused.
 *
 * - `denied`: the author has no permission.
 * - `missing`: a comment, revision or review does not exist.
 * - `invalid`: an action violates a rule of the object.
 * - `malformed`: the entry or its identity document cannot be decoded.
 */
export type RefusalReason = "denied" | "missing" | "invalid" | "malformed";

/** Thrown when an entry is not valid, so that it is not applied. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface EntryMetadata {
  /** Id of the entry, and of the comment, revision or review that the entry creates. */
  readonly id: Oid;
  readonly author: NodeId;
  /** Time of the entry, in seconds since the epoch. */
  readonly timeSeconds: number;
}

/** Creates a version of a text, written by the author of an entry. */
export function createVersion<B extends string | null>(
  { author, timeSeconds }: Pick<EntryMetadata, "author" | "timeSeconds">,
  body: B,
  { embeds = [] }: { readonly type?: string; readonly embeds?: readonly Embed[] },
): Omit<Edit, "body"> & { readonly body: B } {
  return { author, timeSeconds, body, embeds };
}

/** An entry with its actions, and the identity document by which permissions are checked. */
export interface Op<A> extends EntryMetadata {
  readonly actions: readonly A[];
  /** The identity document to which the entry refers. It lists the delegates. */
  readonly doc: IdentityDoc;
  /**
   * Whether an action requires a permission even if the action has no effect now. Set for entries that are
   * about to be stored. When this node receives further entries, the action may get an effect. If the author
   * lacked the permission then, the entry would be refused, together with all entries that build on it.
   */
  readonly needsEffectiveRight?: boolean;
}

/**
 * Permission for an action. `unclear` means that the target of the action is redacted or missing, so that its
 * author is unknown. The action is then ignored.
 */
export type Permission = "granted" | "denied" | "unclear";

/** Checks whether the author of an entry is a delegate. Delegates have all permissions. */
export function isDelegate(op: Op<unknown>): boolean {
  const did: Did = didOfNid(op.author);
  return op.doc.delegates.includes(did);
}

/**
 * The implementation of one type of action: which nodes may do the action, and how the action changes its
 * target.
 */
export interface ActionStep<A, T, O extends Op<unknown>> {
  /** Commit message of an entry with only this action, as the Radicle programs write it. */
  readonly message: string;
  /** Returns the permission of an author that is not a delegate. */
  permit(target: T, op: O, action: A, rules: Rules): Permission;
  /** Checks an action without regard to the target. Throws a {@link Refusal}. */
  check?(action: A, rules: Rules): void;
  /** Changes the target. Throws a {@link Refusal} when the change is not possible. */
  apply(target: T, op: O, action: A, rules: Rules): void;
}

/** Implementations of all actions on a target, by type of action. */
export type ActionSteps<A extends { readonly type: string }, T, O extends Op<unknown> = Op<unknown>> = {
  readonly [N in A["type"]]: ActionStep<Extract<A, { readonly type: N }>, T, O>;
};

/**
 * Applies actions of an entry. Changes made before a failure are not undone.
 *
 * @param isChecked Whether permissions are checked.
 * @throws {Refusal} `denied` when the author has no permission, `missing` when the target of an action of a
 *   new entry is missing, and any refusal by an action's implementation.
 */
export function applyActions<A extends { readonly type: string }, T, O extends Op<A>>(
  steps: ActionSteps<A, T, O>,
  target: T,
  op: O,
  actions: readonly A[],
  rules: Rules,
  isChecked = true,
): void {
  const isFree = !isChecked || isDelegate(op);
  for (const action of actions) {
    const { type } = action;
    const step: ActionStep<A, T, O> = steps[type as A["type"]];
    const permission = isFree ? "granted" : step.permit(target, op, action, rules);
    if (permission === "denied") throw new Refusal("denied", `Not allowed to do "${type}"`);
    if (permission === "unclear") {
      if (op.needsEffectiveRight) throw new Refusal("missing", `Target of "${type}" was not found`);
      continue;
    }
    step.check?.(action, rules);
    step.apply(target, op, action, rules);
  }
}

export const permitAll = (): Permission => "granted";

export function permitAuthor(target: { readonly author: NodeId }, { author }: EntryMetadata): Permission {
  return permitOnly(author, target.author);
}

/**
 * Returns the permission of an author that is not a delegate to replace the list `before` by `after`. The
 * permission is granted only if the lists are equal, the rules allow such an action, and the entry is already
 * stored.
 */
export function permitUnchanged(
  { needsEffectiveRight }: Op<unknown>,
  { allowsUnchanged }: Rules,
  after: readonly string[],
  before: readonly string[],
): Permission {
  return allowsUnchanged && needsEffectiveRight !== true && isSameList(after, before) ? "granted" : "denied";
}

export function permitOnly(author: NodeId, ...nodes: readonly (NodeId | undefined)[]): Permission {
  return nodes.includes(author) ? "granted" : "denied";
}

/**
 * Schemas of the actions of patches (specification, 2.10, 4.4), and how each generation of Radicle programs
 * decodes the actions.
 */
import * as v from "valibot";
import type { Steps } from "../../scheduling/task.ts";
import { Assignees, Labels, OidText, Text } from "../entry/fields.ts";
import { decodeStored } from "../entry/stored_action.ts";
import { isFirstEmoji } from "../issue/reaction.ts";
import type { Rules } from "../rules.ts";
import { type ActionForms, SENT_FORMS, STORED_FORMS } from "./action_forms.ts";
import { MergeRevision, MergeTarget } from "./merge.ts";
import { EarlyReviewEdit, OpenReview, reviewActions, reviewCommentActions } from "./review.ts";
import { OpenRevision, revisionActions } from "./revision.ts";

/** Type name of patches in references and manifests. */
export const PATCH_TYPE = "xyz.radicle.patch";

/** Schema of the states that a lifecycle action can set. */
export const Lifecycle = v.variant("status", [
  v.object({ status: v.literal("open") }),
  v.object({ status: v.literal("draft") }),
  v.object({ status: v.literal("archived") }),
]);

/** Creates the schemas of the actions of a patch, except actions on reviews. */
function actionsExceptReviews<L extends v.GenericSchema, E extends v.GenericSchema>(
  forms: ActionForms<L, E>,
) {
  return [
    v.object({ type: v.literal("edit"), title: Text, target: MergeTarget }),
    v.object({ type: v.literal("label"), labels: Labels }),
    v.object({ type: v.literal("lifecycle"), state: Lifecycle }),
    v.object({ type: v.literal("assign"), assignees: Assignees }),
    MergeRevision,
    OpenRevision,
    v.object({ type: v.literal("revision.redact"), revision: OidText }),
    ...revisionActions(forms),
    OpenReview,
    v.object({ type: v.literal("review.redact"), review: OidText }),
  ] as const;
}

/**
 * Schema of all actions of a patch. Properties are in the order of the Radicle programs. Unknown properties
 * are ignored.
 */
export const PatchAction = v.variant("type", [
  ...actionsExceptReviews(STORED_FORMS),
  ...reviewActions(STORED_FORMS),
]);

/** Schema of the actions of a patch as clients send them. */
export const SentPatchAction = v.variant("type", [
  ...actionsExceptReviews(SENT_FORMS),
  ...reviewActions(SENT_FORMS),
]);

/**
 * Schema of all actions of a patch in the format of the Radicle programs of 2024, which edit reviews with
 * another action.
 */
const EarlyPatchAction = v.variant("type", [
  ...actionsExceptReviews(STORED_FORMS),
  ...reviewCommentActions(STORED_FORMS),
  v.pipe(EarlyReviewEdit, v.transform((edit) => ({ ...edit, labels: [] }))),
]);

/**
 * Types of actions by number. The newest Radicle programs accept the number instead of the type. If no action
 * can be decoded with the type at this index, the number is used as an index in {@link NUMBERED_EDITS}.
 */
const NUMBERED = [
  "edit",
  "label",
  "lifecycle",
  "assign",
  "merge",
  "review",
  "review.redact",
  "review.comment",
  "review.comment.edit",
  "review.comment.redact",
  "review.comment.react",
  "review.comment.resolve",
  "review.comment.unresolve",
  "review.react",
  "revision",
  "revision.edit",
  "revision.react",
  "revision.redact",
  "revision.comment",
  "revision.comment.edit",
  "revision.comment.redact",
  "revision.comment.react",
];
const NUMBERED_EDITS = ["review.edit", "review.edit.v2"];

export type PatchAction = v.InferOutput<typeof PatchAction>;
export type SentPatchAction = v.InferOutput<typeof SentPatchAction>;

/**
 * Decodes an action from stored JSON. Returns `undefined` when the Radicle programs of the generation do not
 * know the action.
 */
export function* decodePatchAction(value: unknown, rules: Rules): Steps<PatchAction | undefined> {
  if (rules.knowsLaterActions) {
    return (yield* decodeStored(PatchAction, value, rules, NUMBERED)) ??
      (yield* decodeStored(PatchAction, value, rules, NUMBERED_EDITS));
  }
  const action = yield* decodeStored(rules.replacesSummary ? EarlyPatchAction : PatchAction, value, rules);
  return action !== undefined && isEarly(action) ? action : undefined;
}

export function isEarlyType(type: PatchAction["type"]): boolean {
  return type !== "review.edit.v2" && type !== "review.react";
}

/** Checks whether the Radicle programs of February 2024 know an action and all values of its properties. */
export function isEarly(action: SentPatchAction): boolean {
  if (action.type === "edit") return action.target === "delegates";
  if (!isEarlyType(action.type)) return false;
  return !("reaction" in action) || isFirstEmoji(action.reaction);
}

/** Patches: their actions, who may do what, and what it changes (2.10, 3.2, 4.4). */
import * as v from "valibot";
import { nidOfDid } from "../../ids/did.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Steps } from "../../time/turns.ts";
import { locationKey } from "../issue/code_location.ts";
import { Assignees, isSameSet, Labels, OidText, Text } from "../entry/fields.ts";
import {
  findAgreed,
  mergePermission,
  MergeRevision,
  MergeTarget,
  targetBranch,
  tryTargetBranch,
} from "./merge.ts";
import { checkPermission, isDelegate, type Op, type Permission, permitOnly } from "../op.ts";
import { findReview, findRevision, type Patch } from "./patch_state.ts";
import { absentReaction, isFirstEmoji } from "../issue/reaction.ts";
import { Refusal } from "../refusal.ts";
import {
  applyToReview,
  checkReviewAction,
  createReview,
  EarlyReviewEdit,
  OpenReview,
  ReviewAction,
  reviewCommentActions,
  reviewPermission,
} from "./review.ts";
import {
  applyToRevision,
  createRevision,
  OpenRevision,
  RevisionAction,
  revisionPermission,
} from "./revision.ts";
import type { Rules } from "../rules.ts";
import { decodeStored } from "../entry/stored_action.ts";

/** Type name of patches in references and manifests. */
export const PATCH_TYPE = "xyz.radicle.patch";

/** The states that a patch can be put in by hand. */
export const Lifecycle = v.variant("status", [
  v.object({ status: v.literal("open") }),
  v.object({ status: v.literal("draft") }),
  v.object({ status: v.literal("archived") }),
]);

const actions = [
  v.object({ type: v.literal("edit"), title: Text, target: MergeTarget }),
  v.object({ type: v.literal("label"), labels: Labels }),
  v.object({ type: v.literal("lifecycle"), state: Lifecycle }),
  v.object({ type: v.literal("assign"), assignees: Assignees }),
  MergeRevision,
  OpenRevision,
  v.object({ type: v.literal("revision.redact"), revision: OidText }),
  RevisionAction,
  OpenReview,
  v.object({ type: v.literal("review.redact"), review: OidText }),
] as const;

/** Everything that can be done to a patch, members in the order of the real programs. Those that are not known are ignored. */
export const PatchAction = v.variant("type", [...actions, ReviewAction]);

/** As {@link PatchAction}, with the edit of a review as programs of 2024 know it. */
const EarlyPatchAction = v.variant("type", [
  ...actions,
  ...reviewCommentActions,
  v.pipe(EarlyReviewEdit, v.transform((edit) => ({ ...edit, labels: [] }))),
]);

/** Actions by the numbers that the newest programs take for their types; first these, then those of edits of reviews. */
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

/** The forms of {@link PatchAction}. */
export type PatchAction = v.InferOutput<typeof PatchAction>;

/** An entry of a patch. */
export interface PatchOp extends Op<PatchAction> {
  /**
   * Whether the author's own branch (`refs/heads/…`) holds a commit: what the answers to {@link mergeQuestions} say. `undefined` when one of
   * them is missing, or no commit.
   */
  branchContains(branch: string, commit: Oid): boolean | undefined;
}

/** The action that a stored JSON value is; `undefined` when programs of that generation know none such. */
export function* decodePatchAction(value: unknown, rules: Rules): Steps<PatchAction | undefined> {
  if (rules.knowsLaterActions) {
    return (yield* decodeStored(PatchAction, value, rules, NUMBERED)) ??
      (yield* decodeStored(PatchAction, value, rules, NUMBERED_EDITS));
  }
  const action = yield* decodeStored(rules.replacesSummary ? EarlyPatchAction : PatchAction, value, rules);
  return action !== undefined && isEarly(action) ? action : undefined;
}

/**
 * The patch that its first entry opens.
 *
 * @throws {Refusal} when it opens none.
 */
export function openPatch(op: PatchOp, rules: Rules): Patch {
  const [first, second, ...others] = op.actions;
  if (first?.type !== "revision" || second?.type !== "edit") {
    throw new Refusal("invalid", "A patch must begin with its first revision and its title");
  }
  const patch: Patch = {
    id: op.id,
    author: op.author,
    timeSeconds: op.timeSeconds,
    title: second.title,
    target: second.target,
    state: { status: "open", conflicts: [] },
    labels: [],
    assignees: [],
    merges: new Map(),
    revisions: new Map([[op.id, createRevision(op, first)]]),
    reviews: new Map(),
    timeline: [op.id],
  };
  for (const action of others) applyAction(patch, op, action, rules, rules.isRootChecked);
  return patch;
}

/** Takes down that an entry had its turn; the real programs do so before they know its identity document, and whether it counts. */
export function beginPatchEntry(patch: Patch, id: Oid): void {
  patch.timeline.push(id);
}

/**
 * Applies a further entry, after {@link beginPatchEntry}. When it throws, what its earlier actions changed stays changed.
 *
 * @throws {Refusal} when the author may not do that, or it cannot be done.
 */
export function applyToPatch(patch: Patch, op: PatchOp, rules: Rules): void {
  for (const action of op.actions) applyAction(patch, op, action, rules, true);
}

/** An action that anybody may do and that has no effect: it takes away a reaction to the first revision that its author has not given. */
export function idlePatchAction({ id, revisions }: Patch, author: NodeId): PatchAction {
  const { reactions = [] } = revisions.get(id)?.reactions.get(locationKey(undefined)) ?? {};
  return {
    type: "revision.react",
    revision: id,
    reaction: absentReaction(reactions, author),
    active: false,
  };
}

/** The branches and commits that must be looked up before an entry can be applied: its merges count only if its author's branch holds them. */
export function mergeQuestions(
  patch: Patch | undefined,
  { actions, doc }: Op<PatchAction>,
  rules: Rules,
): { readonly branch: string; readonly commit: Oid }[] {
  const commits = actions.flatMap((action) => action.type === "merge" ? [action.commit] : []);
  if (commits.length === 0) return [];
  const targets = actions.flatMap((action) => action.type === "edit" ? [action.target] : []);
  if (patch !== undefined) targets.push(patch.target);
  const branches = new Set(
    targets.map((target) => tryTargetBranch(target, doc, rules)).filter((name) => name !== undefined),
  );
  return commits.flatMap((commit) => [...branches].map((branch) => ({ branch, commit })));
}

function applyAction(patch: Patch, op: PatchOp, action: PatchAction, rules: Rules, isChecked: boolean): void {
  if (isChecked && !isDelegate(op) && !checkPermission(permissionFor(patch, op, action, rules), action)) {
    return;
  }
  switch (action.type) {
    case "edit":
      patch.title = action.title;
      patch.target = action.target;
      break;
    case "label":
      patch.labels = action.labels;
      break;
    case "lifecycle":
      if (
        patch.state.status === "merged" || patch.state.status === "open" && patch.state.conflicts.length > 0
      ) break;
      patch.state = action.state.status === "open"
        ? { status: "open", conflicts: [] }
        : { status: action.state.status };
      break;
    case "assign":
      patch.assignees = action.assignees.map(nidOfDid);
      break;
    case "merge":
      applyMerge(patch, op, action, rules);
      break;
    case "revision":
      patch.revisions.set(op.id, createRevision(op, action));
      break;
    case "revision.redact":
      redactRevision(patch, action.revision);
      break;
    case "review":
      addReview(patch, op, action, rules);
      break;
    case "review.redact":
      redactReview(patch, action.review);
      break;
    default:
      if ("review" in action) {
        checkReviewAction(action, rules);
        const found = findReview(patch, action.review);
        if (found !== null) applyToReview(found.review, op, action, rules);
        else if (action.type === "review.edit" && rules.replacesSummary) refuseRedacted(patch, action.review);
      } else {
        const revision = findRevision(patch, action.revision);
        if (revision !== null) applyToRevision(revision, op, action, rules);
      }
  }
}

/** What somebody who is no delegate may do. */
function permissionFor(patch: Patch, op: PatchOp, action: PatchAction, rules: Rules): Permission {
  switch (action.type) {
    case "edit":
    case "lifecycle":
      return permitOnly(op.author, patch.author);
    case "label":
      return rules.allowsUnchanged && isSameSet(action.labels, patch.labels) ? "granted" : "denied";
    case "assign":
      return "denied";
    case "merge":
      return mergePermission(patch.target, op, rules);
    case "revision":
    case "review":
      return "granted";
    case "revision.redact": {
      const revision = findRevision(patch, action.revision);
      return revision === null ? "unclear" : permitOnly(op.author, revision.author);
    }
    case "review.redact": {
      const found = findReview(patch, action.review);
      return found === null ? "unclear" : permitOnly(op.author, found.review.author);
    }
    default: {
      if ("review" in action) {
        const found = findReview(patch, action.review);
        return found === null ? "unclear" : reviewPermission(op, found.review, found.revision.author, action);
      }
      const revision = findRevision(patch, action.revision);
      return revision === null ? "unclear" : revisionPermission(op, revision, action);
    }
  }
}

/** Counts a merge, and says so in the state once enough delegates did the same. */
function applyMerge(patch: Patch, op: PatchOp, { revision, commit }: MergeRevision, rules: Rules): void {
  if (findRevision(patch, revision) === null) return;
  const isHeld = op.branchContains(targetBranch(patch.target, op.doc, rules), commit);
  // Git looks for an ancestor of the branch in vain: to the real programs that is an error, whatever else the entry does.
  if (isHeld === undefined) throw new Refusal("missing", `Commit ${commit} cannot be found in a branch`);
  if (!isHeld) return;
  patch.merges.set(op.author, { revision, commit, timeSeconds: op.timeSeconds });
  const agreed = findAgreed(patch.merges, op.doc.threshold);
  const [first] = agreed;
  if (first === undefined) return;
  patch.state = agreed.length === 1
    ? { status: "merged", revision: first[0], commit: first[1] }
    : { status: "open", conflicts: agreed };
}

function redactRevision(patch: Patch, id: Oid): void {
  if (id === patch.id) throw new Refusal("invalid", "The first revision of a patch cannot be redacted");
  if (!patch.revisions.has(id)) throw new Refusal("missing", `Revision ${id} was not found`);
  if ([...patch.merges.values()].some((merge) => merge.revision === id)) return;
  patch.revisions.set(id, null);
}

function addReview(patch: Patch, op: PatchOp, action: OpenReview, rules: Rules): void {
  const revision = rules.ignoresStrayReviews
    ? patch.revisions.get(action.revision) ?? null
    : findRevision(patch, action.revision);
  if (revision === null || rules.secondReview === "ignored" && revision.reviews.get(op.author)) return;
  revision.reviews.set(op.author, createReview(op, action));
  patch.reviews.set(op.id, { revision: revision.id, author: op.author });
}

function redactReview(patch: Patch, id: Oid): void {
  const place = patch.reviews.get(id);
  if (place === undefined) throw new Refusal("missing", `Review ${id} was not found`);
  const revision = place && findRevision(patch, place.revision);
  if (place === null || revision === null) return;
  revision.reviews.set(place.author, null);
  patch.reviews.set(id, null);
}

/** Refuses a review that was redacted itself. One whose revision was, or the node's other review in the same place, is passed over. */
function refuseRedacted(patch: Patch, id: Oid): void {
  if (patch.reviews.get(id) === null) throw new Refusal("missing", `Review ${id} is redacted`);
}

/** Whether programs of February 2024 know the action. */
export function isEarly(action: PatchAction): boolean {
  if (action.type === "edit") return action.target === "delegates";
  if (action.type === "review.edit.v2" || action.type === "review.react") return false;
  return !("reaction" in action) || isFirstEmoji(action.reaction);
}

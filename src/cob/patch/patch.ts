/**
 * Applies entries (signed changes) to patches, and checks the permissions for their actions (specification,
 * 2.10, 3.2, 4.4).
 */
import { nidOfDid, type NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { locationKey } from "../issue/code_location.ts";
import { absentReaction } from "../issue/reaction.ts";
import {
  type ActionStep,
  type ActionSteps,
  applyActions,
  type Op,
  permitAll,
  permitAuthor,
  permitUnchanged,
  Refusal,
} from "../op.ts";
import type { Rules } from "../rules.ts";
import { findAgreed, mergePermission, type MergeRevision, targetBranch, tryTargetBranch } from "./merge.ts";
import type { PatchAction } from "./patch_action.ts";
import { findReview, findRevision, type Patch } from "./patch_state.ts";
import { createReview, type OpenReview, reviewSteps } from "./review.ts";
import { createRevision, revisionSteps } from "./revision.ts";

export interface PatchOp extends Op<PatchAction> {
  /**
   * Returns whether the author's own branch (`refs/heads/…`) contains a commit, or `undefined` when the
   * commit or the tip of the branch is missing or not a commit. Call this function only for the pairs that
   * {@link mergeQuestions} returns.
   */
  branchContains(branch: string, commit: Oid): boolean | undefined;
}

/**
 * Creates a patch from its first entry.
 *
 * @throws {Refusal} when the entry does not open a patch.
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
  applyActions(patchSteps, patch, op, others, rules, rules.isRootChecked);
  return patch;
}

/**
 * Adds an entry to the timeline. As in the Radicle programs, an entry is added before its identity document
 * and actions are checked.
 */
export function beginPatchEntry(patch: Patch, id: Oid): void {
  patch.timeline.push(id);
}

/**
 * Applies an entry after the first entry. Call {@link beginPatchEntry} before. Changes made before a failure
 * are not undone.
 *
 * @throws {Refusal} when an action is not permitted or not possible.
 */
export function applyToPatch(patch: Patch, op: PatchOp, rules: Rules): void {
  applyActions(patchSteps, patch, op, op.actions, rules);
}

/**
 * Returns an action without effect that every node may do. The action removes a reaction that `author` has
 * not given.
 */
export function idlePatchAction({ id, revisions }: Patch, author: NodeId): PatchAction {
  const { reactions = [] } = revisions.get(id)?.reactions.get(locationKey(undefined)) ?? {};
  return {
    type: "revision.react",
    revision: id,
    reaction: absentReaction(reactions, author),
    active: false,
  };
}

/**
 * Returns the pairs of branch and commit with which applying the entry calls {@link PatchOp.branchContains}.
 * A merge is applied only if the author's branch contains the commit of the merge.
 */
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

/**
 * Converts implementations of actions on a review or revision to implementations of actions on the patch. If
 * `find` returns null, because the review or revision is redacted, the actions have no effect.
 */
function inPart<A extends { readonly type: string }, P>(
  steps: ActionSteps<A, P>,
  find: (patch: Patch, action: A) => P | null,
): ActionSteps<A, Patch, PatchOp> {
  const wrapped = (Object.entries(steps) as [string, ActionStep<A, P, Op<A>>][]).map((
    [type, step],
  ) => [
    type,
    {
      ...step,
      permit(patch, op, action, rules) {
        const part = find(patch, action);
        return part === null ? "unclear" : step.permit(part, op as Op<unknown> as Op<A>, action, rules);
      },
      apply(patch, op, action, rules) {
        const part = find(patch, action);
        if (part !== null) step.apply(part, op as Op<unknown> as Op<A>, action, rules);
      },
    } satisfies ActionStep<A, Patch, PatchOp>,
  ]);
  return Object.fromEntries(wrapped);
}

const onReview = inPart(reviewSteps, (patch, { review }) => findReview(patch, review));

export const patchSteps: ActionSteps<PatchAction, Patch, PatchOp> = {
  "edit": {
    message: "Edit",
    permit: permitAuthor,
    apply(patch, _op, action) {
      patch.title = action.title;
      patch.target = action.target;
    },
  },
  "label": {
    message: "Label",
    permit: (patch, op, { labels }, rules) => permitUnchanged(op, rules, labels, patch.labels),
    apply: (patch, _op, { labels }) => void (patch.labels = labels),
  },
  "lifecycle": {
    message: "Lifecycle",
    permit: permitAuthor,
    apply(patch, _op, { state: { status } }) {
      const { state } = patch;
      if (state.status === "merged" || state.status === "open" && state.conflicts.length > 0) return;
      patch.state = status === "open" ? { status, conflicts: [] } : { status };
    },
  },
  "assign": {
    message: "Assign",
    permit: () => "denied",
    apply: (patch, _op, { assignees }) => void (patch.assignees = assignees.map(nidOfDid)),
  },
  "merge": {
    message: "Merge revision",
    permit: ({ target }, op, _action, rules) => mergePermission(target, op, rules),
    apply: applyMerge,
  },
  "revision": {
    message: "Add revision",
    permit: permitAll,
    apply: (patch, op, action) => void patch.revisions.set(op.id, createRevision(op, action)),
  },
  "revision.redact": {
    message: "Redact revision",
    permit(patch, op, action) {
      const revision = findRevision(patch, action.revision);
      return revision === null ? "unclear" : permitAuthor(revision, op);
    },
    apply: (patch, _op, { revision }) => redactRevision(patch, revision),
  },
  ...inPart(revisionSteps, (patch, { revision }) => findRevision(patch, revision)),
  "review": { message: "Review", permit: permitAll, apply: addReview },
  "review.redact": {
    message: "Redact review",
    permit(patch, op, action) {
      const found = findReview(patch, action.review);
      return found === null ? "unclear" : permitAuthor(found.review, op);
    },
    apply: (patch, _op, { review }) => redactReview(patch, review),
  },
  ...onReview,
  "review.edit": {
    ...onReview["review.edit"],
    apply(patch, op, action, rules) {
      if (rules.replacesSummary) refuseRedacted(patch, action.review);
      onReview["review.edit"].apply(patch, op, action, rules);
    },
  },
};

/** Records a merge. If enough nodes claim the same revision and commit, the patch becomes merged. */
function applyMerge(patch: Patch, op: PatchOp, { revision, commit }: MergeRevision, rules: Rules): void {
  if (findRevision(patch, revision) === null) return;
  const isHeld = op.branchContains(targetBranch(patch.target, op.doc, rules), commit);
  // The Radicle programs refuse the whole entry when git cannot read the commit or the tip of the branch.
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

/**
 * Throws a {@link Refusal} if a review is redacted. An action is ignored, not refused, if the revision of the
 * review is redacted, or if the review was replaced by a review that is now redacted.
 */
function refuseRedacted(patch: Patch, id: Oid): void {
  if (patch.reviews.get(id) === null) throw new Refusal("missing", `Review ${id} is redacted`);
}

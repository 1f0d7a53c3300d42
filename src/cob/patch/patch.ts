/** Patches: steps from one state to the next (2.10, 3.2, 4.4). */
import { nidOfDid, type NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { locationKey } from "../issue/code_location.ts";
import { absentReaction } from "../issue/reaction.ts";
import {
  checkPermission,
  isDelegate,
  maySetUnchanged,
  type Op,
  type Permission,
  permitOnly,
  Refusal,
  setTitle,
} from "../op.ts";
import type { Rules } from "../rules.ts";
import { findAgreed, mergePermission, type MergeRevision, targetBranch, tryTargetBranch } from "./merge.ts";
import type { PatchAction } from "./patch_action.ts";
import { findReview, findRevision, type Patch } from "./patch_state.ts";
import {
  applyToReview,
  checkReviewAction,
  createReview,
  type OpenReview,
  reviewPermission,
} from "./review.ts";
import { applyToRevision, createRevision, revisionPermission } from "./revision.ts";
import { isSameList } from "../entry/fields.ts";

/** An entry of a patch. */
export interface PatchOp extends Op<PatchAction> {
  /**
   * Whether the author's own branch (`refs/heads/…`) contains a commit; `undefined` when the commit or the
   * tip of the branch is missing or no commit. Answers only {@link mergeQuestions}.
   */
  branchContains(branch: string, commit: Oid): boolean | undefined;
}

/**
 * The patch that its first entry opens.
 *
 * @throws {Refusal} when the entry opens no patch.
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
  setTitle(patch, second);
  for (const action of others) applyAction(patch, op, action, rules, rules.isRootChecked);
  return patch;
}

/**
 * Adds an entry to the timeline. The real programs do so before they check its identity document and its
 * actions.
 */
export function beginPatchEntry(patch: Patch, id: Oid): void {
  patch.timeline.push(id);
}

/**
 * Applies a further entry, after {@link beginPatchEntry}. Changes made before a failure are not undone.
 *
 * @throws {Refusal} when an action is not permitted or not possible.
 */
export function applyToPatch(patch: Patch, op: PatchOp, rules: Rules): void {
  for (const action of op.actions) applyAction(patch, op, action, rules, true);
}

/**
 * An action without effect, permitted to everybody: it removes a reaction to the first revision that the
 * author never gave.
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
 * Branches and commits to look up before an entry is applied: a merge counts only if the author's branch
 * contains it.
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

function applyAction(patch: Patch, op: PatchOp, action: PatchAction, rules: Rules, isChecked: boolean): void {
  if (
    isChecked && !isDelegate(op) && !checkPermission(patchPermission(patch, op, action, rules), action, op)
  ) {
    return;
  }
  switch (action.type) {
    case "edit":
      setTitle(patch, action);
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

/** Counts a merge, and changes the state once enough delegates merged the same. */
function applyMerge(patch: Patch, op: PatchOp, { revision, commit }: MergeRevision, rules: Rules): void {
  if (findRevision(patch, revision) === null) return;
  const isHeld = op.branchContains(targetBranch(patch.target, op.doc, rules), commit);
  // The real programs refuse the whole entry when git cannot read the commit or the tip of the branch.
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
 * Refuses a redacted review. Reviews of a redacted revision, and reviews replaced by a redacted one, are
 * ignored instead.
 */
function refuseRedacted(patch: Patch, id: Oid): void {
  if (patch.reviews.get(id) === null) throw new Refusal("missing", `Review ${id} is redacted`);
}

/** Permission of an author who is no delegate. */
export function patchPermission(
  patch: Patch,
  op: Op<PatchAction>,
  action: PatchAction,
  rules: Rules,
): Permission {
  switch (action.type) {
    case "edit":
    case "lifecycle":
      return permitOnly(op.author, patch.author);
    case "label":
      return maySetUnchanged(op, rules) && isSameList(action.labels, patch.labels) ? "granted" : "denied";
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

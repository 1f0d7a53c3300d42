/** The two types of objects that are listed, cached and changed: issues and patches. */
import type { GenericSchema } from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CachedType } from "../../ports/cob_cache.ts";
import {
  applyToIssue,
  copyIssue,
  decodeIssueAction,
  idleIssueAction,
  Issue,
  ISSUE_TYPE,
  type IssueAction,
  openIssue,
} from "../issue/issue.ts";
import type { Op } from "../op.ts";
import {
  applyToPatch,
  beginPatchEntry,
  idlePatchAction,
  mergeQuestions,
  openPatch,
  type PatchOp,
} from "../patch/patch.ts";
import { decodePatchAction, PATCH_TYPE, type PatchAction } from "../patch/patch_action.ts";
import { copyPatch, Patch } from "../patch/patch_state.ts";
import type { EvaluatedType } from "./evaluation.ts";
import { cutTags, cutText, type TextLimits } from "./text_budget.ts";

export type ObjectState = Issue | Patch;
/** Type of the actions of objects with state `S`. */
export type ActionOf<S extends ObjectState> = S extends Issue ? IssueAction : PatchAction;
/** Type of the entries (signed changes) that are applied to states of type `S`. */
export type OpOf<S extends ObjectState> = S extends Issue ? Op<IssueAction> : PatchOp;

/** Functions and constants of one type of object: issues or patches. */
export interface ObjectType<S extends ObjectState> extends EvaluatedType<ActionOf<S>, OpOf<S>, S> {
  /** Name of the type in references and manifests. */
  readonly name: CachedType;
  /** Returns an action without effect that every node may do in all generations. */
  idle(state: S, author: NodeId): ActionOf<S>;
  readonly statuses: readonly string[];
  /** Schema that reads saved states. */
  readonly form: GenericSchema<unknown, S>;
}

export const issueType: ObjectType<Issue> = {
  name: ISSUE_TYPE,
  decode: decodeIssueAction,
  resolve: (op) => op,
  open: openIssue,
  begin: () => {},
  apply: applyToIssue,
  copy: copyIssue,
  cut,
  idle: idleIssueAction,
  statuses: ["open", "closed"],
  form: Issue,
};

export const patchType: ObjectType<Patch> = {
  name: PATCH_TYPE,
  decode: decodePatchAction,
  resolve: async (op, patch, context, rules) => {
    const contained = new Map<string, boolean | undefined>();
    for (const { branch, commit } of mergeQuestions(patch, op, rules)) {
      contained.set(`${commit} ${branch}`, await context.branchContains(op.author, branch, commit));
    }
    return { ...op, branchContains: (branch, commit) => contained.get(`${commit} ${branch}`) };
  },
  open: openPatch,
  begin: beginPatchEntry,
  apply: applyToPatch,
  copy: copyPatch,
  cut,
  idle: idlePatchAction,
  statuses: ["open", "draft", "archived", "merged"],
  form: Patch,
};

function cut(state: ObjectState, marked: ReadonlySet<Oid>, { titleUnits, tags }: TextLimits): void {
  const { title, labels, assignees } = state;
  state.title = cutText(title, titleUnits);
  state.labels = cutTags(labels, tags);
  state.assignees = cutTags<string>(assignees, tags) as typeof assignees;
  const isCut = marked.size > 0 || state.title !== title || state.labels.length < labels.length ||
    state.assignees.length < assignees.length;
  if (isCut) state.truncated = marked;
}

/** Issues and patches as types of objects: their steps under one interface. */
import type { Oid } from "../../ids/oid.ts";
import type { ObjectType } from "./evaluation.ts";
import {
  applyToIssue,
  copyIssue,
  decodeIssueAction,
  idleIssueAction,
  type Issue,
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
import { outlineIssue, outlinePatch } from "./outline.ts";
import { copyPatch, type Patch } from "../patch/patch_state.ts";
import { SavedIssue, SavedPatch } from "./saved/state_forms.ts";
import { TRUNCATED_TITLE_UNITS, truncateText } from "./text_budget.ts";

/** The type of issues. */
export const issueType: ObjectType<IssueAction, Op<IssueAction>, Issue> = {
  name: ISSUE_TYPE,
  decode: decodeIssueAction,
  resolve: (op) => op,
  open: openIssue,
  begin: () => {},
  apply: applyToIssue,
  copy: copyIssue,
  truncate,
  countTags,
  outline: outlineIssue,
  idle: idleIssueAction,
  summary: (issue) => issue,
  statuses: ["open", "closed"],
  form: SavedIssue,
};

/** The type of patches. */
export const patchType: ObjectType<PatchAction, PatchOp, Patch> = {
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
  truncate,
  countTags,
  outline: outlinePatch,
  idle: idlePatchAction,
  summary: (patch) => patch,
  statuses: ["open", "draft", "archived", "merged"],
  form: SavedPatch,
};

function truncate(state: Issue | Patch, truncated: ReadonlySet<Oid>): void {
  state.title = truncateText(state.title, TRUNCATED_TITLE_UNITS);
  state.truncated = truncated;
}

function countTags({ labels, assignees }: Issue | Patch): number {
  return labels.length + assignees.length;
}

/**
 * Issues and patches as types of objects: their steps under one interface, and outlines, with truncated texts
 * and lists, for lists of objects with too much text.
 */
import type { Oid } from "../../ids/oid.ts";
import type { ObjectType } from "./evaluation.ts";
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
import {
  TRUNCATED_TITLE_UNITS,
  TRUNCATED_UNITS,
  truncateTags,
  truncateText,
  truncateTexts,
} from "./text_budget.ts";

/** Lists in a part of an object that its outline does not have. */
const LISTS: ReadonlySet<string> = new Set(["labels", "resolves"]);

/** The outline of an issue or a patch: its texts and lists are truncated, wherever they are. */
function outline<S extends Issue | Patch>(state: S): S {
  const { title, labels, assignees } = state;
  const truncated = new Set(state.truncated);
  return {
    ...outlineOf(state, state.id, truncated),
    title: truncateText(title, TRUNCATED_TITLE_UNITS),
    labels: truncateTags(labels),
    assignees: truncateTags<string>(assignees),
    truncated,
  };
}

/**
 * The outline of a part of a state.
 *
 * @param id The comment, revision or review that it belongs to.
 * @param truncated Gets the ids of those with truncated texts.
 */
function outlineOf<T>(part: T, id: Oid, truncated: Set<Oid>): T {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) {
    const short = part.map((item) => outlineOf(item, id, truncated));
    return short.some((item, i) => item !== part[i]) ? short as T : part;
  }
  if (part instanceof Map) {
    // A key is an id, or has the path of a location.
    const keyOf = (key: string, i: number) => key.length <= TRUNCATED_UNITS ? key : `${i}`;
    return new Map(
      [...part].map(([key, value], i) => [keyOf(key, i), outlineOf(value, id, truncated)]),
    ) as T;
  }
  const { id: subject = id }: { readonly id?: Oid } = part;
  const short = truncateTexts(part);
  if (short !== part) truncated.add(subject);
  const members = Object.entries(short).map(([name, member]) => {
    return [name, LISTS.has(name) ? [] : outlineOf(member, subject, truncated)];
  });
  return Object.fromEntries(members);
}

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
  outline,
  idle: idleIssueAction,
  statuses: ["open", "closed"],
  form: Issue,
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
  outline,
  idle: idlePatchAction,
  statuses: ["open", "draft", "archived", "merged"],
  form: Patch,
};

function truncate(state: Issue | Patch, truncated: ReadonlySet<Oid>): void {
  state.title = truncateText(state.title, TRUNCATED_TITLE_UNITS);
  state.truncated = truncated;
}

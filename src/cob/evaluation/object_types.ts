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
import { copyPatch, type Patch } from "../patch/patch_state.ts";
import { SavedIssue, SavedPatch } from "./saved/saved_evaluation.ts";
import {
  TRUNCATED_TITLE_UNITS,
  truncateEmbeds,
  truncatePath,
  truncateTags,
  truncateText,
} from "./text_budget.ts";
import type { CodeLocation } from "../issue/code_location.ts";
import type { Review } from "../patch/review.ts";
import type { Revision } from "../patch/revision.ts";
import type { Comment, Thread } from "../issue/thread.ts";

/** The outline of an issue. */
export function outlineIssue(issue: Issue): Issue {
  const truncated = new Set(issue.truncated);
  return {
    ...issue,
    title: truncateText(issue.title, TRUNCATED_TITLE_UNITS),
    labels: truncateTags(issue.labels),
    assignees: truncateTags(issue.assignees),
    thread: outlineThread(issue.thread, truncated),
    truncated,
  };
}

/** The outline of a patch. */
export function outlinePatch(patch: Patch): Patch {
  const truncated = new Set(patch.truncated);
  return {
    ...patch,
    title: truncateText(patch.title, TRUNCATED_TITLE_UNITS),
    labels: truncateTags(patch.labels),
    assignees: truncateTags(patch.assignees),
    revisions: new Map(
      [...patch.revisions].map(([id, revision]) => [id, revision && outlineRevision(revision, truncated)]),
    ),
    truncated,
  };
}

function outlineRevision(revision: Revision, truncated: Set<Oid>): Revision {
  return {
    ...revision,
    resolves: [],
    description: outlineTexts(revision.id, revision.description, truncated),
    reactions: new Map(
      [...revision.reactions].map(([key, place], i) => {
        const location = outlinePlace(revision.id, place.location, truncated);
        return location === place.location ? [key, place] : [`${i}`, { ...place, location }];
      }),
    ),
    discussion: outlineThread(revision.discussion, truncated),
    reviews: new Map(
      [...revision.reviews].map(([author, review]) => [author, review && outlineReview(review, truncated)]),
    ),
  };
}

function outlineReview(review: Review, truncated: Set<Oid>): Review {
  return {
    ...review,
    labels: [],
    summary: outlineTexts(review.id, review.summary, truncated),
    comments: outlineThread(review.comments, truncated),
  };
}

function outlineThread({ comments, timeline }: Thread, truncated: Set<Oid>): Thread {
  const short = (comment: Comment) => ({
    ...comment,
    location: outlinePlace(comment.id, comment.location, truncated),
    edits: outlineTexts(comment.id, comment.edits, truncated),
  });
  return {
    comments: new Map([...comments].map(([id, comment]) => [id, comment && short(comment)])),
    timeline,
  };
}

function outlinePlace(
  id: Oid,
  location: CodeLocation | undefined,
  truncated: Set<Oid>,
): CodeLocation | undefined {
  const short = location && truncatePath(location);
  if (short !== location) truncated.add(id);
  return short;
}

/** A version of a text; `body` is null for a review without a summary. */
interface Version {
  readonly body: string | null;
  readonly embeds: readonly { readonly name: string; readonly content: string }[];
}

function outlineTexts<V extends Version>(
  id: Oid,
  versions: readonly [V, ...V[]],
  truncated: Set<Oid>,
): readonly [V, ...V[]] {
  const [first, ...others] = versions;
  const short = (version: V): V => {
    const body = version.body === null ? null : truncateText(version.body);
    const embeds = truncateEmbeds(version.embeds);
    if (body === version.body && embeds === version.embeds) return version;
    truncated.add(id);
    return { ...version, body, embeds };
  };
  return [short(first), ...others.map(short)];
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
  outline: outlineIssue,
  idle: idleIssueAction,
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
  outline: outlinePatch,
  idle: idlePatchAction,
  statuses: ["open", "draft", "archived", "merged"],
  form: SavedPatch,
};

function truncate(state: Issue | Patch, truncated: ReadonlySet<Oid>): void {
  state.title = truncateText(state.title, TRUNCATED_TITLE_UNITS);
  state.truncated = truncated;
}

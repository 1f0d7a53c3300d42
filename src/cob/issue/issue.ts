/** Issues: actions, permissions, and steps from one state to the next (2.9, 3.1, 4.3). */
import * as v from "valibot";
import type { Did, NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Steps } from "../../scheduling/task.ts";
import { Embeds, OptionalEmbeds } from "../entry/entry.ts";
import { Assignees, isSameList, Labels, OidText, Text } from "../entry/fields.ts";
import {
  checkPermission,
  isDelegate,
  maySetUnchanged,
  type Op,
  type Permission,
  permitOnly,
  Refusal,
  setTitle,
  type TextSource,
} from "../op.ts";
import { absentReaction, Emoji, isFirstEmoji } from "./reaction.ts";
import type { Rules } from "../rules.ts";
import { decodeStored } from "../entry/stored_action.ts";
import {
  addComment,
  copyThread,
  createThread,
  editComment,
  putComment,
  reactToComment,
  redactComment,
  type Thread,
} from "./thread.ts";

/** Type name of issues in references and manifests. */
export const ISSUE_TYPE = "xyz.radicle.issue";

/** State of an issue; any state can follow any other. */
export const IssueState = v.variant("status", [
  v.object({ status: v.literal("closed"), reason: v.picklist(["other", "solved"]) }),
  v.object({ status: v.literal("open") }),
]);

/** All actions of an issue, members in the order of the real programs. Unknown members are ignored. */
export const IssueAction = v.variant("type", [
  v.object({ type: v.literal("assign"), assignees: Assignees }),
  v.object({ type: v.literal("edit"), title: Text }),
  v.object({ type: v.literal("lifecycle"), state: IssueState }),
  v.object({ type: v.literal("label"), labels: Labels }),
  v.object({ type: v.literal("comment"), body: Text, replyTo: v.nullish(OidText), embeds: OptionalEmbeds }),
  v.object({ type: v.literal("comment.edit"), id: OidText, body: Text, embeds: Embeds }),
  v.object({ type: v.literal("comment.redact"), id: OidText }),
  v.object({ type: v.literal("comment.react"), id: OidText, reaction: Emoji, active: v.boolean() }),
]);

/** The forms of {@link IssueState}. */
export type IssueState = v.InferOutput<typeof IssueState>;
/** The forms of {@link IssueAction}. */
export type IssueAction = v.InferOutput<typeof IssueAction>;

/** An issue. Steps change it in place; to keep the earlier state, copy it first ({@link copyIssue}). */
export interface Issue {
  readonly id: Oid;
  readonly author: NodeId;
  /** Time of opening, seconds since the epoch. */
  readonly timeSeconds: number;
  title: string;
  /** Present for a title that is truncated when the object exceeds its text budget. */
  titleSource?: TextSource;
  state: IssueState;
  /** Ascending by bytes, no repetitions. */
  labels: readonly string[];
  /** Ascending by key, no repetitions. */
  assignees: readonly Did[];
  /** The first comment is the description; its id is the issue's. */
  readonly thread: Thread;
  /** Comments with truncated texts; absent unless the object exceeds its text budget. */
  truncated?: ReadonlySet<Oid>;
}

/**
 * Decodes the action in a stored JSON value; `undefined` when programs of the generation know no such action.
 */
export function* decodeIssueAction(value: unknown, rules: Rules): Steps<IssueAction | undefined> {
  const action = yield* decodeStored(IssueAction, value, rules);
  return action?.type !== "comment.react" || rules.knowsLaterActions || isFirstEmoji(action.reaction)
    ? action
    : undefined;
}

/**
 * The issue that its first entry opens.
 *
 * @throws {Refusal} when the entry opens no issue.
 */
export function openIssue(op: Op<IssueAction>, rules: Rules): Issue {
  const [first, ...others] = op.actions;
  if (first?.type !== "comment" || (first.replyTo ?? undefined) !== undefined) {
    throw new Refusal("invalid", "An issue must begin with its description");
  }
  const issue: Issue = {
    id: op.id,
    author: op.author,
    timeSeconds: op.timeSeconds,
    title: "",
    state: { status: "open" },
    labels: [],
    assignees: [],
    thread: createThread(),
  };
  putComment(issue.thread, op, first);
  for (const action of others) applyAction(issue, op, action, rules, rules.isRootChecked);
  return issue;
}

/**
 * Applies a further entry. Changes made before a failure are not undone.
 *
 * @throws {Refusal} when an action is not permitted or not possible.
 */
export function applyToIssue(issue: Issue, op: Op<IssueAction>, rules: Rules): void {
  for (const action of op.actions) applyAction(issue, op, action, rules, true);
}

/**
 * An action without effect, permitted to everybody: it removes a reaction to the description that the author
 * never gave.
 */
export function idleIssueAction({ id, thread }: Issue, author: NodeId): IssueAction {
  const reaction = absentReaction(thread.comments.get(id)?.reactions ?? [], author);
  return { type: "comment.react", id, reaction, active: false };
}

/** A copy whose changes do not affect the given issue. */
export function copyIssue(issue: Issue): Issue {
  return { ...issue, thread: copyThread(issue.thread) };
}

function applyAction(
  issue: Issue,
  op: Op<IssueAction>,
  action: IssueAction,
  rules: Rules,
  isChecked: boolean,
): void {
  if (isChecked && !isDelegate(op) && !checkPermission(permissionFor(issue, op, action, rules), action, op)) {
    return;
  }
  const { thread } = issue;
  switch (action.type) {
    case "assign":
      issue.assignees = action.assignees;
      break;
    case "edit":
      if (!rules.allowsLines && /[\n\r]/.test(action.title)) {
        throw new Refusal("invalid", "A title must be a single line");
      }
      setTitle(issue, action);
      break;
    case "lifecycle":
      issue.state = action.state;
      break;
    case "label":
      issue.labels = action.labels;
      break;
    case "comment":
      addComment(thread, op, action);
      break;
    case "comment.edit":
      editComment(thread, op, action.id, action, rules);
      break;
    case "comment.redact":
      if (action.id === issue.id) {
        throw new Refusal("invalid", "The description of an issue cannot be redacted");
      }
      redactComment(thread, op, action.id);
      break;
    case "comment.react":
      reactToComment(thread, op, action.id, action.reaction, action.active);
      break;
  }
}

/** Permission of an author who is no delegate. */
function permissionFor(issue: Issue, op: Op<IssueAction>, action: IssueAction, rules: Rules): Permission {
  switch (action.type) {
    case "assign":
      return maySetUnchanged(op, rules) && isSameList(action.assignees, issue.assignees)
        ? "granted"
        : "denied";
    case "label":
      return maySetUnchanged(op, rules) && isSameList(action.labels, issue.labels) ? "granted" : "denied";
    case "edit":
    case "lifecycle":
      return permitOnly(op.author, issue.author);
    case "comment":
    case "comment.react":
      return "granted";
    case "comment.edit":
    case "comment.redact": {
      const comment = issue.thread.comments.get(action.id);
      if (comment === undefined) throw new Refusal("missing", `Comment ${action.id} was not found`);
      return comment === null ? "unclear" : permitOnly(op.author, comment.author);
    }
  }
}

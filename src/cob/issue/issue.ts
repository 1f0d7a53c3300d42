/**
 * Issues: their actions, the permissions for these actions, and the effects of the actions on the state of an
 * issue (specification, 2.9, 3.1, 4.3).
 */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Steps } from "../../scheduling/task.ts";
import { Embeds, OptionalEmbeds } from "../entry/entry.ts";
import { FullDid, listOf, objectMembers } from "../entry/state_forms.ts";
import { Assignees, Labels, OidText, Text } from "../entry/fields.ts";
import {
  type ActionSteps,
  applyActions,
  type EntryMetadata,
  type Op,
  type Permission,
  permitAuthor,
  permitUnchanged,
  Refusal,
} from "../op.ts";
import { absentReaction, Emoji, isFirstEmoji, SentEmoji } from "./reaction.ts";
import type { Rules } from "../rules.ts";
import { decodeStored } from "../entry/stored_action.ts";
import { commentSteps, copyThread, createThread, findComment, putComment, Thread } from "./thread.ts";

/** Type name of issues in references and manifests. */
export const ISSUE_TYPE = "xyz.radicle.issue";

/** Schema of the state of an issue. Every state can change to every other state. */
export const IssueState = v.variant("status", [
  v.object({ status: v.literal("closed"), reason: v.picklist(["other", "solved"]) }),
  v.object({ status: v.literal("open") }),
]);

/** Schema of a state as clients send it. The reason of a closed issue is optional. */
const SentIssueState = v.variant("status", [
  v.object({ status: v.literal("closed"), reason: v.optional(v.picklist(["other", "solved"]), "other") }),
  v.object({ status: v.literal("open") }),
]);

/**
 * Creates the schema of the actions of an issue. Properties are in the order of the Radicle programs. Unknown
 * properties are ignored.
 */
function issueActions<S extends v.GenericSchema, E extends v.GenericSchema>(state: S, emoji: E) {
  return v.variant("type", [
    v.object({ type: v.literal("assign"), assignees: Assignees }),
    v.object({ type: v.literal("edit"), title: Text }),
    v.object({ type: v.literal("lifecycle"), state }),
    v.object({ type: v.literal("label"), labels: Labels }),
    v.object({ type: v.literal("comment"), body: Text, replyTo: v.nullish(OidText), embeds: OptionalEmbeds }),
    v.object({ type: v.literal("comment.edit"), id: OidText, body: Text, embeds: Embeds }),
    v.object({ type: v.literal("comment.redact"), id: OidText }),
    v.object({ type: v.literal("comment.react"), id: OidText, reaction: emoji, active: v.boolean() }),
  ]);
}

export const IssueAction = issueActions(IssueState, Emoji);

/** Schema of the body of a request that changes an issue. The body is one action. */
export const IssueRequest = issueActions(SentIssueState, SentEmoji);

export type IssueState = v.InferOutput<typeof IssueState>;
export type IssueAction = v.InferOutput<typeof IssueAction>;

/**
 * Schema of an issue. Applying an action changes an issue in place. To retain the earlier state, use
 * {@link copyIssue}.
 */
export const Issue = v.strictObject({
  ...objectMembers,
  state: IssueState,
  /** DIDs in ascending order of their public keys, without duplicates. */
  assignees: listOf(FullDid),
  /** Comments of the issue. The first comment is the description, which has the id of the issue. */
  thread: Thread,
});

export type Issue = v.InferOutput<typeof Issue>;

/**
 * Decodes an action from stored JSON. Returns `undefined` when the Radicle programs of the generation do not
 * know the action.
 */
export function* decodeIssueAction(value: unknown, rules: Rules): Steps<IssueAction | undefined> {
  const action = yield* decodeStored(IssueAction, value, rules);
  return action?.type !== "comment.react" || rules.knowsLaterActions || isFirstEmoji(action.reaction)
    ? action
    : undefined;
}

/**
 * Creates an issue from its first entry.
 *
 * @throws {Refusal} when the entry does not open an issue.
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
  applyActions(issueSteps, issue, op, others, rules, rules.isRootChecked);
  return issue;
}

/**
 * Applies an entry after the first entry. Changes made before a failure are not undone.
 *
 * @throws {Refusal} when an action is not permitted or not possible.
 */
export function applyToIssue(issue: Issue, op: Op<IssueAction>, rules: Rules): void {
  applyActions(issueSteps, issue, op, op.actions, rules);
}

/**
 * Returns an action without effect that every node may do. The action removes a reaction that `author` has
 * not given.
 */
export function idleIssueAction({ id, thread }: Issue, author: NodeId): IssueAction {
  const reaction = absentReaction(thread.comments.get(id)?.reactions ?? [], author);
  return { type: "comment.react", id, reaction, active: false };
}

export function copyIssue(issue: Issue): Issue {
  return { ...issue, thread: copyThread(issue.thread) };
}

const comments = commentSteps<Issue, { readonly id: Oid }>(({ thread }) => thread, ({ id }) => id);
/**
 * Permits an action only to the author of a comment. Throws a {@link Refusal} if the comment does not exist.
 */
const permitAuthorOf = (issue: Issue, op: EntryMetadata, action: { readonly id: Oid }): Permission => {
  findComment(issue.thread, action.id);
  return comments.edit.permit(issue, op, action);
};

export const issueSteps: ActionSteps<IssueAction, Issue> = {
  "assign": {
    message: "Assign",
    permit: (issue, op, { assignees }, rules) => permitUnchanged(op, rules, assignees, issue.assignees),
    apply: (issue, _op, { assignees }) => void (issue.assignees = assignees),
  },
  "edit": {
    message: "Edit",
    permit: permitAuthor,
    check({ title }, { allowsLines }) {
      if (!allowsLines && /[\n\r]/.test(title)) throw new Refusal("invalid", "A title must be a single line");
    },
    apply: (issue, _op, { title }) => void (issue.title = title),
  },
  "lifecycle": {
    message: "Lifecycle",
    permit: permitAuthor,
    apply: (issue, _op, { state }) => void (issue.state = state),
  },
  "label": {
    message: "Label",
    permit: (issue, op, { labels }, rules) => permitUnchanged(op, rules, labels, issue.labels),
    apply: (issue, _op, { labels }) => void (issue.labels = labels),
  },
  "comment": { message: "Comment", ...comments.add },
  "comment.edit": { message: "Edit comment", ...comments.edit, permit: permitAuthorOf },
  "comment.redact": {
    message: "Redact comment",
    permit: permitAuthorOf,
    apply(issue, op, action) {
      if (action.id === issue.id) {
        throw new Refusal("invalid", "The description of an issue cannot be redacted");
      }
      comments.redact.apply(issue, op, action);
    },
  },
  "comment.react": { message: "React", ...comments.react },
};

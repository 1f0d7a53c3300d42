/** Threads of comments, with replies, edits, reactions and resolution (specification, 2.11). */
import type { Oid } from "../../ids/oid.ts";
import * as v from "valibot";
import { CodeLocation } from "./code_location.ts";
import type { Embed } from "../entry/entry.ts";
import { Edit, FullNid, FullOid, mapOf, orUndefined, someOf } from "../entry/state_forms.ts";
import { createVersion, type EntryMetadata, type Permission, permitAll, permitOnly, Refusal } from "../op.ts";
import { react, Reactions } from "./reaction.ts";
import type { Rules } from "../rules.ts";

/** Schema of a comment with all versions of its text and embeds. */
export const Comment = v.pipe(
  v.strictObject({
    id: FullOid,
    author: FullNid,
    replyTo: orUndefined(FullOid),
    location: orUndefined(CodeLocation),
    edits: someOf(Edit),
    reactions: Reactions,
    isResolved: v.boolean(),
  }),
  v.readonly(),
);

/**
 * Schema of the comments on an issue, a revision or a review, and of the order in which entries changed them.
 */
export const Thread = v.strictObject({
  /**
   * Comments by id; null for a redacted comment. The comments are immutable: a change replaces the comment.
   */
  comments: mapOf(FullOid, v.nullable(Comment)),
  /**
   * Ids of the entries that changed the thread, in the order in which they were applied. An id occurs once
   * for each action of the entry.
   */
  timeline: v.array(FullOid),
});

export type Comment = v.InferOutput<typeof Comment>;
export type Thread = v.InferOutput<typeof Thread>;

export interface CommentDraft {
  readonly body: string;
  readonly embeds: readonly Embed[];
  readonly replyTo?: Oid | null | undefined;
  readonly location?: CodeLocation | null | undefined;
}

export function createThread(): Thread {
  return { comments: new Map(), timeline: [] };
}

export function copyThread({ comments, timeline }: Thread): Thread {
  return { comments: new Map(comments), timeline: [...timeline] };
}

/**
 * Returns the comments in the order of the timeline, without redacted comments. A comment whose id occurs
 * twice in the timeline is returned twice.
 */
export function listComments({ comments, timeline }: Thread): readonly Comment[] {
  return timeline.flatMap((id) => comments.get(id) ?? []);
}

export function latest<T>(edits: readonly [T, ...T[]]): T {
  return edits.at(-1) ?? edits[0];
}

/**
 * Adds a comment. Replies to redacted comments are allowed.
 *
 * @throws {Refusal} `invalid` when the body is empty, `missing` when the comment replies to an unknown
 *   comment.
 */
export function addComment(thread: Thread, metadata: EntryMetadata, draft: CommentDraft): void {
  requireBody(draft.body);
  const replyTo = draft.replyTo ?? undefined;
  if (replyTo !== undefined) findComment(thread, replyTo);
  putComment(thread, metadata, { ...draft, replyTo });
}

/** Adds a comment without checking it. The description of an issue, which is a comment, may be empty. */
export function putComment(thread: Thread, metadata: EntryMetadata, draft: CommentDraft): void {
  thread.comments.set(metadata.id, {
    id: metadata.id,
    author: metadata.author,
    replyTo: draft.replyTo ?? undefined,
    location: draft.location ?? undefined,
    edits: [createVersion(metadata, draft.body, draft)],
    reactions: [],
    isResolved: false,
  });
  thread.timeline.push(metadata.id);
}

/**
 * Adds a version to a comment, unless the comment is redacted. As in the Radicle programs, the entry is added
 * to the timeline even if the comment does not exist.
 *
 * @throws {Refusal} `missing` when the comment does not exist; `invalid` when the body is empty and the rules
 *   require a body.
 */
export function editComment(
  thread: Thread,
  metadata: EntryMetadata,
  id: Oid,
  draft: CommentDraft,
  { allowsEmptyEdits }: Pick<Rules, "allowsEmptyEdits">,
): void {
  if (!allowsEmptyEdits) requireBody(draft.body);
  thread.timeline.push(metadata.id);
  const comment = findComment(thread, id);
  if (comment === null) return;
  const edit = createVersion(metadata, draft.body, draft);
  thread.comments.set(id, { ...comment, edits: [...comment.edits, edit] });
}

/**
 * Redacts a comment. Replies to the comment are not removed.
 *
 * @throws {Refusal} `missing` when the comment does not exist.
 */
export function redactComment(thread: Thread, metadata: EntryMetadata, id: Oid): void {
  findComment(thread, id);
  thread.timeline.push(metadata.id);
  thread.comments.set(id, null);
}

/**
 * Adds or removes a reaction to a comment. A redacted comment is not changed.
 *
 * @throws {Refusal} `missing` when the comment does not exist.
 */
export function reactToComment(
  thread: Thread,
  metadata: EntryMetadata,
  id: Oid,
  emoji: string,
  active: boolean,
): void {
  change(thread, metadata, id, (comment) => ({
    ...comment,
    reactions: react(comment.reactions, metadata.author, emoji, active),
  }));
}

/**
 * Marks a comment as resolved or not resolved. A redacted comment is not changed.
 *
 * @throws {Refusal} `missing` when the comment does not exist.
 */
export function resolveComment(thread: Thread, metadata: EntryMetadata, id: Oid, isResolved: boolean): void {
  change(thread, metadata, id, (comment) => ({ ...comment, isResolved }));
}

/**
 * Creates the implementations of the actions on comments of a `T` (an issue, a revision or a review). If a
 * comment is redacted or unknown, the permission to edit or redact it is `unclear`.
 *
 * @param idOf Returns the id of the comment to which an action refers.
 */
export function commentSteps<T, R>(threadOf: (target: T) => Thread, idOf: (action: R) => Oid) {
  const permit = (target: T, { author }: EntryMetadata, action: R): Permission => {
    const comment = threadOf(target).comments.get(idOf(action));
    return comment ? permitOnly(author, comment.author) : "unclear";
  };
  return {
    add: {
      permit: permitAll,
      apply: (target: T, op: EntryMetadata, draft: CommentDraft) => addComment(threadOf(target), op, draft),
    },
    edit: {
      permit,
      apply: (target: T, op: EntryMetadata, action: R & CommentDraft, rules: Rules) =>
        editComment(threadOf(target), op, idOf(action), action, rules),
    },
    redact: {
      permit,
      apply: (target: T, op: EntryMetadata, action: R) => redactComment(threadOf(target), op, idOf(action)),
    },
    react: {
      permit: permitAll,
      apply: (target: T, op: EntryMetadata, action: R & { reaction: string; active: boolean }) =>
        reactToComment(threadOf(target), op, idOf(action), action.reaction, action.active),
    },
  };
}

function change(thread: Thread, metadata: EntryMetadata, id: Oid, step: (comment: Comment) => Comment): void {
  const comment = findComment(thread, id);
  if (comment === null) return;
  thread.timeline.push(metadata.id);
  thread.comments.set(id, step(comment));
}

/**
 * Returns a comment, or null when the comment is redacted.
 *
 * @throws {Refusal} `missing` when the comment does not exist.
 */
export function findComment(thread: Thread, id: Oid): Comment | null {
  const comment = thread.comments.get(id);
  if (comment === undefined) throw new Refusal("missing", `Comment ${id} was not found`);
  return comment;
}

function requireBody(body: string): void {
  if (body === "") throw new Refusal("invalid", "A comment must not be empty");
}

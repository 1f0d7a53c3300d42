/** Threads: comments, replies, edits, reactions, resolution (2.11). */
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { CodeLocation } from "./code_location.ts";
import type { Embed } from "../entry/entry.ts";
import { type EntryMetadata, Refusal, sourceOf, type Truncated } from "../op.ts";
import { react, type Reactions } from "./reaction.ts";
import type { Rules } from "../rules.ts";

/**
 * A version of a text. The source is present when the text, its embeds or the location of the comment are
 * truncated.
 */
export interface Edit extends Truncated {
  /** Author of the version. Delegates may edit comments of other nodes. */
  readonly author: NodeId;
  readonly timeSeconds: number;
  readonly body: string;
  readonly embeds: readonly Embed[];
}

/** A comment, with the text and embeds of its last version. */
export interface Comment {
  readonly id: Oid;
  readonly author: NodeId;
  readonly replyTo: Oid | undefined;
  readonly location: CodeLocation | undefined;
  /** At least one. */
  readonly edits: readonly [Edit, ...Edit[]];
  readonly reactions: Reactions;
  readonly isResolved: boolean;
}

/** Comments, and the order in which entries touched them. */
export interface Thread {
  /** By id; null for redacted comments. Steps replace comments, and never change them in place. */
  readonly comments: Map<Oid, Comment | null>;
  /**
   * Ids of the entries that changed the thread, in the order in which they are applied, one for each action.
   */
  readonly timeline: Oid[];
}

/** Content of a new comment. */
export interface CommentDraft extends Truncated {
  readonly body: string;
  readonly embeds: readonly Embed[];
  readonly replyTo?: Oid | null | undefined;
  readonly location?: CodeLocation | null | undefined;
}

/** A thread without comments. */
export function createThread(): Thread {
  return { comments: new Map(), timeline: [] };
}

/** A copy whose changes do not affect the given thread. */
export function copyThread({ comments, timeline }: Thread): Thread {
  return { comments: new Map(comments), timeline: [...timeline] };
}

/** The comments without redacted ones. A comment that is in the timeline twice is listed twice. */
export function listComments({ comments, timeline }: Thread): readonly Comment[] {
  return timeline.flatMap((id) => comments.get(id) ?? []);
}

/** A version of a text, by the author of an entry; `source` of the action, when its texts are truncated. */
export function createEdit(
  { author, timeSeconds }: EntryMetadata,
  body: string,
  embeds: readonly Embed[],
  source: Truncated,
): Edit {
  return { author, timeSeconds, body, embeds, ...source };
}

/** The last version of a text. */
export function latest<T>(edits: readonly [T, ...T[]]): T {
  return edits.at(-1) ?? edits[0];
}

/**
 * Adds a comment.
 *
 * @throws {Refusal} `invalid` without a body, `missing` for a reply to an unknown comment. Replies to
 * redacted comments are allowed.
 */
export function addComment(thread: Thread, metadata: EntryMetadata, draft: CommentDraft): void {
  requireBody(draft.body);
  const replyTo = draft.replyTo ?? undefined;
  if (replyTo !== undefined) findComment(thread, replyTo);
  putComment(thread, metadata, { ...draft, replyTo });
}

/** Adds a comment that may be empty: the description of an issue. */
export function putComment(thread: Thread, metadata: EntryMetadata, draft: CommentDraft): void {
  thread.comments.set(metadata.id, {
    id: metadata.id,
    author: metadata.author,
    replyTo: draft.replyTo ?? undefined,
    location: draft.location ?? undefined,
    edits: [createEdit(metadata, draft.body, draft.embeds, sourceOf(draft))],
    reactions: [],
    isResolved: false,
  });
  thread.timeline.push(metadata.id);
}

/**
 * Adds a version to a comment; without effect on a redacted one. As in the real programs, the timeline gets
 * the entry even if there is no such comment.
 *
 * @throws {Refusal} `missing` when there is no such comment, `invalid` without a body where the rules require
 * one.
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
  const edit = createEdit(metadata, draft.body, draft.embeds, sourceOf(draft));
  thread.comments.set(id, { ...comment, edits: [...comment.edits, edit] });
}

/**
 * Redacts a comment. Replies to it stay.
 *
 * @throws {Refusal} `missing` when there is no such comment.
 */
export function redactComment(thread: Thread, metadata: EntryMetadata, id: Oid): void {
  findComment(thread, id);
  thread.timeline.push(metadata.id);
  thread.comments.set(id, null);
}

/**
 * Adds or removes a reaction to a comment; without effect on a redacted one.
 *
 * @throws {Refusal} `missing` when there is no such comment.
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
 * Marks a comment as resolved or not; without effect on a redacted one.
 *
 * @throws {Refusal} `missing` when there is no such comment.
 */
export function resolveComment(thread: Thread, metadata: EntryMetadata, id: Oid, isResolved: boolean): void {
  change(thread, metadata, id, (comment) => ({ ...comment, isResolved }));
}

function change(thread: Thread, metadata: EntryMetadata, id: Oid, step: (comment: Comment) => Comment): void {
  const comment = findComment(thread, id);
  if (comment === null) return;
  thread.timeline.push(metadata.id);
  thread.comments.set(id, step(comment));
}

function findComment(thread: Thread, id: Oid): Comment | null {
  const comment = thread.comments.get(id);
  if (comment === undefined) throw new Refusal("missing", `Comment ${id} was not found`);
  return comment;
}

function requireBody(body: string): void {
  if (body === "") throw new Refusal("invalid", "A comment must not be empty");
}

/** JSON of comments (specification, 2.11) and of review comments (specification, 2.10), in both dialects. */
import type {
  Comment as CommentView,
  Edit as EditView,
  Reactions as ReactionsView,
  ReviewComment as ReviewCommentView,
} from "../contract/thread.ts";
import type { Place, RepoComment, RepoReaction } from "../contract/today_schemas.ts";
import { reactionGroups, reactionPairs, type Reactions } from "../cob/issue/reaction.ts";
import { type Comment, latest, listComments, type Thread } from "../cob/issue/thread.ts";
import type { CodeLocation } from "../cob/issue/code_location.ts";
import type { Edit } from "../cob/entry/state_forms.ts";
import type { Oid } from "../ids/oid.ts";
import { type AliasOf, toAuthorView } from "./node.ts";

/**
 * Format of reactions and review comments: arrays (`spec`), or objects as in `radicle-httpd` since 2024
 * (`objects`).
 */
export type AnswerForm = "spec" | "objects";

export interface TextOptions {
  readonly aliasOf?: AliasOf | undefined;
  /** Ids of comments, revisions and reviews whose texts are truncated. */
  readonly truncated?: ReadonlySet<Oid> | undefined;
}

export interface ThreadOptions extends TextOptions {
  readonly answers: AnswerForm;
}

export function toIssueComments(thread: Thread, options: ThreadOptions): readonly CommentView[] {
  return listComments(thread).map((comment) =>
    commentMembers(comment, options, reactionsOf(comment, options))
  );
}

/** Creates the JSON of the comments of a revision, which include their location in the code. */
export function toPatchComments(thread: Thread, options: ThreadOptions): readonly CommentView[] {
  return listComments(thread).map((comment) => {
    const location = comment.location ?? null;
    return commentMembers(comment, options, reactionsOf(comment, options), { location });
  });
}

export function toTodayComments(thread: Thread, options: TextOptions): readonly RepoComment[] {
  return listComments(thread).map((comment) =>
    commentMembers(comment, options, toTodayReactions(comment.reactions, options))
  );
}

export function toTodayCodeComments(thread: Thread, options: TextOptions): readonly RepoComment[] {
  return listComments(thread).map((comment) => {
    const location = toPlace(comment.location) ?? null;
    return commentMembers(comment, options, toTodayReactions(comment.reactions, options), { location });
  });
}

/** Creates the JSON of reactions in the `/repos` dialect, where reactions are grouped by emoji. */
export function toTodayReactions(
  reactions: Reactions,
  { aliasOf }: TextOptions,
  location?: Place,
): readonly RepoReaction[] {
  return reactionGroups(reactions).map(({ emoji, authors }) => ({
    ...(location !== undefined && { location }),
    emoji,
    authors: authors.map((node) => toAuthorView(node, aliasOf)),
  }));
}

/**
 * Creates the JSON of the comments of a review: pairs of id and comment (`spec`), or the format of comments
 * of revisions (`objects`).
 */
export function toReviewComments(
  thread: Thread,
  options: ThreadOptions,
): readonly (readonly [Oid, ReviewCommentView])[] | readonly CommentView[] {
  return options.answers === "objects"
    ? toPatchComments(thread, options)
    : listComments(thread).map((comment) => [comment.id, toReviewComment(comment, options)] as const);
}

export function toEditViews(edits: readonly Edit[], options: TextOptions): readonly EditView[] {
  return edits.map((edit) => ({
    author: toAuthorView(edit.author, options.aliasOf),
    body: edit.body,
    timestamp: edit.timeSeconds,
    embeds: edit.embeds,
  }));
}

/**
 * Creates the JSON of a location in the code in the `/repos` dialect. A side without a location is left out.
 */
export function toPlace(location: CodeLocation | undefined): Place | undefined {
  if (location === undefined) return undefined;
  const { commit, path, old, new: after } = location;
  return { commit, path, ...old && { old }, ...after && { new: after } };
}

function toReviewComment(comment: Comment, options: ThreadOptions): ReviewCommentView {
  const { author } = comment;
  const location = comment.location ?? null;
  const { id: _, author: __, body, edits, embeds, reactions, timestamp, replyTo, resolved, ...mark } =
    commentMembers(comment, options, reactionsOf(comment, options));
  return { author, location, reactions, resolved, body, embeds, replyTo, timestamp, edits, ...mark };
}

/**
 * Returns the member `truncated` of a comment, revision or review; an empty object if no text is truncated.
 */
export function toMark(id: Oid, { truncated }: TextOptions): { readonly truncated?: true } {
  return truncated?.has(id) ? { truncated: true } : {};
}

/** Returns the member `truncated` of an issue or patch; an empty object if no text is truncated. */
export function toObjectMark({ truncated }: TextOptions): { readonly truncated?: true } {
  return truncated === undefined ? {} : { truncated: true };
}

/**
 * Returns the members of a comment. Members that depend on the dialect are parameters.
 *
 * @param place The member `location`, if there is one.
 */
function commentMembers<R, P extends object>(
  comment: Comment,
  options: TextOptions,
  reactions: R,
  place: P = {} as P,
) {
  const { id, edits, isResolved: resolved } = comment;
  const last = latest(edits);
  return {
    id,
    author: toAuthorView(comment.author, options.aliasOf),
    body: last.body,
    edits: toEditViews(edits, options),
    embeds: last.embeds,
    reactions,
    timestamp: edits[0].timeSeconds,
    replyTo: comment.replyTo ?? null,
    ...place,
    resolved,
    ...toMark(id, options),
  };
}

function reactionsOf({ reactions }: Comment, { answers }: ThreadOptions): ReactionsView {
  return answers === "spec" ? reactionPairs(reactions) : reactionGroups(reactions);
}

/** Comments as clients see them (2.11), and review comments, which have a form of their own (2.10). */
import type {
  Comment as CommentView,
  Edit as EditView,
  Reactions as ReactionsView,
  ReviewComment as ReviewCommentView,
} from "../contract/thread.ts";
import { reactionGroups, reactionPairs, type Reactions } from "../cob/issue/reaction.ts";
import { type Comment, type Edit, latest, listComments, type Thread } from "../cob/issue/thread.ts";
import type { Oid } from "../ids/oid.ts";
import { type AliasOf, toAuthorView } from "./author.ts";

/** Form of reactions and review comments: as specified, or as in services from 2024 on. */
export type AnswerForm = "spec" | "objects";

/** Inputs of views of issues and patches besides the object. */
export interface ThreadOptions {
  readonly answers: AnswerForm;
  readonly aliasOf?: AliasOf | undefined;
  /** Comments, revisions and reviews whose texts are cut. */
  readonly truncated?: ReadonlySet<Oid> | undefined;
}

/** Shows the comments of an issue. */
export function toIssueComments(thread: Thread, options: ThreadOptions): readonly CommentView[] {
  return listComments(thread).map((comment) => {
    const { isResolved: resolved } = comment;
    return {
      id: comment.id,
      author: toAuthorView(comment.author, options.aliasOf),
      ...toText(comment, options),
      resolved,
      ...toMark(comment.id, options),
    };
  });
}

/** Shows the comments of a revision: like comments of issues, with their location in the code. */
export function toPatchComments(thread: Thread, options: ThreadOptions): readonly CommentView[] {
  return listComments(thread).map((comment) => {
    const { location = null, isResolved: resolved } = comment;
    const author = toAuthorView(comment.author, options.aliasOf);
    const text = toText(comment, options);
    return { id: comment.id, author, ...text, location, resolved, ...toMark(comment.id, options) };
  });
}

/** Shows the comments of a review: as pairs of id and comment, or like comments of revisions. */
export function toReviewComments(
  thread: Thread,
  options: ThreadOptions,
): readonly (readonly [Oid, ReviewCommentView])[] | readonly CommentView[] {
  return options.answers === "objects"
    ? toPatchComments(thread, options)
    : listComments(thread).map((comment) => [comment.id, toReviewComment(comment, options)] as const);
}

/** Shows versions of a text. */
export function toEditViews(edits: readonly Edit[], aliasOf: AliasOf | undefined): readonly EditView[] {
  return edits.map(({ author, body, timeSeconds, embeds }) => ({
    author: toAuthorView(author, aliasOf),
    body,
    timestamp: timeSeconds,
    embeds,
  }));
}

function toReviewComment(comment: Comment, options: ThreadOptions): ReviewCommentView {
  const { author, location = null, isResolved: resolved } = comment;
  const { body, edits, embeds, reactions, timestamp, replyTo } = toText(comment, options);
  const mark = toMark(comment.id, options);
  return { author, location, reactions, resolved, body, embeds, replyTo, timestamp, edits, ...mark };
}

/** The `truncated` member of a comment, revision or review; empty when its texts are whole. */
export function toMark(id: Oid, { truncated }: ThreadOptions): { readonly truncated?: true } {
  return truncated?.has(id) === true ? { truncated: true } : {};
}

function toText(comment: Comment, options: ThreadOptions) {
  const { body, embeds } = latest(comment.edits);
  return {
    body,
    edits: toEditViews(comment.edits, options.aliasOf),
    embeds,
    reactions: toReactionsView(comment.reactions, options.answers),
    timestamp: comment.edits[0].timeSeconds,
    replyTo: comment.replyTo ?? null,
  };
}

function toReactionsView(reactions: Reactions, answers: AnswerForm): ReactionsView {
  return answers === "spec" ? reactionPairs(reactions) : reactionGroups(reactions);
}

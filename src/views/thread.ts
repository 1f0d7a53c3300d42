/**
 * Comments as clients see them (2.11), and review comments, which have a form of their own (2.10); both also
 * in the form of today's service.
 */
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
import type { Embed } from "../cob/entry/entry.ts";
import type { Edit, TextSource } from "../cob/entry/state_forms.ts";
import type { Truncated } from "../cob/op.ts";
import type { Oid } from "../ids/oid.ts";
import { type AliasOf, toAuthorView } from "./node.ts";
import type { WholeTexts } from "./whole_texts.ts";

/** Form of reactions and review comments: as specified, or as in services from 2024 on. */
export type AnswerForm = "spec" | "objects";

/** Inputs of views of issues and patches besides the object, in all dialects. */
export interface TextOptions {
  readonly aliasOf?: AliasOf | undefined;
  /** Comments, revisions and reviews whose texts are cut. */
  readonly truncated?: ReadonlySet<Oid> | undefined;
  /** Texts that are cut in the object and shown in full. */
  readonly whole?: WholeTexts | undefined;
}

/** Inputs of views of issues and patches besides the object. */
export interface ThreadOptions extends TextOptions {
  readonly answers: AnswerForm;
}

/** Shows the comments of an issue. */
export function toIssueComments(thread: Thread, options: ThreadOptions): readonly CommentView[] {
  return listComments(thread).map((comment) =>
    commentMembers(comment, options, reactionsOf(comment, options))
  );
}

/** Shows the comments of a revision: like comments of issues, with their location in the code. */
export function toPatchComments(thread: Thread, options: ThreadOptions): readonly CommentView[] {
  return listComments(thread).map((comment) => {
    const location = toLocation(comment.location, comment.edits[0], options);
    return commentMembers(comment, options, reactionsOf(comment, options), { location });
  });
}

/** Shows the comments of an issue to clients of today's service. */
export function toTodayComments(thread: Thread, options: TextOptions): readonly RepoComment[] {
  return listComments(thread).map((comment) =>
    commentMembers(comment, options, toTodayReactions(comment.reactions, options))
  );
}

/** Shows the comments of a revision or a review to clients of today's service. */
export function toTodayCodeComments(thread: Thread, options: TextOptions): readonly RepoComment[] {
  return listComments(thread).map((comment) => {
    const location = toPlace(comment.location, comment.edits[0], options) ?? null;
    return commentMembers(comment, options, toTodayReactions(comment.reactions, options), { location });
  });
}

/** Shows reactions to clients of today's service, those with the same emoji together. */
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
export function toEditViews(edits: readonly Edit[], options: TextOptions): readonly EditView[] {
  return edits.map((edit) => ({
    author: toAuthorView(edit.author, options.aliasOf),
    body: toBody(edit, options),
    timestamp: edit.timeSeconds,
    embeds: toEmbeds(edit, options),
  }));
}

/** Shows a text; null for a review without a summary. */
export function toBody<T extends string | null>(
  edit: { readonly body: T } & Truncated,
  { whole }: TextOptions,
): T {
  return whole === undefined ? edit.body : whole.text(edit, edit.body);
}

/** Shows a place in the code. @param made The part of the state with the source of a truncated path. */
export function toLocation(
  location: CodeLocation | undefined,
  made: Truncated,
  { whole }: TextOptions,
): CodeLocation | null {
  if (location === undefined || whole === undefined) return location ?? null;
  return whole.location(made, location, (one) => one);
}

/**
 * Shows a place in the code to clients of today's service: a side that it does not have is no member.
 *
 * @param made The part of the state with the source of a truncated path.
 */
export function toPlace(
  location: CodeLocation | undefined,
  made: Truncated,
  { whole }: TextOptions,
): Place | undefined {
  if (location === undefined) return undefined;
  return whole === undefined
    ? withoutAbsentSides(location)
    : whole.location(made, location, withoutAbsentSides);
}

function withoutAbsentSides({ commit, path, old, new: after }: CodeLocation): Place {
  return { commit, path, ...old && { old }, ...after && { new: after } };
}

/** Shows the embeds of a text. */
export function toEmbeds(edit: Edit, { whole }: TextOptions): readonly Embed[] {
  return whole === undefined ? edit.embeds : whole.embeds(edit, edit.embeds);
}

function toReviewComment(comment: Comment, options: ThreadOptions): ReviewCommentView {
  const { author } = comment;
  const location = toLocation(comment.location, comment.edits[0], options);
  const { id: _, author: __, body, edits, embeds, reactions, timestamp, replyTo, resolved, ...mark } =
    commentMembers(comment, options, reactionsOf(comment, options));
  return { author, location, reactions, resolved, body, embeds, replyTo, timestamp, edits, ...mark };
}

/** Shows the title of an issue or patch. */
export function toTitle(
  { title, titleSource, truncated }: {
    readonly title: string;
    readonly titleSource?: TextSource;
    readonly truncated?: ReadonlySet<Oid>;
  },
  { whole }: TextOptions,
): string {
  if (truncated === undefined || titleSource === undefined || whole === undefined) return title;
  return whole.text({ source: titleSource }, title);
}

/** Whether an issue or patch is shown with truncated texts. */
export function isShortened(
  { truncated }: { readonly truncated?: ReadonlySet<Oid> },
  { whole }: TextOptions,
): boolean {
  return truncated !== undefined && whole?.isComplete !== true;
}

/**
 * The `truncated` member of a comment, revision or review; empty when its texts are whole.
 *
 * @param parts Its parts with the sources of truncated texts.
 */
export function toMark(
  id: Oid,
  parts: readonly Truncated[],
  { truncated, whole }: TextOptions,
): { readonly truncated?: true } {
  const isShort = whole === undefined ? truncated?.has(id) === true : whole.leavesOut(parts);
  return isShort ? { truncated: true } : {};
}

/**
 * The members of a comment, some of them in the form of a dialect.
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
    body: toBody(last, options),
    edits: toEditViews(edits, options),
    embeds: toEmbeds(last, options),
    reactions,
    timestamp: edits[0].timeSeconds,
    replyTo: comment.replyTo ?? null,
    ...place,
    resolved,
    ...toMark(id, edits, options),
  };
}

function reactionsOf({ reactions }: Comment, { answers }: ThreadOptions): ReactionsView {
  return answers === "spec" ? reactionPairs(reactions) : reactionGroups(reactions);
}

/** Comments as clients see them (2.11), and review comments, which have a form of their own (2.10). */
import type {
  Comment as CommentView,
  Edit as EditView,
  Reactions as ReactionsView,
  ReviewComment as ReviewCommentView,
} from "../contract/thread.ts";
import { reactionGroups, reactionPairs, type Reactions } from "../cob/issue/reaction.ts";
import { type Comment, type Edit, latest, listComments, type Thread } from "../cob/issue/thread.ts";
import type { CodeLocation } from "../cob/issue/code_location.ts";
import type { Embed } from "../cob/entry/embed.ts";
import type { TextSource, Truncated } from "../cob/op.ts";
import type { Oid } from "../ids/oid.ts";
import { type AliasOf, toAuthorView } from "./author.ts";
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
  return listComments(thread).map((comment) => {
    const { isResolved: resolved } = comment;
    return {
      id: comment.id,
      author: toAuthorView(comment.author, options.aliasOf),
      ...toText(comment, options),
      resolved,
      ...toMark(comment.id, comment.edits, options),
    };
  });
}

/** Shows the comments of a revision: like comments of issues, with their location in the code. */
export function toPatchComments(thread: Thread, options: ThreadOptions): readonly CommentView[] {
  return listComments(thread).map((comment) => {
    const { id, edits, isResolved: resolved } = comment;
    const author = toAuthorView(comment.author, options.aliasOf);
    const location = toLocation(comment.location, edits[0], options);
    return { id, author, ...toText(comment, options), location, resolved, ...toMark(id, edits, options) };
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

/** Shows the embeds of a text. */
export function toEmbeds(edit: Edit, { whole }: TextOptions): readonly Embed[] {
  return whole === undefined ? edit.embeds : whole.embeds(edit, edit.embeds);
}

function toReviewComment(comment: Comment, options: ThreadOptions): ReviewCommentView {
  const { author, isResolved: resolved } = comment;
  const location = toLocation(comment.location, comment.edits[0], options);
  const { body, edits, embeds, reactions, timestamp, replyTo } = toText(comment, options);
  const mark = toMark(comment.id, comment.edits, options);
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

function toText(comment: Comment, options: ThreadOptions) {
  const last = latest(comment.edits);
  return {
    body: toBody(last, options),
    edits: toEditViews(comment.edits, options),
    embeds: toEmbeds(last, options),
    reactions: toReactionsView(comment.reactions, options.answers),
    timestamp: comment.edits[0].timeSeconds,
    replyTo: comment.replyTo ?? null,
  };
}

function toReactionsView(reactions: Reactions, answers: AnswerForm): ReactionsView {
  return answers === "spec" ? reactionPairs(reactions) : reactionGroups(reactions);
}

/** Comments and reactions as clients of today's service see them. */
import type { Place, RepoComment, RepoReaction } from "../../contract/today_schemas.ts";
import type { CodeLocation } from "../../cob/issue/code_location.ts";
import { reactionGroups, type Reactions } from "../../cob/issue/reaction.ts";
import { type Comment, latest, listComments, type Thread } from "../../cob/issue/thread.ts";
import type { Truncated } from "../../cob/op.ts";
import { toAuthorView } from "../author.ts";
import { type TextOptions, toBody, toEditViews, toEmbeds, toMark } from "../thread.ts";

/** Shows the comments of an issue. */
export function toTodayComments(thread: Thread, options: TextOptions): readonly RepoComment[] {
  return listComments(thread).map((comment) => toComment(comment, options, {}));
}

/** Shows the comments of a revision or a review: with their location in the code. */
export function toTodayCodeComments(thread: Thread, options: TextOptions): readonly RepoComment[] {
  return listComments(thread).map((comment) =>
    toComment(comment, options, { location: toPlace(comment.location, comment.edits[0], options) ?? null })
  );
}

/** Shows reactions, those with the same emoji together. */
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
 * Shows a place in the code: a side that it does not have is no member.
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

function toComment(
  comment: Comment,
  options: TextOptions,
  place: Pick<RepoComment, "location">,
): RepoComment {
  const { id, author, edits, reactions, replyTo, isResolved: resolved } = comment;
  const last = latest(edits);
  return {
    id,
    author: toAuthorView(author, options.aliasOf),
    body: toBody(last, options),
    edits: toEditViews(edits, options),
    embeds: toEmbeds(last, options),
    reactions: toTodayReactions(reactions, options),
    timestamp: edits[0].timeSeconds,
    replyTo: replyTo ?? null,
    ...place,
    resolved,
    ...toMark(id, edits, options),
  };
}

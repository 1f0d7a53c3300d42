/** Comments, versions of texts and reactions as clients of today's service see them. */
import type { CodeLocation } from "../../cob/issue/code_location.ts";
import type { Embed } from "../../cob/entry/embed.ts";
import { reactionGroups, type Reactions } from "../../cob/issue/reaction.ts";
import { type Comment, type Edit, latest, listComments, type Thread } from "../../cob/issue/thread.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Author as AuthorView } from "../../contract/thread.ts";
import { type AliasOf, toAuthorView } from "../author.ts";

/** Inputs of views of issues and patches besides the object. */
export interface TodayOptions {
  readonly aliasOf: AliasOf;
  /** Comments, revisions and reviews whose texts are cut. */
  readonly truncated?: ReadonlySet<Oid> | undefined;
}

/** Wire form of a version of a text. */
export interface TodayEditView {
  readonly author: AuthorView;
  readonly body: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly embeds: readonly Embed[];
}

/** Wire form of a reaction: all nodes that reacted so. */
export interface TodayReactionView {
  /** Only where one is known. */
  readonly location?: CodeLocation;
  readonly emoji: string;
  readonly authors: readonly AuthorView[];
}

/** Wire form of a comment. */
export interface TodayCommentView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly body: string;
  /** All versions, the first one included. */
  readonly edits: readonly TodayEditView[];
  readonly embeds: readonly Embed[];
  readonly reactions: readonly TodayReactionView[];
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly replyTo: Oid | null;
  /** Only in discussions and reviews of patches. */
  readonly location?: CodeLocation | null;
  readonly resolved: boolean;
  /** Present when texts are cut. */
  readonly truncated?: true;
}

/** Shows the comments of an issue. */
export function toTodayComments(thread: Thread, options: TodayOptions): readonly TodayCommentView[] {
  return listComments(thread).map((comment) => toComment(comment, options, {}));
}

/** Shows the comments of a revision or a review: with their location in the code. */
export function toTodayCodeComments(thread: Thread, options: TodayOptions): readonly TodayCommentView[] {
  return listComments(thread).map((comment) =>
    toComment(comment, options, { location: toTodayLocation(comment.location) ?? null })
  );
}

/** Shows versions of a text. */
export function toTodayEdits(edits: readonly Edit[], aliasOf: AliasOf): readonly TodayEditView[] {
  return edits.map(({ author, body, timeSeconds, embeds }) => ({
    author: toAuthorView(author, aliasOf),
    body,
    timestamp: timeSeconds,
    embeds,
  }));
}

/** Shows reactions, those with the same emoji together. */
export function toTodayReactions(
  reactions: Reactions,
  aliasOf: AliasOf,
  location?: CodeLocation,
): readonly TodayReactionView[] {
  return reactionGroups(reactions).map(({ emoji, authors }) => ({
    ...(location !== undefined && { location }),
    emoji,
    authors: authors.map((node: NodeId) => toAuthorView(node, aliasOf)),
  }));
}

/** Shows a place in the code: a side that it does not have is no member. */
export function toTodayLocation(location: CodeLocation | undefined): CodeLocation | undefined {
  if (location === undefined) return undefined;
  const sides = Object.entries(location).filter(([, side]) => side !== null && side !== undefined);
  return Object.fromEntries(sides) as unknown as CodeLocation;
}

/** The `truncated` member of a comment, revision or review; empty when its texts are whole. */
export function toTodayMark(id: Oid, { truncated }: TodayOptions): { readonly truncated?: true } {
  return truncated?.has(id) === true ? { truncated: true } : {};
}

function toComment(
  { id, author, edits, reactions, replyTo, isResolved }: Comment,
  options: TodayOptions,
  place: Pick<TodayCommentView, "location">,
): TodayCommentView {
  const { aliasOf } = options;
  const { body, embeds } = latest(edits);
  return {
    id,
    author: toAuthorView(author, aliasOf),
    body,
    edits: toTodayEdits(edits, aliasOf),
    embeds,
    reactions: toTodayReactions(reactions, aliasOf),
    timestamp: edits[0].timeSeconds,
    replyTo: replyTo ?? null,
    ...place,
    resolved: isResolved,
    ...toTodayMark(id, options),
  };
}

/** Reviews: one node's verdict on a revision, with comments on its code (2.10). */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { CodeLocation } from "../issue/code_location.ts";
import { type Embed, Embeds, OptionalEmbeds } from "../entry/entry.ts";
import { OidText, Text } from "../entry/fields.ts";
import {
  type EntryMetadata,
  type Op,
  type Permission,
  permitOnly,
  Refusal,
  sourceOf,
  type Truncated,
} from "../op.ts";
import { Emoji, react, type Reactions } from "../issue/reaction.ts";
import type { Rules } from "../rules.ts";
import {
  addComment,
  copyThread,
  createThread,
  editComment,
  reactToComment,
  redactComment,
  resolveComment,
  type Thread,
} from "../issue/thread.ts";

/** Verdict of a reviewer; null without one. */
export const Verdict = v.nullish(v.picklist(["accept", "reject"]), null);

const Summary = v.nullish(Text, null);
/** Labels in the given order, with repetitions. */
const ReviewLabels = v.optional(v.array(Text), []);
const place = { review: OidText, comment: OidText };

/** Actions on comments of a review. */
export const reviewCommentActions = [
  v.object({
    type: v.literal("review.comment"),
    review: OidText,
    body: Text,
    location: v.nullish(CodeLocation),
    // Spelled so in stored actions only. The real programs ignore `replyTo` here.
    reply_to: v.nullish(OidText),
    embeds: OptionalEmbeds,
  }),
  v.object({ type: v.literal("review.comment.edit"), ...place, body: Text, embeds: Embeds }),
  v.object({ type: v.literal("review.comment.react"), ...place, reaction: Emoji, active: v.boolean() }),
  v.object({ type: v.literal("review.comment.redact"), ...place }),
  v.object({ type: v.literal("review.comment.resolve"), ...place }),
  v.object({ type: v.literal("review.comment.unresolve"), ...place }),
] as const;

/** Actions on a review, besides its redaction. */
export const ReviewAction = v.variant("type", [
  ...reviewCommentActions,
  v.object({
    type: v.literal("review.edit"),
    review: OidText,
    summary: Summary,
    verdict: Verdict,
    labels: ReviewLabels,
  }),
  v.object({
    type: v.literal("review.edit.v2"),
    review: OidText,
    summary: v.optional(Text, ""),
    verdict: Verdict,
    labels: ReviewLabels,
    embeds: OptionalEmbeds,
  }),
  v.object({ type: v.literal("review.react"), review: OidText, reaction: Emoji, active: v.boolean() }),
]);

/** An edit in programs of 2024: it has no labels, and another order of members. */
export const EarlyReviewEdit = v.object({
  type: v.literal("review.edit"),
  review: OidText,
  verdict: Verdict,
  summary: Summary,
});

/** Opens a review. */
export const OpenReview = v.object({
  type: v.literal("review"),
  revision: OidText,
  summary: Summary,
  verdict: Verdict,
  labels: ReviewLabels,
});

/** The forms of {@link Verdict}. */
export type Verdict = v.InferOutput<typeof Verdict>;
/** The forms of {@link ReviewAction}. */
export type ReviewAction = v.InferOutput<typeof ReviewAction>;
/** The members of {@link OpenReview}. */
export type OpenReview = v.InferOutput<typeof OpenReview>;

/**
 * A version of a review's summary; `body` is null for a review without a summary. The source is present when
 * texts are truncated.
 */
export interface Summary extends Truncated {
  readonly author: NodeId;
  readonly timeSeconds: number;
  readonly body: string | null;
  readonly embeds: readonly Embed[];
}

/** A review. Steps change it in place. */
export interface Review {
  readonly id: Oid;
  readonly author: NodeId;
  /** Time of opening, seconds since the epoch. */
  readonly timeSeconds: number;
  verdict: Verdict;
  /** Not part of the API. */
  labels: readonly string[];
  summary: readonly [Summary, ...Summary[]];
  reactions: Reactions;
  readonly comments: Thread;
}

/** The review that an action opens. */
export function createReview(metadata: EntryMetadata, action: OpenReview): Review {
  const { verdict, summary, labels } = action;
  return {
    id: metadata.id,
    author: metadata.author,
    timeSeconds: metadata.timeSeconds,
    verdict,
    labels,
    summary: [createSummary(metadata, summary, [], sourceOf(action))],
    reactions: [],
    comments: createThread(),
  };
}

/** A copy whose changes do not affect the given review. */
export function copyReview(review: Review): Review {
  return { ...review, comments: copyThread(review.comments) };
}

/**
 * Checks an action independently of its review.
 *
 * @throws {Refusal} `invalid` for an edit that leaves neither summary nor verdict.
 */
export function checkReviewAction(action: ReviewAction, rules: Rules): void {
  const isEmpty = action.type === "review.edit" && action.summary === null && !rules.replacesSummary ||
    action.type === "review.edit.v2" && action.summary === "";
  if (isEmpty && action.verdict === null) {
    throw new Refusal("invalid", "A review needs a summary or a verdict");
  }
}

/**
 * Applies an action to its review.
 *
 * @throws {Refusal} when the action is not possible.
 */
export function applyToReview(
  review: Review,
  metadata: EntryMetadata,
  action: ReviewAction,
  rules: Rules,
): void {
  const { comments } = review;
  switch (action.type) {
    case "review.edit":
      review.verdict = action.verdict;
      if (rules.replacesSummary) {
        review.summary = [createSummary(review, action.summary, [], sourceOf(action))];
        break;
      }
      review.labels = action.labels;
      if (action.summary !== null) {
        review.summary = [...review.summary, createSummary(metadata, action.summary, [], sourceOf(action))];
      }
      break;
    case "review.edit.v2":
      review.verdict = action.verdict;
      review.labels = action.labels;
      review.summary = [
        ...review.summary,
        createSummary(metadata, action.summary, action.embeds, sourceOf(action)),
      ];
      break;
    case "review.react":
      review.reactions = react(review.reactions, metadata.author, action.reaction, action.active);
      break;
    case "review.comment":
      addComment(comments, metadata, { ...action, replyTo: action.reply_to });
      break;
    case "review.comment.edit":
      editComment(comments, metadata, action.comment, action, rules);
      break;
    case "review.comment.react":
      reactToComment(comments, metadata, action.comment, action.reaction, action.active);
      break;
    case "review.comment.redact":
      redactComment(comments, metadata, action.comment);
      break;
    case "review.comment.resolve":
      resolveComment(comments, metadata, action.comment, true);
      break;
    case "review.comment.unresolve":
      resolveComment(comments, metadata, action.comment, false);
      break;
  }
}

/**
 * Permission of an author who is no delegate to act on a review.
 *
 * @param reviewed Author of the reviewed revision.
 */
export function reviewPermission(
  { author }: Op<unknown>,
  review: Review,
  reviewed: NodeId,
  action: ReviewAction,
): Permission {
  switch (action.type) {
    case "review.react":
    case "review.comment":
    case "review.comment.react":
      return "granted";
    case "review.edit":
    case "review.edit.v2":
      return permitOnly(author, review.author);
    default: {
      const comment = review.comments.comments.get(action.comment) ?? null;
      if (comment === null) return "unclear";
      const isResolution = action.type === "review.comment.resolve" ||
        action.type === "review.comment.unresolve";
      return isResolution
        ? permitOnly(author, comment.author, review.author, reviewed)
        : permitOnly(author, comment.author);
    }
  }
}

function createSummary(
  { author, timeSeconds }: { author: NodeId; timeSeconds: number },
  body: string | null,
  embeds: readonly Embed[],
  source: Truncated,
): Summary {
  return { author, timeSeconds, body, embeds, ...source };
}

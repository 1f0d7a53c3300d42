/** Reviews of revisions: the verdict of a node, with comments on the code (specification, 2.10). */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { type ActionForms, commentChanges, STORED_FORMS } from "./action_forms.ts";
import { OptionalEmbeds } from "../entry/entry.ts";
import { OidText, Text } from "../entry/fields.ts";
import { FullNid, FullOid, listOf, Seconds, someOf, Summary } from "../entry/state_forms.ts";
import {
  type ActionStep,
  type ActionSteps,
  createVersion,
  type EntryMetadata,
  type Op,
  permitAll,
  permitAuthor,
  permitOnly,
  Refusal,
} from "../op.ts";
import { react, Reactions } from "../issue/reaction.ts";
import { commentSteps, copyThread, createThread, resolveComment, Thread } from "../issue/thread.ts";

/** Schema of the verdict of a reviewer; null for a review without a verdict. */
export const Verdict = v.nullish(v.picklist(["accept", "reject"]), null);

const SummaryText = v.nullish(Text, null);
/** Schema of labels. The order of the labels and duplicates are retained. */
const ReviewLabels = v.optional(v.array(Text), []);
const place = { review: OidText, comment: OidText };

export function reviewCommentActions<L extends v.GenericSchema, E extends v.GenericSchema>(
  forms: ActionForms<L, E>,
) {
  return [
    v.object({
      type: v.literal("review.comment"),
      review: OidText,
      body: Text,
      location: forms.location,
      // Stored actions use the name `reply_to`. The Radicle programs ignore `replyTo` in a review comment.
      reply_to: v.nullish(OidText),
      embeds: OptionalEmbeds,
    }),
    ...commentChanges("review", { review: OidText }, forms),
    v.object({ type: v.literal("review.comment.resolve"), ...place }),
    v.object({ type: v.literal("review.comment.unresolve"), ...place }),
  ] as const;
}

const reviewEdits = [
  v.object({
    type: v.literal("review.edit"),
    review: OidText,
    summary: SummaryText,
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
] as const;

/** Creates the schemas of the actions on a review, except the action that redacts the review. */
export function reviewActions<L extends v.GenericSchema, E extends v.GenericSchema>(
  forms: ActionForms<L, E>,
) {
  return [
    ...reviewCommentActions(forms),
    ...reviewEdits,
    v.object({
      type: v.literal("review.react"),
      review: OidText,
      reaction: forms.emoji,
      active: v.boolean(),
    }),
  ] as const;
}

const ReviewAction = v.variant("type", reviewActions(STORED_FORMS));

/**
 * Schema of an edit of a review by the Radicle programs of 2024, which store no labels, and other properties
 * in another order.
 */
export const EarlyReviewEdit = v.object({
  type: v.literal("review.edit"),
  review: OidText,
  verdict: Verdict,
  summary: SummaryText,
});

export const OpenReview = v.object({
  type: v.literal("review"),
  revision: OidText,
  summary: SummaryText,
  verdict: Verdict,
  labels: ReviewLabels,
});

export type Verdict = v.InferOutput<typeof Verdict>;
export type ReviewAction = v.InferOutput<typeof ReviewAction>;
export type OpenReview = v.InferOutput<typeof OpenReview>;

/** Schema of a review. Applying an action changes a review in place. */
export const Review = v.strictObject({
  id: FullOid,
  author: FullNid,
  /** Time when the review was opened. */
  timeSeconds: Seconds,
  verdict: Verdict,
  /** Labels of the review, which the API does not show. */
  labels: listOf(Text),
  summary: someOf(Summary),
  reactions: Reactions,
  comments: Thread,
});

export type Review = v.InferOutput<typeof Review>;

export function createReview(metadata: EntryMetadata, action: OpenReview): Review {
  const { verdict, summary, labels } = action;
  return {
    id: metadata.id,
    author: metadata.author,
    timeSeconds: metadata.timeSeconds,
    verdict,
    labels,
    summary: [createVersion(metadata, summary, action)],
    reactions: [],
    comments: createThread(),
  };
}

export function copyReview(review: Review): Review {
  return { ...review, comments: copyThread(review.comments) };
}

export interface ReviewOf {
  readonly review: Review;
  readonly revision: { readonly author: NodeId };
}

const comments = commentSteps<ReviewOf, { readonly comment: Oid }>(
  ({ review }) => review.comments,
  ({ comment }) => comment,
);

/** Throws a {@link Refusal} if an edit would leave a review without a summary and without a verdict. */
function checkEdit(isEmpty: boolean, verdict: Verdict): void {
  if (isEmpty && verdict === null) throw new Refusal("invalid", "A review needs a summary or a verdict");
}

/**
 * Implements the action that marks a comment as resolved or not resolved. The authors of the comment, the
 * review and the revision may do the action.
 */
function resolution(
  isResolved: boolean,
): Omit<ActionStep<{ readonly comment: Oid }, ReviewOf, Op<unknown>>, "message"> {
  return {
    permit({ review, revision }, { author }, { comment: id }) {
      const comment = review.comments.comments.get(id);
      return comment ? permitOnly(author, comment.author, review.author, revision.author) : "unclear";
    },
    apply: ({ review }, op, { comment }) => resolveComment(review.comments, op, comment, isResolved),
  };
}

/** Implementations of the actions on a review, except the action that redacts the review. */
export const reviewSteps: ActionSteps<ReviewAction, ReviewOf> = {
  "review.edit": {
    message: "Edit review",
    permit: ({ review }, op) => permitAuthor(review, op),
    check: ({ summary, verdict }, { replacesSummary }) =>
      checkEdit(summary === null && !replacesSummary, verdict),
    apply({ review }, op, action, { replacesSummary }) {
      const { verdict, labels, summary } = action;
      review.verdict = verdict;
      if (replacesSummary) review.summary = [createVersion(review, summary, action)];
      else {
        review.labels = labels;
        if (summary !== null) review.summary = [...review.summary, createVersion(op, summary, action)];
      }
    },
  },
  "review.edit.v2": {
    message: "Edit review",
    permit: ({ review }, op) => permitAuthor(review, op),
    check: ({ summary, verdict }) => checkEdit(summary === "", verdict),
    apply({ review }, op, action) {
      review.verdict = action.verdict;
      review.labels = action.labels;
      review.summary = [...review.summary, createVersion(op, action.summary, action)];
    },
  },
  "review.react": {
    message: "React to review",
    permit: permitAll,
    apply: ({ review }, { author }, { reaction, active }) =>
      void (review.reactions = react(review.reactions, author, reaction, active)),
  },
  "review.comment": {
    message: "Review comment",
    permit: permitAll,
    apply: (found, op, action) => comments.add.apply(found, op, { ...action, replyTo: action.reply_to }),
  },
  "review.comment.edit": { message: "Edit review comment", ...comments.edit },
  "review.comment.react": { message: "React to review comment", ...comments.react },
  "review.comment.redact": { message: "Redact review comment", ...comments.redact },
  "review.comment.resolve": { message: "Resolve review comment", ...resolution(true) },
  "review.comment.unresolve": { message: "Unresolve review comment", ...resolution(false) },
};

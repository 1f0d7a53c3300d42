/**
 * Issues and patches as `rad` keeps them in its objects database and prints them (`rad cob show`): members in its order, times in milliseconds.
 * Rows of issues look the same to all releases; those of patches differ in their reviews.
 */
import { didOfNid } from "../../ids/did.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { RowForm } from "../../ports/cob_cache.ts";
import { compareLocations } from "../issue/code_location.ts";
import type { Embed } from "../entry/embed.ts";
import type { Issue } from "../issue/issue.ts";
import type { Patch } from "../patch/patch_state.ts";
import { reactionGroups, reactionPairs, type Reactions } from "../issue/reaction.ts";
import type { Review } from "../patch/review.ts";
import type { Revision } from "../patch/revision.ts";
import { type Comment, latest, type Thread } from "../issue/thread.ts";

/** The row of an issue. */
export function toIssueRow({ assignees, title, state, labels, thread }: Issue): object {
  return { assignees, title, state, labels, thread: toThread(thread) };
}

/**
 * The row of a patch. Revisions and reviews have their ids in every form: `rad` 0.10 does not know them there and reads over them, but programs of its
 * days, such as the `git-remote-rad` that is installed with it, need them.
 */
export function toPatchRow(patch: Patch, form: RowForm = "newest"): object {
  const { title, author, state, target, labels, assignees, timeline } = patch;
  return {
    title,
    author: toAuthor(author),
    state: state.status === "open" && state.conflicts.length === 0 ? { status: "open" } : state,
    target,
    labels,
    merges: toSortedObject(patch.merges, ({ revision, commit, timeSeconds }) => ({
      revision,
      commit,
      timestamp: toMs(timeSeconds),
    })),
    revisions: toSortedObject(patch.revisions, (revision) => revision && toRevision(revision, form)),
    assignees,
    timeline,
    reviews: toSortedObject(patch.reviews, (place) => place && [place.revision, place.author]),
  };
}

function toRevision(revision: Revision, form: RowForm): object {
  const { id, author, description, base, oid, discussion, timeSeconds, resolves } = revision;
  return {
    id,
    author: toAuthor(author),
    description: description.map(toEdit),
    base,
    oid,
    discussion: toThread(discussion),
    reviews: toReviews(revision.reviews, form),
    timestamp: toMs(timeSeconds),
    resolves,
    reactions: [...revision.reactions.values()]
      .sort((a, b) => compareLocations(a.location, b.location))
      .flatMap(({ location, reactions }) =>
        reactionGroups(reactions).map((group) => ({ location: location ?? null, ...group }))
      ),
  };
}

/** One review of a node, until `rad` 0.10 with redacted ones as null; in the form of 1.0 a list, which keeps reviews that came before it, too. */
function toReviews(reviews: Revision["reviews"], form: RowForm): object {
  switch (form) {
    case "0.10":
      return toSortedObject(reviews, (review) => review && toReview(review, form));
    case "1.0":
      return toSortedObject(reviews, (review) => review === null ? [] : [toReview(review, form)]);
    default: {
      const present = new Map([...reviews].filter(([, review]) => review !== null));
      return toSortedObject(present, (review) => review && toReview(review, form));
    }
  }
}

function toReview(review: Review, form: RowForm): object {
  const { id, author, verdict, summary, comments, labels, reactions, timeSeconds } = review;
  return {
    id,
    author: toAuthor(author),
    verdict,
    summary: form === "newest"
      ? summary.map((edit) => toEdit({ ...edit, body: edit.body ?? "" }))
      : latest(summary).body,
    comments: toThread(comments),
    labels,
    ...(reactions.length > 0 ? { reactions: reactionPairs(reactions) } : {}),
    timestamp: toMs(timeSeconds),
  };
}

function toThread({ comments, timeline }: Thread): object {
  return { comments: toSortedObject(comments, (comment) => comment && toComment(comment)), timeline };
}

function toComment(comment: Comment): object {
  const { author, replyTo, reactions, isResolved, edits, location } = comment;
  const { body, embeds } = latest(edits);
  return {
    author,
    ...(replyTo === undefined ? {} : { replyTo }),
    reactions: toReactions(reactions),
    resolved: isResolved,
    body,
    edits: edits.map(toEdit),
    ...(location === undefined ? {} : { location }),
    ...(embeds.length === 0 ? {} : { embeds }),
  };
}

function toReactions(reactions: Reactions): object {
  return reactionPairs(reactions);
}

function toEdit(
  { author, timeSeconds, body, embeds }: {
    author: NodeId;
    timeSeconds: number;
    body: string;
    embeds: readonly Embed[];
  },
): object {
  return { author, timestamp: toMs(timeSeconds), body, embeds };
}

function toAuthor(author: NodeId): object {
  return { id: didOfNid(author) };
}

function toSortedObject<K extends string, T>(map: ReadonlyMap<K, T>, convert: (value: T) => unknown): object {
  return Object.fromEntries(
    [...map].sort(([a], [b]) => a < b ? -1 : 1).map(([key, value]) => [key, convert(value)]),
  );
}

/** Entries can claim any time. Choice: `rad` cannot read numbers that JavaScript writes with an exponent, so what is out of range moves to its end. */
function toMs(timeSeconds: number): number {
  return Math.min(Math.max(timeSeconds * 1000, 0), Number.MAX_SAFE_INTEGER);
}

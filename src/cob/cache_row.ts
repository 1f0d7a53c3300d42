/** Issues and patches in the form in which `rad` keeps them in its cache and prints them (`rad cob show`); times in milliseconds. */
import { didOfNid } from "../ids/did.ts";
import type { NodeId } from "../ids/nid.ts";
import { compareLocations } from "./code_location.ts";
import type { Embed } from "./fields.ts";
import type { Issue } from "./issue.ts";
import type { Patch } from "./patch.ts";
import { reactionGroups, reactionPairs, type Reactions } from "./reaction.ts";
import type { Review } from "./review.ts";
import type { Revision } from "./revision.ts";
import { type Comment, latest, type Thread } from "./thread.ts";

/** The row of an issue; members in the order of `rad` 0.23. */
export function toIssueRow({ assignees, title, state, labels, thread }: Issue): object {
  return { assignees, title, state, labels, thread: toThread(thread) };
}

/** The row of a patch; members in the order of `rad` 0.23. */
export function toPatchRow(patch: Patch): object {
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
    revisions: toSortedObject(patch.revisions, (revision) => revision && toRevision(revision)),
    assignees,
    timeline,
    reviews: toSortedObject(patch.reviews, (place) => place && [place.revision, place.author]),
  };
}

function toRevision(revision: Revision): object {
  const { id, author, description, base, oid, discussion, timeSeconds, resolves } = revision;
  const reviews = new Map([...revision.reviews].filter(([, review]) => review !== null));
  return {
    id,
    author: toAuthor(author),
    description: description.map(toEdit),
    base,
    oid,
    discussion: toThread(discussion),
    reviews: toSortedObject(reviews, (review) => review && toReview(review)),
    timestamp: toMs(timeSeconds),
    resolves,
    reactions: [...revision.reactions.values()]
      .sort((a, b) => compareLocations(a.location, b.location))
      .flatMap(({ location, reactions }) =>
        reactionGroups(reactions).map((group) => ({ location: location ?? null, ...group }))
      ),
  };
}

function toReview(review: Review): object {
  const { id, author, verdict, summary, comments, labels, reactions, timeSeconds } = review;
  return {
    id,
    author: toAuthor(author),
    verdict,
    summary: summary.map((edit) => toEdit({ ...edit, body: edit.body ?? "" })),
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

function toMs(timeSeconds: number): number {
  return timeSeconds * 1000;
}

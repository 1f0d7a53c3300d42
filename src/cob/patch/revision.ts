/** Revisions: proposed states of the code of a patch, with their discussion and reviews (2.10). */
import * as v from "valibot";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { CodeLocation, locationKey } from "../issue/code_location.ts";
import { Embeds, OptionalEmbeds } from "../entry/entry.ts";
import { OidText, sortedSet, Text } from "../entry/fields.ts";
import {
  type ActionSteps,
  createVersion,
  type EntryMetadata,
  permitAll,
  permitAuthor,
  sourceOf,
  type Truncated,
} from "../op.ts";
import { Emoji, react, type Reactions } from "../issue/reaction.ts";
import { copyReview, type Review } from "./review.ts";
import { commentSteps, copyThread, createThread, type Edit, type Thread } from "../issue/thread.ts";

/** A review and one of its comments. Copied, since valibot allocates more than the two items. */
const ResolvedComment = v.pipe(
  v.strictTuple([OidText, OidText]),
  v.transform(([review, comment]): readonly [Oid, Oid] => [review, comment]),
);

/** Proposes a state of the code: the commit `oid`, based on `base`. */
export const OpenRevision = v.object({
  type: v.literal("revision"),
  description: Text,
  base: OidText,
  oid: OidText,
  /** Reviews and comments that this revision resolves. They are stored, but have no effect. */
  resolves: v.optional(sortedSet(ResolvedComment, comparePairs), []),
});

const place = { revision: OidText, comment: OidText };

/** Actions on a revision, besides its redaction. */
export const RevisionAction = v.variant("type", [
  v.object({
    type: v.literal("revision.edit"),
    revision: OidText,
    description: Text,
    embeds: OptionalEmbeds,
  }),
  v.object({
    type: v.literal("revision.react"),
    revision: OidText,
    location: v.nullish(CodeLocation),
    reaction: Emoji,
    active: v.boolean(),
  }),
  v.object({
    type: v.literal("revision.comment"),
    revision: OidText,
    location: v.nullish(CodeLocation),
    body: Text,
    replyTo: v.nullish(OidText),
    embeds: OptionalEmbeds,
  }),
  v.object({
    type: v.literal("revision.comment.edit"),
    ...place,
    body: Text,
    embeds: Embeds,
  }),
  v.object({ type: v.literal("revision.comment.react"), ...place, reaction: Emoji, active: v.boolean() }),
  v.object({ type: v.literal("revision.comment.redact"), ...place }),
]);

/** The members of {@link OpenRevision}. */
export type OpenRevision = v.InferOutput<typeof OpenRevision>;
/** The forms of {@link RevisionAction}. */
export type RevisionAction = v.InferOutput<typeof RevisionAction>;

/**
 * Reactions to one code location, or to the revision as a whole. The source is present when the location is
 * truncated.
 */
export interface PlaceReactions extends Truncated {
  readonly location: CodeLocation | undefined;
  readonly reactions: Reactions;
}

/** A revision. Steps change it in place. */
export interface Revision {
  readonly id: Oid;
  readonly author: NodeId;
  /** Time of the proposal, seconds since the epoch. */
  readonly timeSeconds: number;
  readonly base: Oid;
  readonly oid: Oid;
  /** Pairs of review and comment, ascending, no repetitions. */
  readonly resolves: readonly (readonly [Oid, Oid])[];
  description: readonly [Edit, ...Edit[]];
  /** By the key of the location. */
  readonly reactions: Map<string, PlaceReactions>;
  readonly discussion: Thread;
  /** By author; null for a redacted one. */
  readonly reviews: Map<NodeId, Review | null>;
}

/** The revision that an action proposes. */
export function createRevision(metadata: EntryMetadata, action: OpenRevision): Revision {
  return {
    id: metadata.id,
    author: metadata.author,
    timeSeconds: metadata.timeSeconds,
    base: action.base,
    oid: action.oid,
    resolves: action.resolves,
    description: [createVersion(metadata, action.description, action)],
    reactions: new Map(),
    discussion: createThread(),
    reviews: new Map(),
  };
}

/** A copy whose changes do not affect the given revision. */
export function copyRevision(revision: Revision): Revision {
  return {
    ...revision,
    reactions: new Map(revision.reactions),
    discussion: copyThread(revision.discussion),
    reviews: new Map([...revision.reviews].map(([author, review]) => [author, review && copyReview(review)])),
  };
}

const comments = commentSteps<Revision, { readonly comment: Oid }>(
  ({ discussion }) => discussion,
  ({ comment }) => comment,
);

/** The actions on a revision, besides its redaction. */
export const revisionSteps: ActionSteps<RevisionAction, Revision> = {
  "revision.edit": {
    message: "Edit revision",
    permit: permitAuthor,
    apply(revision, op, action) {
      revision.description = [...revision.description, createVersion(op, action.description, action)];
    },
  },
  "revision.react": {
    message: "React",
    permit: permitAll,
    apply(revision, { author }, action) {
      const location = action.location ?? undefined;
      const key = locationKey(location);
      const before = revision.reactions.get(key) ?? { location, reactions: [], ...sourceOf(action) };
      const reactions = react(before.reactions, author, action.reaction, action.active);
      if (reactions.length > 0) revision.reactions.set(key, { ...before, reactions });
      else revision.reactions.delete(key);
    },
  },
  "revision.comment": { message: "Comment", ...comments.add },
  "revision.comment.edit": { message: "Edit comment", ...comments.edit },
  "revision.comment.react": { message: "React comment", ...comments.react },
  "revision.comment.redact": { message: "Redact comment", ...comments.redact },
};

function comparePairs(a: readonly [Oid, Oid], b: readonly [Oid, Oid]): number {
  return compareUtf8(a[0], b[0]) || compareUtf8(a[1], b[1]);
}

/**
 * Revisions of a patch: proposed versions of the code, with their discussion and reviews (specification,
 * 2.10).
 */
import * as v from "valibot";
import type { Oid } from "../../ids/oid.ts";
import { compareUtf8 } from "../../text/utf8.ts";
import { CodeLocation, locationKey } from "../issue/code_location.ts";
import { OptionalEmbeds } from "../entry/entry.ts";
import { OidText, sortedSet, Text } from "../entry/fields.ts";
import { Edit, FullNid, FullOid, listOf, mapOf, orUndefined, Seconds, someOf } from "../entry/state_forms.ts";
import { type ActionSteps, createVersion, type EntryMetadata, permitAll, permitAuthor } from "../op.ts";
import { react, Reactions } from "../issue/reaction.ts";
import { type ActionForms, commentChanges, STORED_FORMS } from "./action_forms.ts";
import { copyReview, Review } from "./review.ts";
import { commentSteps, copyThread, createThread, Thread } from "../issue/thread.ts";

/**
 * Schema of a pair of ids: a review and one of its comments. The pair is copied, because the array that
 * valibot returns takes more memory.
 */
const ResolvedComment = v.pipe(
  v.strictTuple([OidText, OidText]),
  v.transform(([review, comment]): readonly [Oid, Oid] => [review, comment]),
);

/** Schema of the action that proposes the commit `oid`, based on the commit `base`. */
export const OpenRevision = v.object({
  type: v.literal("revision"),
  description: Text,
  base: OidText,
  oid: OidText,
  /** Reviews and comments that this revision resolves. These pairs are stored, but have no effect. */
  resolves: v.optional(sortedSet(ResolvedComment, comparePairs), []),
});

/** Creates the schemas of the actions on a revision, except the action that redacts the revision. */
export function revisionActions<L extends v.GenericSchema, E extends v.GenericSchema>(
  forms: ActionForms<L, E>,
) {
  return [
    v.object({
      type: v.literal("revision.edit"),
      revision: OidText,
      description: Text,
      embeds: OptionalEmbeds,
    }),
    v.object({
      type: v.literal("revision.react"),
      revision: OidText,
      location: forms.location,
      reaction: forms.emoji,
      active: v.boolean(),
    }),
    v.object({
      type: v.literal("revision.comment"),
      revision: OidText,
      location: forms.location,
      body: Text,
      replyTo: v.nullish(OidText),
      embeds: OptionalEmbeds,
    }),
    ...commentChanges("revision", { revision: OidText }, forms),
  ] as const;
}

const RevisionAction = v.variant("type", revisionActions(STORED_FORMS));

export type OpenRevision = v.InferOutput<typeof OpenRevision>;
export type RevisionAction = v.InferOutput<typeof RevisionAction>;

/** Schema of the reactions to one code location, or to the whole revision if `location` is `undefined`. */
const PlaceReactions = v.pipe(
  v.strictObject({
    location: orUndefined(CodeLocation),
    reactions: Reactions,
  }),
  v.readonly(),
);

/** Schema of a revision. Applying an action changes a revision in place. */
export const Revision = v.strictObject({
  id: FullOid,
  author: FullNid,
  /** Time when the revision was proposed. */
  timeSeconds: Seconds,
  base: FullOid,
  oid: FullOid,
  /** Pairs of ids (a review and one of its comments), in ascending order, without duplicates. */
  resolves: listOf(v.pipe(v.strictTuple([FullOid, FullOid]), v.readonly())),
  description: someOf(Edit),
  /** Reactions by the key of their location ({@link locationKey}). */
  reactions: mapOf(v.string(), PlaceReactions),
  discussion: Thread,
  /** Reviews by author; null for a redacted review. */
  reviews: mapOf(FullNid, v.nullable(Review)),
});

export type PlaceReactions = v.InferOutput<typeof PlaceReactions>;
export type Revision = v.InferOutput<typeof Revision>;

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

/** Implementations of the actions on a revision, except the action that redacts the revision. */
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
      const before = revision.reactions.get(key) ?? { location, reactions: [] };
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

/** State of a patch: its revisions, reviews and merges (2.10). */
import * as v from "valibot";
import type { Oid } from "../../ids/oid.ts";
import { FullNid, FullOid, listOf, mapOf, objectMembers } from "../entry/state_forms.ts";
import { Merge, MergedPair, MergeTarget } from "./merge.ts";
import { Refusal } from "../op.ts";
import type { Review } from "./review.ts";
import { copyRevision, Revision } from "./revision.ts";

const PatchState = v.variant("status", [
  v.strictObject({ status: v.picklist(["draft", "archived"]) }),
  v.strictObject({
    status: v.literal("open"),
    /**
     * The merged pairs, in ascending order, if enough delegates agree on more than one pair. Otherwise empty.
     */
    conflicts: listOf(MergedPair),
  }),
  v.strictObject({ status: v.literal("merged"), revision: FullOid, commit: FullOid }),
]);

/** Schema of the location of a review. A revision has at most one review of each node. */
const ReviewPlace = v.strictObject({ revision: FullOid, author: FullNid });

/**
 * Schema of a patch. Applying an action changes it in place. Use {@link copyPatch} first if the earlier state
 * is needed later.
 */
export const Patch = v.strictObject({
  ...objectMembers,
  target: MergeTarget,
  state: PatchState,
  /** In ascending order of keys, without duplicates. */
  assignees: listOf(FullNid),
  merges: mapOf(FullNid, Merge),
  /** Revisions by id, in the order in which they were applied; null for redacted revisions. */
  revisions: mapOf(FullOid, v.nullable(Revision)),
  /** Reviews by id; null for redacted reviews. */
  reviews: mapOf(FullOid, v.nullable(ReviewPlace)),
  /** Ids of all applied entries, in the order in which they were applied. */
  timeline: v.array(FullOid),
});

export type PatchState = v.InferOutput<typeof PatchState>;
export type Patch = v.InferOutput<typeof Patch>;

/** Returns a copy. Changing the copy does not affect the given patch. */
export function copyPatch(patch: Patch): Patch {
  return {
    ...patch,
    merges: new Map(patch.merges),
    revisions: new Map(
      [...patch.revisions].map(([id, revision]) => [id, revision && copyRevision(revision)]),
    ),
    reviews: new Map(patch.reviews),
    timeline: [...patch.timeline],
  };
}

/** Returns the revisions without redacted revisions, in the order in which they were applied. */
export function listRevisions(patch: Patch): readonly Revision[] {
  return [...patch.revisions.values()].filter((revision) => revision !== null);
}

/**
 * Returns the reviews of a revision in ascending order of their ids. If a second review replaced a first
 * review, the second review is listed under both ids, as in the Radicle programs of 2024.
 */
export function listReviews(patch: Patch, revision: Revision): { id: Oid; review: Review }[] {
  return [...patch.reviews]
    .flatMap(([id, place]) => {
      const review = place?.revision === revision.id ? revision.reviews.get(place.author) : undefined;
      return review ? [{ id, review }] : [];
    })
    .sort((a, b) => a.id < b.id ? -1 : 1);
}

/**
 * Finds a revision. Returns null when the revision is redacted.
 *
 * @throws {Refusal} `missing` when the revision does not exist.
 */
export function findRevision(patch: Patch, id: Oid): Revision | null {
  const revision = patch.revisions.get(id);
  if (revision === undefined) throw new Refusal("missing", `Revision ${id} was not found`);
  return revision;
}

/**
 * Finds a review and its revision. Returns null when the review or the revision is redacted.
 *
 * @throws {Refusal} `missing` when the review does not exist.
 */
export function findReview(patch: Patch, id: Oid): { review: Review; revision: Revision } | null {
  const place = patch.reviews.get(id);
  if (place === undefined) throw new Refusal("missing", `Review ${id} was not found`);
  const revision = place && findRevision(patch, place.revision);
  const review = place && revision?.reviews.get(place.author);
  return revision && review ? { review, revision } : null;
}

/** State of a patch: its revisions, reviews and merges (specification, 2.10). */
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
     * Pairs of revision and commit that enough delegates merged, in ascending order, if there are several
     * such pairs. Otherwise empty.
     */
    conflicts: listOf(MergedPair),
  }),
  v.strictObject({ status: v.literal("merged"), revision: FullOid, commit: FullOid }),
]);

/** Schema of the location of a review. A revision has at most one review of each node. */
const ReviewPlace = v.strictObject({ revision: FullOid, author: FullNid });

/**
 * Schema of a patch. Applying an action changes a patch in place. To retain the earlier state, use
 * {@link copyPatch}.
 */
export const Patch = v.strictObject({
  ...objectMembers,
  target: MergeTarget,
  state: PatchState,
  /** Assignees in ascending order of their keys, without duplicates. */
  assignees: listOf(FullNid),
  merges: mapOf(FullNid, Merge),
  /** Revisions by id, in the order in which they were applied; null for redacted revisions. */
  revisions: mapOf(FullOid, v.nullable(Revision)),
  /** Location of each review by the id of the review; null for redacted reviews. */
  reviews: mapOf(FullOid, v.nullable(ReviewPlace)),
  /** Ids of all applied entries, in the order in which they were applied. */
  timeline: v.array(FullOid),
});

export type PatchState = v.InferOutput<typeof PatchState>;
export type Patch = v.InferOutput<typeof Patch>;

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

/** Returns the revisions in the order in which they were applied, without redacted revisions. */
export function listRevisions(patch: Patch): readonly Revision[] {
  return [...patch.revisions.values()].filter((revision) => revision !== null);
}

/**
 * Returns the reviews of a revision in ascending order of their ids. As in the Radicle programs of 2024, a
 * review that replaced a review by the same node is returned under the ids of both reviews.
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
 * Returns a revision, or null when the revision is redacted.
 *
 * @throws {Refusal} `missing` when the revision does not exist.
 */
export function findRevision(patch: Patch, id: Oid): Revision | null {
  const revision = patch.revisions.get(id);
  if (revision === undefined) throw new Refusal("missing", `Revision ${id} was not found`);
  return revision;
}

/**
 * Returns a review and its revision, or null when the review or the revision is redacted.
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

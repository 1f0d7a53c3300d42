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
    /** Merged pairs, ascending, if enough delegates agree on several of them; empty without a conflict. */
    conflicts: listOf(MergedPair),
  }),
  v.strictObject({ status: v.literal("merged"), revision: FullOid, commit: FullOid }),
]);

/** Position of a review. A revision has at most one review of each node. */
const ReviewPlace = v.strictObject({ revision: FullOid, author: FullNid });

/** A patch. Steps change it in place; to save the earlier state, copy it first ({@link copyPatch}). */
export const Patch = v.strictObject({
  ...objectMembers,
  target: MergeTarget,
  state: PatchState,
  /** Ascending by key, without repetitions. */
  assignees: listOf(FullNid),
  merges: mapOf(FullNid, Merge),
  /** By id, in the order in which they are applied; null for redacted revisions. */
  revisions: mapOf(FullOid, v.nullable(Revision)),
  /** By id; null for redacted reviews. */
  reviews: mapOf(FullOid, v.nullable(ReviewPlace)),
  /** Ids of all applied entries, in the order in which they were applied. */
  timeline: v.array(FullOid),
});

export type PatchState = v.InferOutput<typeof PatchState>;
export type Patch = v.InferOutput<typeof Patch>;

/** A copy. Changing it does not affect the given patch. */
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

/** Revisions without redacted revisions, in the order in which they are applied. */
export function listRevisions(patch: Patch): readonly Revision[] {
  return [...patch.revisions.values()].filter((revision) => revision !== null);
}

/**
 * Reviews of a revision in ascending order of their ids. If a second review replaced a first one, it is
 * listed under both ids, as in the programs of 2024.
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
 * Finds a revision. Returns null when it is redacted.
 *
 * @throws {Refusal} `missing` when there is no such revision.
 */
export function findRevision(patch: Patch, id: Oid): Revision | null {
  const revision = patch.revisions.get(id);
  if (revision === undefined) throw new Refusal("missing", `Revision ${id} was not found`);
  return revision;
}

/**
 * Finds a review and its revision. Returns null when one of them is redacted.
 *
 * @throws {Refusal} `missing` when there is no such review.
 */
export function findReview(patch: Patch, id: Oid): { review: Review; revision: Revision } | null {
  const place = patch.reviews.get(id);
  if (place === undefined) throw new Refusal("missing", `Review ${id} was not found`);
  const revision = place && findRevision(patch, place.revision);
  const review = place && revision?.reviews.get(place.author);
  return revision && review ? { review, revision } : null;
}

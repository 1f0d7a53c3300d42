/** A patch as clients of today's service see it. */
import type { RepoPatch, RepoReview, RepoRevision } from "../../contract/today_schemas.ts";
import { compareLocations } from "../../cob/issue/code_location.ts";
import { latest } from "../../cob/issue/thread.ts";
import { listReviews, listRevisions, type Patch } from "../../cob/patch/patch_state.ts";
import type { Review } from "../../cob/patch/review.ts";
import type { Revision } from "../../cob/patch/revision.ts";
import type { SignedRefs } from "../../identity/sigrefs.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import { toAuthorView } from "../author.ts";
import { namesByTarget, toPatchStateView } from "../patch.ts";
import { isShortened, type TextOptions, toBody, toEditViews, toMark, toTitle } from "../thread.ts";
import { toPlace, toTodayCodeComments, toTodayReactions } from "./thread.ts";

/** Inputs of the view of a patch besides the patch. */
export interface TodayPatchOptions extends Omit<TextOptions, "truncated"> {
  /** The signed references of a node; none when they cannot be read. */
  readonly refsOf: (node: NodeId) => SignedRefs;
}

/** Shows a patch. */
export function toTodayPatch(patch: Patch, { refsOf, ...given }: TodayPatchOptions): RepoPatch {
  const { id, target, labels, assignees, truncated } = patch;
  const { aliasOf } = given;
  const merges = [...patch.merges].sort(([a], [b]) => a < b ? -1 : 1);
  const options = { ...given, truncated };
  return {
    id,
    author: toAuthorView(patch.author, aliasOf),
    title: toTitle(patch, options),
    state: toPatchStateView(patch.state),
    target,
    labels,
    merges: merges.map(([author, { commit, timeSeconds, revision }]) => ({
      author: toAuthorView(author, aliasOf),
      commit,
      timestamp: timeSeconds,
      revision,
    })),
    assignees: assignees.map((node) => toAuthorView(node, aliasOf)),
    revisions: listRevisions(patch).map((revision) =>
      toRevision(patch, revision, refsOf(revision.author), options)
    ),
    ...isShortened(patch, options) && { truncated: true },
  };
}

/** Reviews of a revision in the order of the keys of their authors. */
export function listTodayReviews(...of: Parameters<typeof listReviews>): ReturnType<typeof listReviews> {
  return listReviews(...of).sort((a, b) => a.review.author < b.review.author ? -1 : 1);
}

function toRevision(
  patch: Patch,
  revision: Revision,
  authorRefs: SignedRefs,
  options: TextOptions,
): RepoRevision {
  const { id, description, reactions, base, oid, discussion, timeSeconds } = revision;
  const places = [...reactions.values()].sort((a, b) => compareLocations(a.location, b.location));
  return {
    id,
    author: toAuthorView(revision.author, options.aliasOf),
    description: toBody(latest(description), options),
    edits: toEditViews(description, options),
    reactions: places.flatMap((place) =>
      toTodayReactions(place.reactions, options, toPlace(place.location, place, options))
    ),
    base,
    oid,
    refs: namesByTarget(authorRefs).get(oid) ?? [],
    discussions: toTodayCodeComments(discussion, options),
    timestamp: timeSeconds,
    reviews: listTodayReviews(patch, revision).map(({ id, review }) => toReview(id, review, options)),
    ...toMark(id, [...description, ...reactions.values()], options),
  };
}

function toReview(id: Oid, review: Review, options: TextOptions): RepoReview {
  return {
    id,
    author: toAuthorView(review.author, options.aliasOf),
    verdict: review.verdict,
    // A review without a summary has an empty one on the real service.
    summary: toBody(latest(review.summary), options) ?? "",
    comments: toTodayCodeComments(review.comments, options),
    timestamp: review.timeSeconds,
    ...toMark(review.id, [latest(review.summary)], options),
  };
}

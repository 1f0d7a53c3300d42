/** A patch as clients see it (2.10). */
import type {
  Patch as PatchView,
  PatchState as PatchStateView,
  Review as ReviewView,
  Revision as RevisionView,
} from "../contract/patches.ts";
import type { PatchCounts } from "../contract/projects.ts";
import { memoize } from "../cache/memoize.ts";
import { compareLocations } from "../cob/issue/code_location.ts";
import type { ObjectSummary } from "../cob/evaluation/object_summary.ts";
import { listReviews, listRevisions, type Patch, type PatchState } from "../cob/patch/patch_state.ts";
import { reactionGroups } from "../cob/issue/reaction.ts";
import { latest } from "../cob/issue/thread.ts";
import type { Review } from "../cob/patch/review.ts";
import type { Revision } from "../cob/patch/revision.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import { didOfNid } from "../ids/did.ts";
import type { Oid } from "../ids/oid.ts";
import { toAuthorView } from "./author.ts";
import {
  isShortened,
  type ThreadOptions,
  toBody,
  toEditViews,
  toLocation,
  toMark,
  toPatchComments,
  toReviewComments,
  toTitle,
} from "./thread.ts";

/** Shows a patch; `authorRefs` are the signed references of its author, none when they cannot be read. */
export function toPatchView(patch: Patch, authorRefs: SignedRefs, options: ThreadOptions): PatchView {
  const { id, target, labels, assignees, truncated } = patch;
  const merges = [...patch.merges].sort(([a], [b]) => a < b ? -1 : 1);
  return {
    id,
    author: toAuthorView(patch.author, options.aliasOf),
    title: toTitle(patch, options),
    state: toPatchStateView(patch.state),
    target,
    labels,
    merges: merges.map(([author, { commit, timeSeconds, revision }]) => ({
      author: toAuthorView(author, options.aliasOf),
      commit,
      timestamp: timeSeconds,
      revision,
    })),
    assignees: assignees.map(didOfNid),
    revisions: listRevisions(patch).map((revision) =>
      toRevisionView(patch, revision, authorRefs, { ...options, truncated })
    ),
    ...isShortened(patch, options) && { truncated: true },
  };
}

/** An object that is counted by its state. */
type Counted = Pick<ObjectSummary, "state">;

/** Counts patches by state, once per list: every project answer needs the counts. */
export const countPatches: (patches: readonly Counted[]) => PatchCounts = memoize((patches) => {
  const counts = { open: 0, draft: 0, archived: 0, merged: 0 };
  for (const { state } of patches) counts[state.status as PatchState["status"]]++;
  return counts;
});

/** Shows the state of a patch: an empty list of conflicts is no member. */
export function toPatchStateView(state: PatchState): PatchStateView {
  return state.status === "open" && state.conflicts.length === 0 ? { status: "open" } : state;
}

function toRevisionView(
  patch: Patch,
  revision: Revision,
  authorRefs: SignedRefs,
  options: ThreadOptions,
): RevisionView {
  const { id, description, reactions, base, oid, discussion, timeSeconds } = revision;
  const places = [...reactions.values()].sort((a, b) => compareLocations(a.location, b.location));
  return {
    id,
    author: toAuthorView(revision.author, options.aliasOf),
    description: toBody(latest(description), options),
    edits: toEditViews(description, options),
    reactions: places.flatMap((place) =>
      reactionGroups(place.reactions).map((group) => ({
        location: toLocation(place.location, place, options),
        ...group,
      }))
    ),
    base,
    oid,
    refs: namesByTarget(authorRefs).get(oid) ?? [],
    discussions: toPatchComments(discussion, options),
    timestamp: timeSeconds,
    reviews: listReviews(patch, revision).map(({ id, review }) => toReviewView(id, review, options)),
    ...toMark(id, [...description, ...reactions.values()], options),
  };
}

/** Names of signed references by target: there may be thousands, and every revision needs them. */
export const namesByTarget: (refs: SignedRefs) => ReadonlyMap<Oid, readonly string[]> = memoize((refs) => {
  const names = new Map<Oid, string[]>();
  for (const [name, target] of refs) {
    const others = names.get(target);
    if (others === undefined) names.set(target, [name]);
    else others.push(name);
  }
  return names;
});

function toReviewView(id: Oid, review: Review, options: ThreadOptions): ReviewView {
  return {
    id,
    author: toAuthorView(review.author, options.aliasOf),
    verdict: review.verdict,
    summary: toBody(latest(review.summary), options),
    comments: toReviewComments(review.comments, options),
    timestamp: review.timeSeconds,
    ...toMark(review.id, [latest(review.summary)], options),
  };
}

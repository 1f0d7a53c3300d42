/** JSON of patches (specification, 2.10), in both dialects. */
import type { Patch as PatchView, PatchState as PatchStateView } from "../contract/patches.ts";
import type { RepoPatch } from "../contract/today_schemas.ts";
import type { PatchCounts } from "../contract/projects.ts";
import { memoize } from "../cache/memory.ts";
import { compareLocations } from "../cob/issue/code_location.ts";
import type { ObjectSummary } from "../cob/evaluation/object_summary.ts";
import { listReviews, listRevisions, type Patch, type PatchState } from "../cob/patch/patch_state.ts";
import { reactionGroups } from "../cob/issue/reaction.ts";
import { latest, type Thread } from "../cob/issue/thread.ts";
import type { PlaceReactions, Revision } from "../cob/patch/revision.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import { didOfNid, type NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { toAuthorView } from "./node.ts";
import {
  type TextOptions,
  type ThreadOptions,
  toEditViews,
  toMark,
  toObjectMark,
  toPatchComments,
  toPlace,
  toReviewComments,
  toTodayCodeComments,
  toTodayReactions,
} from "./thread.ts";

/**
 * Creates the JSON of a patch. `authorRefs` are the signed references of the author of the patch; empty when
 * they cannot be read.
 */
export function toPatchView(patch: Patch, authorRefs: SignedRefs, given: ThreadOptions): PatchView {
  const options = { ...given, truncated: patch.truncated };
  return patchMembers(patch, options, {
    refsOf: () => authorRefs,
    assignee: didOfNid,
    reactions: (place) =>
      reactionGroups(place.reactions).map((group) => ({
        location: place.location ?? null,
        ...group,
      })),
    comments: (thread) => toPatchComments(thread, options),
    reviewComments: (thread) => toReviewComments(thread, options),
    summary: (text) => text,
    reviewsOf: listReviews,
  });
}

export interface TodayPatchOptions extends Omit<TextOptions, "truncated"> {
  /** Returns the signed references of a node; empty when they cannot be read. */
  readonly refsOf: (node: NodeId) => SignedRefs;
}

export function toTodayPatch(patch: Patch, { refsOf, ...given }: TodayPatchOptions): RepoPatch {
  const options = { ...given, truncated: patch.truncated };
  const comments = (thread: Thread) => toTodayCodeComments(thread, options);
  return patchMembers(patch, options, {
    refsOf,
    assignee: (node) => toAuthorView(node, options.aliasOf),
    reactions: (place) => toTodayReactions(place.reactions, options, toPlace(place.location)),
    comments,
    reviewComments: comments,
    // A review without a summary has an empty text as summary, as in `radicle-httpd`.
    summary: (text) => text ?? "",
    reviewsOf: listTodayReviews,
  });
}

/** Returns the reviews of a revision, sorted by the public keys of their authors. */
function listTodayReviews(...of: Parameters<typeof listReviews>): ReturnType<typeof listReviews> {
  return listReviews(...of).sort((a, b) => a.review.author < b.review.author ? -1 : 1);
}

type Counted = Pick<ObjectSummary, "state">;

/** Returns the number of patches in each state, computed once per list of patches. */
export const countPatches: (patches: readonly Counted[]) => PatchCounts = memoize((patches) => {
  const counts = { open: 0, draft: 0, archived: 0, merged: 0 };
  for (const { state } of patches) counts[state.status as PatchState["status"]]++;
  return counts;
});

/** Creates the JSON of the state of a patch. An empty list of conflicts is left out. */
function toPatchStateView(state: PatchState): PatchStateView {
  return state.status === "open" && state.conflicts.length === 0 ? { status: "open" } : state;
}

/** Functions that create the members of a patch that differ between the dialects. */
interface PatchForm<A, R, C, V, S> {
  /** Returns the signed references of a node. The revisions of this node show the names of the references. */
  refsOf(author: NodeId): SignedRefs;
  assignee(node: NodeId): A;
  reactions(place: PlaceReactions): readonly R[];
  comments(thread: Thread): C;
  reviewComments(thread: Thread): V;
  summary(text: string | null): S;
  reviewsOf: typeof listReviews;
}

/** Returns the members of a patch. `form` creates the members that differ between the dialects. */
function patchMembers<A, R, C, V, S>(patch: Patch, options: TextOptions, form: PatchForm<A, R, C, V, S>) {
  const { id, target, labels, assignees } = patch;
  const merges = [...patch.merges].sort(([a], [b]) => a < b ? -1 : 1);
  return {
    id,
    author: toAuthorView(patch.author, options.aliasOf),
    title: patch.title,
    state: toPatchStateView(patch.state),
    target,
    labels,
    merges: merges.map(([author, { commit, timeSeconds, revision }]) => ({
      author: toAuthorView(author, options.aliasOf),
      commit,
      timestamp: timeSeconds,
      revision,
    })),
    assignees: assignees.map((node) => form.assignee(node)),
    revisions: listRevisions(patch).map((revision) => revisionMembers(patch, revision, options, form)),
    ...toObjectMark(patch),
  };
}

function revisionMembers<A, R, C, V, S>(
  patch: Patch,
  revision: Revision,
  options: TextOptions,
  form: PatchForm<A, R, C, V, S>,
) {
  const { id, description, reactions, base, oid, discussion, timeSeconds } = revision;
  const places = [...reactions.values()].sort((a, b) => compareLocations(a.location, b.location));
  return {
    id,
    author: toAuthorView(revision.author, options.aliasOf),
    description: latest(description).body,
    edits: toEditViews(description, options),
    reactions: places.flatMap((place) => form.reactions(place)),
    base,
    oid,
    refs: namesByTarget(form.refsOf(revision.author)).get(oid) ?? [],
    discussions: form.comments(discussion),
    timestamp: timeSeconds,
    reviews: form.reviewsOf(patch, revision).map(({ id, review }) => ({
      id,
      author: toAuthorView(review.author, options.aliasOf),
      verdict: review.verdict,
      summary: form.summary(latest(review.summary).body),
      comments: form.reviewComments(review.comments),
      timestamp: review.timeSeconds,
      ...toMark(review.id, options),
    })),
    ...toMark(id, options),
  };
}

/** Returns the names of signed references by target, because every revision looks up names by target. */
const namesByTarget: (refs: SignedRefs) => ReadonlyMap<Oid, readonly string[]> = memoize((refs) => {
  const names = new Map<Oid, string[]>();
  for (const [name, target] of refs) {
    const others = names.get(target);
    if (others === undefined) names.set(target, [name]);
    else others.push(name);
  }
  return names;
});

/** A patch as clients of today's service see it. */
import { compareLocations } from "../../cob/issue/code_location.ts";
import { latest } from "../../cob/issue/thread.ts";
import type { MergeTarget } from "../../cob/patch/merge.ts";
import { listReviews, listRevisions, type Patch } from "../../cob/patch/patch_state.ts";
import type { Review, Verdict } from "../../cob/patch/review.ts";
import type { Revision } from "../../cob/patch/revision.ts";
import type { SignedRefs } from "../../identity/sigrefs.ts";
import type { NodeId } from "../../ids/nid.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Author as AuthorView } from "../../contract/thread.ts";
import { toAuthorView } from "../author.ts";
import type { Merge as MergeView, PatchState as PatchStateView } from "../../contract/patches.ts";
import { namesByTarget, toPatchStateView } from "../patch.ts";
import {
  type TodayCommentView,
  type TodayEditView,
  type TodayOptions,
  type TodayReactionView,
  toTodayCodeComments,
  toTodayEdits,
  toTodayLocation,
  toTodayMark,
  toTodayReactions,
} from "./thread.ts";

/** Wire form of a review. */
export interface TodayReviewView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly verdict: Verdict;
  readonly summary: string | null;
  readonly comments: readonly TodayCommentView[];
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Present when texts are cut. */
  readonly truncated?: true;
}

/** Wire form of a revision. */
export interface TodayRevisionView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly description: string;
  /** All versions of the description, the first one included. */
  readonly edits: readonly TodayEditView[];
  readonly reactions: readonly TodayReactionView[];
  readonly base: Oid;
  readonly oid: Oid;
  /** Signed references of the revision's author to this very commit. */
  readonly refs: readonly string[];
  readonly discussions: readonly TodayCommentView[];
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** In order of the keys of their authors. */
  readonly reviews: readonly TodayReviewView[];
  /** Present when texts are cut. */
  readonly truncated?: true;
}

/** Wire form of a patch. */
export interface TodayPatchView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly title: string;
  readonly state: PatchStateView;
  readonly target: MergeTarget;
  readonly labels: readonly string[];
  readonly merges: readonly MergeView[];
  readonly assignees: readonly AuthorView[];
  readonly revisions: readonly TodayRevisionView[];
  /** Present when texts are cut. */
  readonly truncated?: true;
}

/** Inputs of the view of a patch besides the patch. */
export interface TodayPatchOptions extends Pick<TodayOptions, "aliasOf"> {
  /** The signed references of a node; none when they cannot be read. */
  readonly refsOf: (node: NodeId) => SignedRefs;
}

/** Shows a patch. */
export function toTodayPatch(patch: Patch, { aliasOf, refsOf }: TodayPatchOptions): TodayPatchView {
  const { id, title, target, labels, assignees, truncated } = patch;
  const merges = [...patch.merges].sort(([a], [b]) => a < b ? -1 : 1);
  const options = { aliasOf, truncated };
  return {
    id,
    author: toAuthorView(patch.author, aliasOf),
    title,
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
    ...truncated && { truncated: true },
  };
}

function toRevision(
  patch: Patch,
  revision: Revision,
  authorRefs: SignedRefs,
  options: TodayOptions,
): TodayRevisionView {
  const { id, description, base, oid, discussion, timeSeconds } = revision;
  const { aliasOf } = options;
  const places = [...revision.reactions.values()].sort((a, b) => compareLocations(a.location, b.location));
  return {
    id,
    author: toAuthorView(revision.author, aliasOf),
    description: latest(description).body,
    edits: toTodayEdits(description, aliasOf),
    reactions: places.flatMap(({ location, reactions }) =>
      toTodayReactions(reactions, aliasOf, toTodayLocation(location))
    ),
    base,
    oid,
    refs: namesByTarget(authorRefs).get(oid) ?? [],
    discussions: toTodayCodeComments(discussion, options),
    timestamp: timeSeconds,
    reviews: listReviews(patch, revision)
      .toSorted((a, b) => a.review.author < b.review.author ? -1 : 1)
      .map(({ id, review }) => toReview(id, review, options)),
    ...toTodayMark(id, options),
  };
}

function toReview(id: Oid, review: Review, options: TodayOptions): TodayReviewView {
  return {
    id,
    author: toAuthorView(review.author, options.aliasOf),
    verdict: review.verdict,
    summary: latest(review.summary).body,
    comments: toTodayCodeComments(review.comments, options),
    timestamp: review.timeSeconds,
    ...toTodayMark(review.id, options),
  };
}

/** A patch as clients see it (2.10). */
import { memoize } from "../cache/memoize.ts";
import { type CodeLocation, compareLocations } from "../cob/issue/code_location.ts";
import type { MergeTarget } from "../cob/patch/merge.ts";
import { listReviews, listRevisions, type Patch, type PatchState } from "../cob/patch/patch_state.ts";
import { reactionGroups } from "../cob/issue/reaction.ts";
import { latest } from "../cob/issue/thread.ts";
import type { Review, Verdict } from "../cob/patch/review.ts";
import type { Revision } from "../cob/patch/revision.ts";
import type { SignedRefs } from "../identity/sigrefs.ts";
import { type Did, didOfNid } from "../ids/did.ts";
import type { NodeId } from "../ids/nid.ts";
import type { Oid } from "../ids/oid.ts";
import { type AuthorView, toAuthorView } from "./author.ts";
import {
  type CommentView,
  type EditView,
  type ReviewCommentView,
  type ThreadOptions,
  toEditViews,
  toMark,
  toPatchComments,
  toReviewComments,
} from "./thread.ts";

/** Wire form of the state of a patch. */
export type PatchStateView =
  | { readonly status: "draft" | "archived" }
  /** `conflicts`, pairs of revision and commit, is present only when there are any. */
  | { readonly status: "open"; readonly conflicts?: readonly (readonly [Oid, Oid])[] }
  | { readonly status: "merged"; readonly revision: Oid; readonly commit: Oid };

/** Wire form of a merge. */
export interface MergeView {
  readonly author: AuthorView;
  readonly commit: Oid;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly revision: Oid;
}

/** Wire form of reactions to a revision or, with a location, to a place in its code. */
export interface PlaceReactionView {
  readonly location: CodeLocation | null;
  readonly emoji: string;
  readonly authors: readonly NodeId[];
}

/** Wire form of a review. */
export interface ReviewView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly verdict: Verdict;
  readonly summary: string | null;
  readonly comments: readonly (readonly [Oid, ReviewCommentView])[] | readonly CommentView[];
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** Present when texts are cut. */
  readonly truncated?: true;
}

/** Wire form of a revision. */
export interface RevisionView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly description: string;
  /** All versions of the description, the first one included. */
  readonly edits: readonly EditView[];
  readonly reactions: readonly PlaceReactionView[];
  readonly base: Oid;
  readonly oid: Oid;
  /** Signed references of the patch's author to this very commit. */
  readonly refs: readonly string[];
  readonly discussions: readonly CommentView[];
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly reviews: readonly ReviewView[];
  /** Present when texts are cut. */
  readonly truncated?: true;
}

/** Wire form of a patch. */
export interface PatchView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly title: string;
  readonly state: PatchStateView;
  readonly target: MergeTarget;
  readonly labels: readonly string[];
  readonly merges: readonly MergeView[];
  readonly assignees: readonly Did[];
  readonly revisions: readonly RevisionView[];
  /** Present when texts are cut. */
  readonly truncated?: true;
}

/** How many patches there are in each state (2.2). */
export interface PatchCounts {
  readonly open: number;
  readonly draft: number;
  readonly archived: number;
  readonly merged: number;
}

/** Shows a patch; `authorRefs` are the signed references of its author, none when they cannot be read. */
export function toPatchView(patch: Patch, authorRefs: SignedRefs, options: ThreadOptions): PatchView {
  const { id, title, target, labels, assignees, truncated } = patch;
  const merges = [...patch.merges].sort(([a], [b]) => a < b ? -1 : 1);
  return {
    id,
    author: toAuthorView(patch.author, options.aliasOf),
    title,
    state: toStateView(patch.state),
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
    ...truncated && { truncated: true },
  };
}

/** Counts patches by state, once per list: every project answer needs the counts. */
export const countPatches: (patches: readonly Patch[]) => PatchCounts = memoize((patches) => {
  const counts = { open: 0, draft: 0, archived: 0, merged: 0 };
  for (const { state } of patches) counts[state.status]++;
  return counts;
});

function toStateView(state: PatchState): PatchStateView {
  return state.status === "open" && state.conflicts.length === 0 ? { status: "open" } : state;
}

function toRevisionView(
  patch: Patch,
  revision: Revision,
  authorRefs: SignedRefs,
  options: ThreadOptions,
): RevisionView {
  const { id, description, base, oid, discussion, timeSeconds } = revision;
  const places = [...revision.reactions.values()].sort((a, b) => compareLocations(a.location, b.location));
  return {
    id,
    author: toAuthorView(revision.author, options.aliasOf),
    description: latest(description).body,
    edits: toEditViews(description, options.aliasOf),
    reactions: places.flatMap(({ location = null, reactions }) =>
      reactionGroups(reactions).map((group) => ({ location, ...group }))
    ),
    base,
    oid,
    refs: namesByTarget(authorRefs).get(oid) ?? [],
    discussions: toPatchComments(discussion, options),
    timestamp: timeSeconds,
    reviews: listReviews(patch, revision).map(({ id, review }) => toReviewView(id, review, options)),
    ...toMark(id, options),
  };
}

/** Names of signed references by target: there may be thousands, and every revision needs them. */
const namesByTarget = memoize((refs: SignedRefs): ReadonlyMap<Oid, readonly string[]> => {
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
    summary: latest(review.summary).body,
    comments: toReviewComments(review.comments, options),
    timestamp: review.timeSeconds,
    ...toMark(review.id, options),
  };
}

/** What differs between generations of the Radicle programs in evaluating objects; everything else is alike in all of them. */

/** How one generation evaluates. */
export interface Rules {
  /** Order of concurrent entries, the root's own children excepted: by time and then id, or by id alone. */
  readonly siblings: "time" | "id";
  /** Whether the first entry's author needs the right to what it does besides opening the object. */
  readonly isRootChecked: boolean;
  /** Whether anybody may set labels, and assignees of issues, to what they are already. */
  readonly allowsUnchanged: boolean;
  /** Whether titles of issues may have several lines. */
  readonly allowsLines: boolean;
  /** What becomes of a second review by the same node: it is ignored, or takes the place of the first. */
  readonly secondReview: "ignored" | "replaces";
  /** Whether a review of an unknown revision is ignored rather than refused. */
  readonly ignoresStrayReviews: boolean;
  /** Whether an edit of a review replaces its summary, even by none, rather than adding to it; it then may be empty and has no labels. */
  readonly replacesSummary: boolean;
  /** Whether the actions, targets and reactions are known that came after February 2024. */
  readonly knowsLaterActions: boolean;
}

/** The names of the generations that there are rules for. */
export type Generation = "newest" | "2024";

/** The rules by generation: `newest` as `rad` 0.23 evaluates, `2024` as the programs of February 2024. */
export const RULES: Readonly<Record<Generation, Rules>> = {
  newest: {
    siblings: "time",
    isRootChecked: true,
    allowsUnchanged: true,
    allowsLines: true,
    secondReview: "ignored",
    ignoresStrayReviews: true,
    replacesSummary: false,
    knowsLaterActions: true,
  },
  "2024": {
    siblings: "id",
    isRootChecked: false,
    allowsUnchanged: false,
    allowsLines: false,
    secondReview: "replaces",
    ignoresStrayReviews: false,
    replacesSummary: true,
    knowsLaterActions: false,
  },
};

/** What differs between generations of the Radicle programs in evaluating objects; everything else is alike in all of them. */
import type { HomeGeneration } from "../identity/generation.ts";

/** How one generation evaluates. */
export interface Rules {
  /** Whose they are. */
  readonly generation: HomeGeneration;
  /** Order of concurrent entries, the root's own children excepted: by time and then id, or by id alone. */
  readonly siblings: "time" | "id";
  /** Whether an object is there only if one of its entries stands on top of no other, not even of one that cannot be read. */
  readonly needsBeginning: boolean;
  /** Whether the first entry's author needs the right to what it does besides opening the object. */
  readonly isRootChecked: boolean;
  /** Whether anybody may set labels, and assignees of issues, to what they are already. */
  readonly allowsUnchanged: boolean;
  /** Whether titles of issues may have several lines. */
  readonly allowsLines: boolean;
  /** Whether a further version of a comment, the description of an issue included, may be empty; the first version of a comment never is. */
  readonly allowsEmptyEdits: boolean;
  /** What becomes of a second review by the same node: it is ignored, or takes the place of the first. */
  readonly secondReview: "ignored" | "replaces";
  /** Whether a review of an unknown revision is ignored rather than refused. */
  readonly ignoresStrayReviews: boolean;
  /** Whether an edit of a review replaces its summary, even by none, rather than adding to it; it then may be empty and has no labels. */
  readonly replacesSummary: boolean;
  /** Whether the latest vote of each node counts on identities, and delegates of the document in force alone do anything there. */
  readonly latestVoteCounts: boolean;
  /** Whether the actions, targets and reactions are known that came after February 2024. */
  readonly knowsLaterActions: boolean;
  /** How object ids are spelled in actions and trailers: with 1 to 40 digits, or with exactly 40. */
  readonly oids: "short" | "full";
  /** Whether the author and the committer of an entry need a name before their address, even an empty one. */
  readonly needsNames: boolean;
  /** What ends a message before its trailers: every line that begins with `---`, or only one with white space after that. */
  readonly dividers: "all" | "spaced";
}

/** The names of the generations that can be chosen for what the API shows. */
export type Generation = HomeGeneration;

const RULES_2024: Rules = {
  generation: "2024",
  siblings: "id",
  needsBeginning: false,
  isRootChecked: false,
  allowsUnchanged: false,
  allowsLines: false,
  allowsEmptyEdits: false,
  secondReview: "replaces",
  ignoresStrayReviews: false,
  replacesSummary: true,
  latestVoteCounts: true,
  knowsLaterActions: false,
  oids: "short",
  needsNames: false,
  dividers: "all",
};

/**
 * The rules by generation: `newest` as `rad` 0.23 evaluates, `2024` as the programs of February 2024, `0.10` as `rad` 0.10: it checks what a first
 * entry does besides opening the object, and lets pass what changes nothing; all else is as in February 2024.
 */
const KNOWN_RULES: Readonly<Record<Exclude<HomeGeneration, "1.1">, Rules>> = {
  newest: {
    generation: "newest",
    siblings: "time",
    needsBeginning: true,
    isRootChecked: true,
    allowsUnchanged: true,
    allowsLines: true,
    allowsEmptyEdits: true,
    secondReview: "ignored",
    ignoresStrayReviews: true,
    replacesSummary: false,
    latestVoteCounts: false,
    knowsLaterActions: true,
    oids: "full",
    needsNames: true,
    dividers: "spaced",
  },
  "0.10": { ...RULES_2024, generation: "0.10", isRootChecked: true, allowsUnchanged: true },
  "2024": RULES_2024,
};

/**
 * The rules of every generation. `1.1` is as the newest, but for the texts that programs up to 1.2 refuse, the actions that they do not know (1.1 knows no
 * later reactions, either), short object ids, and their identities.
 */
export const RULES: Readonly<Record<HomeGeneration, Rules>> = {
  ...KNOWN_RULES,
  "1.1": {
    ...KNOWN_RULES.newest,
    generation: "1.1",
    needsBeginning: false,
    allowsLines: false,
    allowsEmptyEdits: false,
    latestVoteCounts: true,
    knowsLaterActions: false,
    oids: "short",
  },
};

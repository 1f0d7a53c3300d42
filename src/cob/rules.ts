/** Rules of evaluation that differ between the generations of the Radicle programs. */
import { type HomeGeneration, olderGeneration } from "../identity/generation.ts";
import type { SignatureRules } from "../keys/signature_rules.ts";

/** The rules of one generation. */
export interface Rules {
  readonly generation: HomeGeneration;
  /** The Rust crate whose verification of signatures is reproduced. */
  readonly signatures: SignatureRules;
  /**
   * Order of concurrent entries: by time and then by id, or only by id. The children of the root are always
   * ordered by id.
   */
  readonly siblings: "time" | "id";
  /**
   * Whether an object exists only if one of its entries has no parents. The entry without parents need not be
   * readable.
   */
  readonly needsBeginning: boolean;
  /**
   * Whether the author of the first entry needs permissions for the actions in this entry, except for the
   * action that creates the object.
   */
  readonly isRootChecked: boolean;
  /** Whether every node may set labels, and assignees of issues, to the values that they already have. */
  readonly allowsUnchanged: boolean;
  /** Whether titles of issues may have several lines. */
  readonly allowsLines: boolean;
  /**
   * Whether an edit may leave a comment, or the description of an issue, empty. A new comment must never be
   * empty.
   */
  readonly allowsEmptyEdits: boolean;
  /**
   * Effect of a second review of a revision by the same node. The second review is ignored, or it replaces
   * the first review.
   */
  readonly secondReview: "ignored" | "replaces";
  /** Whether a review of an unknown revision is ignored instead of refused. */
  readonly ignoresStrayReviews: boolean;
  /**
   * Whether an edit of a review replaces the summary (`true`), or adds a version to the summary (`false`). If
   * this is `true`, an edit without a summary removes the summary, an edit may leave a review without a
   * summary and a verdict, and edits do not set labels.
   */
  readonly replacesSummary: boolean;
  /**
   * Whether only the latest vote of each node counts in an identity. If this is `true`, only delegates of the
   * document in force may change the identity.
   */
  readonly latestVoteCounts: boolean;
  /** Whether actions, targets and reactions that were added after February 2024 are known. */
  readonly knowsLaterActions: boolean;
  /**
   * Format of object ids in actions and trailers: 1 to 40 digits (`short`), or exactly 40 digits (`full`).
   */
  readonly oids: "short" | "full";
  /**
   * Whether the author and committer lines of an entry must have a name before the address. The name may be
   * empty.
   */
  readonly needsNames: boolean;
  /**
   * Lines after which no trailers are read: all lines that begin with `---` (`all`), or only lines with white
   * space after `---` (`spaced`).
   */
  readonly dividers: "all" | "spaced";
}

/** The generations by whose rules the API can evaluate objects. */
export type Generation = HomeGeneration;

const RULES_2024: Rules = {
  generation: "2024",
  signatures: "ec25519",
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

const RULES_NEWEST: Rules = {
  generation: "newest",
  signatures: "ed25519-dalek",
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
};

/**
 * The rules of every generation.
 *
 * - `newest`: the rules of `rad` 0.23.
 * - `1.1`: the rules of `newest`, except for texts that programs up to 1.2 refuse, unknown actions and
 *   reactions, short object ids, identities, and crafted signatures.
 * - `0.10`: the rules of `rad` 0.10. They differ from `2024` only in that permissions are checked for all
 *   actions of a first entry, and that changes without effect are accepted.
 * - `2024`: the rules of the Radicle programs of February 2024.
 */
export const RULES: Readonly<Record<HomeGeneration, Rules>> = {
  newest: RULES_NEWEST,
  "1.1": {
    ...RULES_NEWEST,
    generation: "1.1",
    signatures: "ec25519",
    needsBeginning: false,
    allowsLines: false,
    allowsEmptyEdits: false,
    latestVoteCounts: true,
    knowsLaterActions: false,
    oids: "short",
  },
  "0.10": { ...RULES_2024, generation: "0.10", isRootChecked: true, allowsUnchanged: true },
  "2024": RULES_2024,
};

/** The newest rules, except that signatures are verified as in earlier programs. */
const NEWEST_BUT_SIGNATURES: Rules = { ...RULES_NEWEST, signatures: RULES_2024.signatures };

/**
 * Returns the rules by which objects of a home are evaluated. If the Radicle programs of the home are older
 * than the rules, signatures are verified as in these programs. Otherwise any node could craft an entry that
 * `rad` accepts and builds on, but that this service refuses.
 */
export function rulesInHome(evaluation: Generation, home: HomeGeneration): Rules {
  const { signatures } = RULES[olderGeneration(evaluation, home)];
  const rules = RULES[evaluation];
  return rules.signatures === signatures ? rules : NEWEST_BUT_SIGNATURES;
}

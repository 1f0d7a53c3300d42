/**
 * The rules of each generation of Radicle programs for evaluating issues, patches and identities. An entry is
 * a signed change of such an object, and an action is one step of an entry.
 */
import { type HomeGeneration, olderGeneration } from "../identity/generation.ts";
import type { SignatureRules } from "../keys/signature_rules.ts";

/** Rules of one generation of Radicle programs. */
export interface Rules {
  readonly generation: HomeGeneration;
  /** The Rust crate whose verification of signatures is reproduced. */
  readonly signatures: SignatureRules;
  /**
   * Order of concurrent entries: by time and then by id (`time`), or only by id (`id`). The children of the
   * root are always ordered by id.
   */
  readonly siblings: "time" | "id";
  /** Whether an object exists only if one of its entries has no parents. */
  readonly needsBeginning: boolean;
  /**
   * Whether the permissions for the actions in the first entry are checked, except for the action that
   * creates the object.
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
  /** Whether a second review of a revision by the same node is ignored or replaces the first review. */
  readonly secondReview: "ignored" | "replaces";
  /** Whether a review of an unknown revision is ignored instead of refused. */
  readonly ignoresStrayReviews: boolean;
  /**
   * Whether an edit of a review replaces the summary (`true`), or adds a version to the summary (`false`). If
   * edits replace the summary, an edit without a summary removes the summary, and edits do not set labels.
   */
  readonly replacesSummary: boolean;
  /**
   * Whether only the latest vote of each node counts in an identity, and only delegates of the document in
   * force may change the identity.
   */
  readonly latestVoteCounts: boolean;
  /** Whether the actions, targets and reactions that were added after February 2024 are known. */
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
   * Lines of a commit message after which no trailers are read: all lines that begin with `---` (`all`), or
   * only those in which white space follows `---` (`spaced`).
   */
  readonly dividers: "all" | "spaced";
}

/** Generation by whose rules the API evaluates objects. */
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
 * Rules of every generation.
 *
 * - `newest`: the rules of `rad` 0.23.
 * - `1.1`: the rules of `newest`, except for texts that programs up to 1.2 refuse, unknown actions and
 *   reactions, short object ids, identities, and crafted signatures.
 * - `0.10`: the rules of `rad` 0.10. Unlike in `2024`, permissions are checked for all actions of a first
 *   entry, and changes without effect are accepted.
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

/** The newest rules, except that signatures are verified as in earlier Radicle programs. */
const NEWEST_BUT_SIGNATURES: Rules = { ...RULES_NEWEST, signatures: RULES_2024.signatures };

/**
 * Returns the rules by which objects of a home are evaluated. `home` is the generation of the Radicle
 * programs that use the home. If `home` is older than `evaluation`, signatures are verified as in `home`.
 * Otherwise any node could craft an entry that `rad` accepts and builds on, but that this service refuses.
 */
export function rulesInHome(evaluation: Generation, home: HomeGeneration): Rules {
  const { signatures } = RULES[olderGeneration(evaluation, home)];
  const rules = RULES[evaluation];
  return rules.signatures === signatures ? rules : NEWEST_BUT_SIGNATURES;
}

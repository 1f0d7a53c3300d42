/** Rules of evaluation that differ between generations of the Radicle programs. */
import { type HomeGeneration, olderGeneration } from "../identity/generation.ts";
import type { SignatureRules } from "../keys/signature_rules.ts";

/** Rules of one generation. */
export interface Rules {
  /** The generation of programs. */
  readonly generation: HomeGeneration;
  /** The crate that judges signatures. */
  readonly signatures: SignatureRules;
  /**
   * Order of concurrent entries: by time and then id, or by id alone. Children of the root have another
   * order.
   */
  readonly siblings: "time" | "id";
  /** Whether an object exists only if one of its entries has no parents, readable or not. */
  readonly needsBeginning: boolean;
  /** Whether the first entry's author needs permissions for the actions besides opening the object. */
  readonly isRootChecked: boolean;
  /** Whether everybody may set labels, and assignees of issues, to their present values. */
  readonly allowsUnchanged: boolean;
  /** Whether titles of issues may have several lines. */
  readonly allowsLines: boolean;
  /**
   * Whether an edit may leave a comment, or the description of an issue, empty. A new comment is never empty.
   */
  readonly allowsEmptyEdits: boolean;
  /** Effect of a second review of a revision by the same node: it is ignored, or replaces the first. */
  readonly secondReview: "ignored" | "replaces";
  /** Whether a review of an unknown revision is ignored rather than refused. */
  readonly ignoresStrayReviews: boolean;
  /**
   * Whether an edit of a review replaces its summary, even by none, instead of adding a version. Then the
   * review may become empty, and the edit has no labels.
   */
  readonly replacesSummary: boolean;
  /**
   * Whether the latest vote of each node counts on identities. Then only delegates of the document in force
   * may act on them.
   */
  readonly latestVoteCounts: boolean;
  /** Whether actions, targets and reactions added after February 2024 are known. */
  readonly knowsLaterActions: boolean;
  /** Spelling of object ids in actions and trailers: 1 to 40 digits, or exactly 40. */
  readonly oids: "short" | "full";
  /** Whether author and committer of an entry need a name before their address, even an empty one. */
  readonly needsNames: boolean;
  /**
   * Lines that end a message before its trailers: every line that begins with `---`, or only lines with white
   * space after that.
   */
  readonly dividers: "all" | "spaced";
}

/** The generations that the API can show. */
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
 * The rules of every generation: `newest` as `rad` 0.23 evaluates, `2024` as the programs of February 2024,
 * `0.10` as `rad` 0.10. The latter checks permissions for all actions of a first entry, and accepts changes
 * without effect; all else is as in February 2024. `1.1` differs from the newest in texts that programs up to
 * 1.2 refuse, unknown actions and reactions, short object ids, identities, and crafted signatures.
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

/** Later rules with the signatures of earlier programs. */
const NEWEST_BUT_SIGNATURES: Rules = { ...RULES_NEWEST, signatures: RULES_2024.signatures };

/**
 * The rules to evaluate by in a home. Signatures are judged as the programs of the home judge them, if these
 * are older: otherwise a stranger could craft an entry that `rad` builds upon and that does not count here.
 */
export function rulesInHome(evaluation: Generation, home: HomeGeneration): Rules {
  const { signatures } = RULES[olderGeneration(evaluation, home)];
  const rules = RULES[evaluation];
  return rules.signatures === signatures ? rules : NEWEST_BUT_SIGNATURES;
}

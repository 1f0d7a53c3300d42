/**
 * The rules for signed references (a signed list of a node's references), which differ between the
 * generations of Radicle programs.
 */
import type { HomeGeneration } from "./generation.ts";
import type { SignatureRules } from "../keys/signature_rules.ts";

/** The rules of one generation of Radicle programs. */
export interface SigrefsRules {
  /**
   * The bytes that are signed. `stored`: the text as it is stored. `canonical`: the references in the text,
   * in the format of `formatSigrefs`.
   */
  readonly signs: "stored" | "canonical";
  /** Name of the Rust crate whose rules for valid signatures apply. */
  readonly signatures: SignatureRules;
  /** Number of digits in an object id: 1 to 40 for `short`, exactly 40 for `full`. */
  readonly oids: "short" | "full";
  /** Whether a signed `refs/rad/root` must be the root of the identity of this repository. */
  readonly checksRoot: boolean;
  /**
   * Whether parents and levels of protection are checked. If so, the lines `refs/rad/sigrefs` and
   * `refs/rad/sigrefs-parent` do not count as references, and the whole history of a commit below the highest
   * level is checked.
   */
  readonly judgesHistory: boolean;
}

const EARLY: SigrefsRules = {
  signs: "stored",
  signatures: "ec25519",
  oids: "short",
  checksRoot: false,
  judgesHistory: false,
};

/** The rules of each generation. */
export const SIGREFS_RULES: Readonly<Record<HomeGeneration, SigrefsRules>> = {
  "2024": EARLY,
  "0.10": EARLY,
  "1.1": {
    signs: "canonical",
    signatures: "ec25519",
    oids: "short",
    checksRoot: true,
    judgesHistory: false,
  },
  newest: {
    signs: "canonical",
    signatures: "ed25519-dalek",
    oids: "full",
    checksRoot: true,
    judgesHistory: true,
  },
};

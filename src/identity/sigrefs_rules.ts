/** Rules of signed references that differ between the generations of the Radicle programs. */
import type { HomeGeneration } from "./generation.ts";
import type { SignatureRules } from "../keys/signature_rules.ts";

/** The rules of one generation. */
export interface SigrefsRules {
  /**
   * The signed bytes. `stored`: the text as stored. `canonical`: its references in the form of
   * `formatSigrefs`.
   */
  readonly signs: "stored" | "canonical";
  /** The Rust crate whose checks of the signature apply. */
  readonly signatures: SignatureRules;
  /** Number of digits of an object id: 1 to 40, or exactly 40. */
  readonly oids: "short" | "full";
  /** Whether a signed `refs/rad/root` must be the root of this repository's identity. */
  readonly checksRoot: boolean;
  /**
   * Whether parents and levels are judged. Below the highest level, the whole history is judged. Then the
   * lines `refs/rad/sigrefs` and `refs/rad/sigrefs-parent` are not references.
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

/** The author's signature of an entry. */
import { verifyQuickly } from "../../keys/ed25519.ts";
import { type SignatureRules, type SignedMessage, verifyExactly } from "../../keys/signature_rules.ts";
import type { Task } from "../../scheduling/task.ts";

/**
 * Maximum number of signatures of one object that are verified in TypeScript. This is necessary for
 * signatures that WebCrypto cannot verify in the same way as the Radicle programs. Verifying one such
 * signature takes about 1.5 ms. No program makes such signatures. Beyond this number, such signatures are
 * treated as invalid.
 */
export const MAX_EXACT_CHECKS = 256;

/** Limits how many signatures of an object are verified in TypeScript. */
export class ExactChecks {
  #left = MAX_EXACT_CHECKS;

  /** Counts one signature. Returns `false` when the limit is exceeded. */
  take(): boolean {
    return this.#left-- > 0;
  }
}

export interface EntrySignature {
  /**
   * Returns whether the signature is valid. Each call for a signature that must be verified in TypeScript is
   * counted in `checks`.
   */
  verify(checks: ExactChecks, task: Task): Promise<boolean>;
}

/** Starts to verify a signature with WebCrypto, so that further entries can be read meanwhile. */
export function beginToVerify(rules: SignatureRules, signed: SignedMessage): EntrySignature {
  const quick = verifyQuickly(rules, signed);
  let exact: boolean | undefined;
  return {
    async verify(checks, task) {
      const isValid = await quick;
      if (isValid !== undefined) return isValid;
      if (!checks.take()) return false;
      return exact ??= await task.run(verifyExactly(rules, signed));
    },
  };
}

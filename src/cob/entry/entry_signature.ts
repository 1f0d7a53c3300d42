/**
 * Verifies the author's signature of an entry (a signed change of an issue, a patch or another collaborative
 * object).
 */
import { verifyQuickly } from "../../keys/ed25519.ts";
import { type SignatureRules, type SignedMessage, verifyExactly } from "../../keys/signature_rules.ts";
import type { Task } from "../../scheduling/task.ts";

/**
 * Maximum number of signatures of one object that are verified in TypeScript. WebCrypto verifies all other
 * signatures. Only signatures that no program makes are verified in TypeScript, in about 1.5 ms each. Beyond
 * this number, such signatures count as invalid.
 */
export const MAX_EXACT_CHECKS = 256;

/** Limits how many signatures of one object are verified in TypeScript. */
export class ExactChecks {
  #left = MAX_EXACT_CHECKS;

  /** Counts one signature. Returns `false` when the limit is exceeded. */
  take(): boolean {
    return this.#left-- > 0;
  }
}

export interface EntrySignature {
  /**
   * Returns whether the signature is valid. If the signature must be verified in TypeScript, the call is
   * counted in `checks`, and returns `false` beyond its limit.
   */
  verify(checks: ExactChecks, task: Task): Promise<boolean>;
}

/** Starts to verify a signature with WebCrypto. The caller can read further entries meanwhile. */
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

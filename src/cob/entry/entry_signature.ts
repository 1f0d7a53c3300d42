/** The author's signature of an entry. */
import { verifyQuickly } from "../../keys/ed25519.ts";
import { type SignatureRules, type SignedMessage, verifyExactly } from "../../keys/signature_rules.ts";
import type { Task } from "../../scheduling/task.ts";

/**
 * Signatures of one object that are computed in TypeScript, about 1.5 ms each, since WebCrypto cannot judge
 * them as the real programs do. No program makes such signatures. Beyond this number they count as invalid.
 */
export const MAX_EXACT_CHECKS = 256;

/** Limits how many signatures of an object are computed in TypeScript. */
export class ExactChecks {
  #left = MAX_EXACT_CHECKS;

  /** Takes one check; returns `false` when all have been used. */
  take(): boolean {
    return this.#left-- > 0;
  }
}

export interface EntrySignature {
  /**
   * Whether the signature verifies. Each call for a signature that needs an exact check takes one from
   * `checks`.
   */
  verify(checks: ExactChecks, task: Task): Promise<boolean>;
}

/** Starts to verify a signature by WebCrypto, so that further entries can be read meanwhile. */
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

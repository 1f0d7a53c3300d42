/** The author's signature of an entry. */
import { verifyQuickly } from "../../keys/ed25519.ts";
import { type SignatureRules, type SignedMessage, verifyExactly } from "../../keys/signature_rules.ts";
import type { Task } from "../../scheduling/task.ts";

/**
 * Signatures of one object that are computed in TypeScript, about 1.5 ms each, since WebCrypto cannot judge
 * them as the real programs do. No program makes such signatures; further ones do not verify.
 */
export const MAX_EXACT_CHECKS = 256;

/** How many signatures of an object may still be computed in TypeScript. */
export class ExactChecks {
  #left = MAX_EXACT_CHECKS;

  /** Takes one; `false` when none is left. */
  take(): boolean {
    return this.#left-- > 0;
  }
}

/** A signature that is being verified, or has been. */
export interface EntrySignature {
  /** Whether the signature verifies. A signature that takes an exact check counts each time. */
  verify(checks: ExactChecks, task: Task): Promise<boolean>;
}

/** Begins to verify a signature by WebCrypto, while further entries are read. */
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

/**
 * The verdicts of the Rust crates on the crafted signatures (`crafted_signatures.ts`), recorded by
 * `test/interop/`.
 */
import verdicts from "../fixtures/signature-verdicts.json" with { type: "json" };

/** Name of the signature → one digit for `ec25519` and one for `ed25519-dalek`, 1 for "accepted". */
export function recordedVerdicts(): ReadonlyMap<string, string> {
  return new Map(Object.entries(verdicts));
}

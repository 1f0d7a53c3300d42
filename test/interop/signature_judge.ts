/** Asks programs what they make of Ed25519 signatures: `signature_judge/` in Rust, or ours on a runtime. */
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { NamedSignature } from "../support/crafted_signatures.ts";
import { programsFolder } from "../support/programs.ts";

const MAX_OUTPUT_BYTES = 2 ** 26;

/** The verdict of the Rust crates on each signature: a digit for `ec25519` and one for `ed25519-dalek`. */
export function judgeSignatures(signatures: readonly NamedSignature[]): readonly string[] {
  const program = join(programsFolder(), "signature-judge", "bin", "signature-judge");
  return verdictsOf([program], signatures);
}

/** The lines that a program prints about signatures, one for each. */
export function verdictsOf(
  [program, ...args]: readonly string[],
  signatures: readonly NamedSignature[],
): readonly string[] {
  const input = signatures.map(toLine).join("");
  const output = execFileSync(program!, args, { input, encoding: "utf8", maxBuffer: MAX_OUTPUT_BYTES });
  return output.trimEnd().split("\n");
}

function toLine({ publicKey, message, signature }: NamedSignature): string {
  return `${[publicKey, message, signature].map((bytes) => Buffer.from(bytes).toString("hex")).join(" ")}\n`;
}

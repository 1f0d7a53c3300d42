/**
 * Judges signatures as `signature_judge/` does, by our code on this runtime: a public key, a message and a
 * signature a line. A third digit says what counts where both crates must accept.
 */
import process from "node:process";
import { createInterface } from "node:readline";
import { verifyEd25519 } from "../../src/keys/ed25519.ts";

const RULES = ["ec25519", "ed25519-dalek", "both"] as const;

const toBytes = (digits: string) => Uint8Array.from(digits.match(/../g) ?? [], (byte) => parseInt(byte, 16));

let output = "";
for await (const line of createInterface({ input: process.stdin })) {
  const [publicKey, message, signature] = line.split(" ").map(toBytes);
  for (const rules of RULES) {
    output += Number(
      await verifyEd25519(rules, { publicKey: publicKey!, message: message!, signature: signature! }),
    );
  }
  output += "\n";
}
process.stdout.write(output);

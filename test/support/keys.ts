/** Signers with known secrets. */
import { importEd25519 } from "../../src/keys/ed25519.ts";
import { formatNid } from "../../src/ids/nid.ts";
import type { Signer } from "../../src/ports/signer.ts";

/** The signer with a secret of 64 hexadecimal digits or 32 bytes. */
export async function signerOf(secret: string | Uint8Array): Promise<Signer> {
  const key = await importEd25519(typeof secret === "string" ? fromHex(secret) : Uint8Array.from(secret));
  return { nodeId: formatNid(key.publicKey), sign: (message) => key.sign(message) };
}

function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(digits.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

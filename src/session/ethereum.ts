/** The little of Ethereum that signing in needs: addresses (EIP-55) and signatures over texts (EIP-191, version 0x45). */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base16 } from "@scure/base";

/** Bytes in a signature: r and s of 32 each, and one that helps to recover the key. */
export const WALLET_SIGNATURE_BYTES = 65;

const ADDRESS_BYTES = 20;
const encoder = new TextEncoder();

/** Whether upper and lower case of `0x` and 40 hexadecimal digits are the checksum that EIP-55 puts there. */
export function isChecksummedAddress(address: string): boolean {
  const digits = address.slice(2);
  const hash = toHex(keccak_256(encoder.encode(digits.toLowerCase())));
  return [...digits].every((digit, i) => {
    const isUpper = parseInt(hash[i]!, 16) >= 8;
    return digit === (isUpper ? digit.toUpperCase() : digit.toLowerCase());
  });
}

/**
 * The address whose key signed a text: `0x` and 40 lower-case hexadecimal digits. `undefined` when the 65 bytes are no signature at all.
 * Contract wallets, which have no key, cannot sign in.
 */
export async function recoverSigner(text: string, signature: Uint8Array): Promise<string | undefined> {
  // On first need: building the curve takes a start-up several milliseconds.
  const { secp256k1 } = await import("@noble/curves/secp256k1.js");
  // Wallets write 27 or 28, some libraries 0 or 1.
  const recovery = signature[WALLET_SIGNATURE_BYTES - 1]! % 27;
  const bytes = encoder.encode(text);
  const prefix = encoder.encode(`\x19Ethereum Signed Message:\n${bytes.length}`);
  const hash = keccak_256(Uint8Array.of(...prefix, ...bytes));
  try {
    const key = secp256k1.Signature
      .fromBytes(signature.subarray(0, WALLET_SIGNATURE_BYTES - 1), "compact")
      .addRecoveryBit(recovery)
      .recoverPublicKey(hash)
      .toBytes(false);
    return `0x${toHex(keccak_256(key.subarray(1)).subarray(-ADDRESS_BYTES))}`;
  } catch {
    return undefined;
  }
}

function toHex(bytes: Uint8Array): string {
  return base16.encode(bytes).toLowerCase();
}

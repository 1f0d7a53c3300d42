/**
 * The parts of Ethereum that sign-in needs: addresses (EIP-55) and signatures of texts (EIP-191, version
 * 0x45).
 */
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base16 } from "@scure/base";

/** Length of a signature, in bytes: r and s of 32 bytes each, and the recovery byte. */
export const WALLET_SIGNATURE_BYTES = 65;

const ADDRESS_BYTES = 20;
const encoder = new TextEncoder();

/**
 * Checks whether the upper and lower case letters of an address match the checksum of EIP-55. The address is
 * `0x` and 40 hexadecimal digits.
 */
export function isChecksummedAddress(address: string): boolean {
  const digits = address.slice(2);
  const hash = toHex(keccak_256(encoder.encode(digits.toLowerCase())));
  return [...digits].every((digit, i) => {
    const isUpper = parseInt(hash[i]!, 16) >= 8;
    return digit === (isUpper ? digit.toUpperCase() : digit.toLowerCase());
  });
}

/**
 * Returns the address whose key has signed a text, as `0x` and 40 hexadecimal digits in lower case;
 * `undefined` when the 65 bytes are not a signature.
 */
export async function recoverSigner(text: string, signature: Uint8Array): Promise<string | undefined> {
  // The module is loaded on first use, because creating the curve would make the start milliseconds longer.
  const { secp256k1 } = await import("@noble/curves/secp256k1.js");
  // The recovery byte is 27 or 28 in signatures of wallets, and 0 or 1 in signatures of some libraries.
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

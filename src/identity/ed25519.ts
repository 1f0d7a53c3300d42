/** Ed25519 signatures (RFC 8032), by the runtime's WebCrypto where it has them, in TypeScript elsewhere. */
import * as noble from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";

/** Bytes in a signature. */
export const SIGNATURE_BYTES = 64;

noble.hashes.sha512 = sha512;

/** Whether `signature` (64 bytes) is that of `publicKey` (32 bytes) over `message`; `false` for whatever is malformed. */
export async function verifyEd25519(
  publicKey: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    const key = await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
    return await crypto.subtle.verify("Ed25519", key, signature, message);
  } catch {
    try {
      return noble.verify(signature, message, publicKey);
    } catch {
      return false;
    }
  }
}

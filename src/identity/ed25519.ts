/** Ed25519 signatures (RFC 8032), by the runtime's WebCrypto if it supports them, else in TypeScript. */
import * as noble from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { smallTable } from "../cache/memory.ts";
import { ApiError } from "../errors.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Signer } from "../ports/signer.ts";

/** Bytes in a signature. */
export const SIGNATURE_BYTES = 64;
/** Bytes in a secret key of RFC 8032, often called the seed. */
export const SECRET_KEY_BYTES = 32;

/** A public key of WebCrypto. */
interface PublicKey {
  /** Ends when the key has been imported. Never rejects. */
  readonly imported: Promise<void>;
  isImported: boolean;
  /** Absent where WebCrypto has no Ed25519 or refuses the key. */
  key?: CryptoKey;
}

/** Public keys imported into WebCrypto: importing one takes as long as verifying a signature. */
const keys = smallTable<string, PublicKey>("publicKeys");

/** PKCS #8 prefix of a 32-byte secret key, the form that WebCrypto imports (RFC 8410, 7). */
const PKCS8_PREFIX = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

noble.hashes.sha512 = sha512;

/**
 * Verifies a signature (64 bytes) of a public key (32 bytes) over a message; `false` for malformed input.
 *
 * Some runtimes compute in the thread of the caller: before the call returns if the public key has been
 * imported ({@link importPublicKey}), which counts as work of the caller, else in a microtask.
 */
export function verifyEd25519(
  publicKey: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (signature.length !== SIGNATURE_BYTES) return Promise.resolve(false);
  const found = publicKeyOf(publicKey);
  const verify = () => verifyWith(found.key, publicKey, message, signature);
  return found.isImported ? verify() : found.imported.then(verify);
}

/** Imports a public key of 32 bytes into WebCrypto; `undefined` when it has been imported lately. */
export function importPublicKey(publicKey: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
  const { isImported, imported } = publicKeyOf(publicKey);
  return isImported ? undefined : imported;
}

function publicKeyOf(publicKey: Uint8Array<ArrayBuffer>): PublicKey {
  return keys.getOrMake(publicKey.join(), () => {
    const imported = Promise.withResolvers<void>();
    const made: PublicKey = { imported: imported.promise, isImported: false };
    const end = (key?: CryptoKey) => {
      made.isImported = true;
      if (key !== undefined) made.key = key;
      imported.resolve();
    };
    importNativePublic(publicKey).then(end, () => end());
    return made;
  });
}

async function importNativePublic(publicKey: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
}

async function verifyWith(
  key: CryptoKey | undefined,
  publicKey: Uint8Array<ArrayBuffer>,
  message: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    if (key !== undefined) return await crypto.subtle.verify("Ed25519", key, signature, message);
  } catch {
    // The other implementation decides.
  }
  try {
    return noble.verify(signature, message, publicKey);
  } catch {
    return false;
  }
}

/** A secret key that can sign. */
export interface Ed25519Key {
  /** 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Signs a message; the signature has 64 bytes. */
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** Imports a secret of 32 bytes, which the caller may overwrite afterwards. */
export async function importEd25519(secret: Uint8Array<ArrayBuffer>): Promise<Ed25519Key> {
  const publicKey = Uint8Array.from(noble.getPublicKey(secret));
  const key = await importNative(secret);
  if (key !== undefined) {
    return {
      publicKey,
      sign: async (message) => new Uint8Array(await crypto.subtle.sign("Ed25519", key, message)),
    };
  }
  const copy = secret.slice();
  return { publicKey, sign: (message) => Promise.resolve(Uint8Array.from(noble.sign(message, copy))) };
}

/** Imports a secret as a non-extractable WebCrypto key; `undefined` where WebCrypto has no Ed25519. */
async function importNative(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey | undefined> {
  const pkcs8 = new Uint8Array(PKCS8_PREFIX.length + SECRET_KEY_BYTES);
  pkcs8.set(PKCS8_PREFIX);
  pkcs8.set(secret, PKCS8_PREFIX.length);
  try {
    return await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
  } catch {
    return undefined;
  } finally {
    pkcs8.fill(0);
  }
}

/**
 * The signature of the node `nid` over a message, 64 bytes. It is verified before use: agents and keys can be
 * broken, and no program would accept an invalid one.
 *
 * @throws {ApiError} `unauthorized` when the signer's result does not verify.
 */
export async function signVerified(
  signer: Signer,
  nid: NodeId,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const signature = await signer.sign(message);
  if (!await verifyEd25519(nidToPublicKey(nid), message, signature)) {
    throw new ApiError("unauthorized", "The node's key has given a signature that does not verify");
  }
  return signature;
}

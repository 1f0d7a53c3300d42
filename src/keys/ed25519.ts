/**
 * Verifies and creates Ed25519 signatures (RFC 8032). If WebCrypto of the runtime does not support Ed25519,
 * the signatures are computed in TypeScript.
 */
import * as noble from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { UnauthorizedError } from "../errors.ts";
import { fixedCache } from "../cache/memory.ts";
import { nidToPublicKey, type NodeId, PUBLIC_KEY_BYTES } from "../ids/nid.ts";
import type { Signer } from "../ports/signer.ts";
import { runSync, Task } from "../scheduling/task.ts";
import {
  hasCanonicalScalar,
  isOddKey,
  isWeakKey,
  type SignatureRules,
  type SignedMessage,
  verifyExactly,
} from "./signature_rules.ts";

/** Length of a signature, in bytes. */
export const SIGNATURE_BYTES = 64;
/** Length of a secret key of RFC 8032 (often called the seed), in bytes. */
export const SECRET_KEY_BYTES = 32;

interface PublicKey {
  /** Resolves when the import has ended. Never rejects. */
  readonly imported: Promise<void>;
  isImported: boolean;
  /** The imported key. Absent if WebCrypto does not support Ed25519 or refuses the key. */
  key?: CryptoKey;
}

/** Approximate memory of an imported key, in bytes. */
const IMPORTED_KEY_BYTES = 512;

/**
 * Public keys that were imported into WebCrypto. They are cached, because importing a key takes as long as
 * verifying a signature.
 */
const keys = fixedCache<string, PublicKey>("publicKeys", () => IMPORTED_KEY_BYTES);

/** Prefix of a 32-byte secret key in PKCS #8, the format that WebCrypto imports (RFC 8410, 7). */
const PKCS8_PREFIX = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

noble.hashes.sha512 = sha512;

/**
 * Verifies a signature by the given rules. Returns `false` for malformed input.
 *
 * @param task Yields during checks that are computed in TypeScript.
 */
export async function verifyEd25519(
  rules: SignatureRules,
  signed: SignedMessage,
  task: Task = new Task(),
): Promise<boolean> {
  return await verifyQuickly(rules, signed) ?? await task.run(verifyExactly(rules, signed));
}

/**
 * Verifies a signature by WebCrypto. Returns `undefined` for unusual signatures, which Radicle programs never
 * create, and which only {@link verifyExactly} can verify.
 *
 * If WebCrypto accepts a signature, the signature is valid under all rules, because WebCrypto compares R with
 * SB − H(R, A, M)A. The only exceptions are the keys of {@link isWeakKey}. If WebCrypto refuses a signature,
 * the signature is also invalid for `ed25519-dalek`, which makes the same comparison, except for the keys of
 * {@link isOddKey}, which runtimes treat differently.
 *
 * Some runtimes verify signatures in the thread of the caller. If the public key has been imported
 * ({@link importPublicKey}), they verify the signature before the call returns, so that the time is counted
 * as work of the caller.
 */
export function verifyQuickly(
  rules: SignatureRules,
  signed: SignedMessage,
): Promise<boolean | undefined> {
  const { publicKey, signature } = signed;
  const isFalse = publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES ||
    !hasCanonicalScalar(signature) || rules !== "ed25519-dalek" && isWeakKey(publicKey);
  if (isFalse) return Promise.resolve(false);
  const found = publicKeyOf(publicKey);
  return found.isImported
    ? verifyNatively(rules, found.key, signed)
    : found.imported.then(() => verifyNatively(rules, found.key, signed));
}

/** Imports a public key of 32 bytes into WebCrypto. Returns `undefined` when the key is already imported. */
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

let supported: Promise<boolean> | undefined;

/** Checks whether WebCrypto supports Ed25519 in this runtime, by importing the base point as a key. */
function hasNative(): Promise<boolean> {
  return supported ??= importNativePublic(noble.Point.BASE.toBytes()).then(() => true, () => false);
}

async function importNativePublic(publicKey: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]);
}

async function verifyNatively(
  rules: SignatureRules,
  key: CryptoKey | undefined,
  signed: SignedMessage,
): Promise<boolean | undefined> {
  const { publicKey, message, signature } = signed;
  try {
    if (key !== undefined && await crypto.subtle.verify("Ed25519", key, signature, message)) return true;
  } catch {
    // WebCrypto cannot use the key.
  }
  if (key === undefined && !await hasNative()) return runSync(verifyExactly(rules, signed));
  return rules === "ec25519" || isOddKey(publicKey) ? undefined : false;
}

export interface Ed25519Key {
  /** Public key of 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Signs a message. The signature has 64 bytes. */
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** Imports a secret key of 32 bytes. The caller may overwrite the bytes afterwards. */
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

/**
 * Imports a secret key as a WebCrypto key that cannot be exported. Returns `undefined` if WebCrypto does not
 * support Ed25519.
 */
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
 * Signs a message for the node `nid`, and returns the 64 bytes of the signature. The signature is verified
 * before it is returned, because the signer may be broken, and no program would accept an invalid signature.
 *
 * @throws {UnauthorizedError} when the signature does not verify.
 */
export async function signVerified(
  signer: Signer,
  nid: NodeId,
  message: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const signature = await signer.sign(message);
  if (!await verifyEd25519("both", { publicKey: nidToPublicKey(nid), message, signature })) {
    throw new UnauthorizedError("The node's key has given a signature that does not verify");
  }
  return signature;
}

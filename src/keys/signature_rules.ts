/**
 * Verifies Ed25519 signatures exactly as the Radicle programs do, by the rules of the Rust crates that these
 * programs use. The crates and WebCrypto agree about every signature that a program creates normally, but not
 * about crafted signatures.
 */
import { Point } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { isSameBytes } from "../bytes/bytes.ts";
import type { Steps } from "../scheduling/task.ts";

/**
 * The rules of a Rust crate. `ec25519` means version 0.1.0, in programs up to `radicle-crypto` 0.17.
 * `ed25519-dalek` means version 2 (its `verify`, not `verify_strict`), in newer programs. `both` accepts only
 * signatures that both crates accept.
 *
 * Both crates refuse S ≥ L, and keys that do not encode a point. Both accept two encodings that RFC 8032 does
 * not allow: a y of at least p, and x = 0 with its sign bit set. With P = SB − H(R, A, M)A, they then have
 * different conditions:
 *
 * - `ed25519-dalek`: The bytes of R must be equal to the encoding of P. A key may have a small order.
 * - `ec25519`: R must encode a point, and R − P must have a small order. Three encodings of keys are refused:
 *   the identity with either sign, and 32 zero bytes ({@link isWeakKey}). The crate's test of the small order
 *   finds only half of the points of order 8 ({@link isNearby}).
 */
export type SignatureRules = "ec25519" | "ed25519-dalek" | "both";

/** A signature, its message, and the public key that claims to have signed the message. */
export interface SignedMessage {
  /** Public key of 32 bytes. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly message: Uint8Array<ArrayBuffer>;
  /** Signature of 64 bytes: R and S. */
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Length of R, of S and of a public key, in bytes. */
const HALF_BYTES = 32;
/** Number of bytes of a message that are hashed before a pause. */
const HASHED_BYTES = 64 * 1024;

const { p: P, n: L } = Point.CURVE();
/** The square root of −1 that the crates use: 2^((p − 1) / 4). */
const SQRT_MINUS_1 = 0x2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0n;

/** The y coordinate of some points of order 8. */
const ORDER_8_Y = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
/** The y coordinates of all points of order 1, 2, 4 and 8. */
const SMALL_ORDER_YS = new Set([1n, P - 1n, 0n, ORDER_8_Y, P - ORDER_8_Y]);

/**
 * Checks whether S is below the order of the base point. WebCrypto and the crates refuse all other
 * signatures.
 */
export function hasCanonicalScalar(signature: Uint8Array): boolean {
  // The highest bit of the order is 2^252.
  return signature.at(-1)! < 0x10 || toNumber(signature.subarray(HALF_BYTES)) < L;
}

/** Checks whether `ec25519` refuses a key, whatever the signature is. */
export function isWeakKey(publicKey: Uint8Array): boolean {
  const first = publicKey[0]!;
  const last = publicKey[HALF_BYTES - 1]!;
  if (publicKey.subarray(1, HALF_BYTES - 1).some((byte) => byte !== 0)) return false;
  return first === 1 ? (last & 0x7f) === 0 : first === 0 && last === 0;
}

/**
 * Checks whether runtimes may treat a key differently, because its y is at least p or belongs to a point of
 * small order.
 */
export function isOddKey(publicKey: Uint8Array): boolean {
  const y = toNumber(publicKey) & (2n ** 255n - 1n);
  return y >= P || SMALL_ORDER_YS.has(y);
}

/**
 * Verifies a signature by the rules. This takes about 1.5 ms of computing, with pauses. The caller must check
 * the lengths of the key and the signature.
 */
export function* verifyExactly(
  rules: SignatureRules,
  { publicKey, message, signature }: SignedMessage,
): Steps<boolean> {
  if (!hasCanonicalScalar(signature) || rules !== "ed25519-dalek" && isWeakKey(publicKey)) return false;
  const key = decode(publicKey);
  if (key === undefined) return false;
  const r = signature.subarray(0, HALF_BYTES);
  const commitment = decode(r);
  if (commitment === undefined) return false;
  const hash = toNumber(yield* hashOf([r, publicKey, message])) % L;
  const fromKey = key.multiplyUnsafe(hash);
  yield undefined;
  const point = Point.BASE.multiplyUnsafe(toNumber(signature.subarray(HALF_BYTES))).subtract(fromKey);
  yield undefined;
  if (rules !== "ec25519") return isSameBytes(point.toBytes(), r);
  return isNearby(commitment, point);
}

/**
 * Checks whether `ec25519` treats the difference of two points as a point of small order. The crate's
 * `has_small_order` accepts x = 0, y = 0 and x = √−1 · y, and therefore two of the four points of order 8.
 * For x = −√−1 · y, the crate compares limbs that are not reduced, which are never equal. Before
 * `has_small_order`, the crate converts SB − hA to extended coordinates with T = XY instead of XY/Z. With the
 * wrong T, points of the orders 1, 2 and 4 are still recognized. A point of order 8 is recognized only if T
 * does not matter because a coordinate is 0. Otherwise the result depends on Z, and the point is refused for
 * all but one Z in 2^255.
 */
function isNearby(a: Point, b: Point): boolean {
  const { x: ax, y: ay } = a.toAffine();
  const { x: bx, y: by } = b.toAffine();
  const x = modP(ax * by - ay * bx);
  const y = modP(ay * by - ax * bx);
  if (x === 0n || y === 0n) return true;
  const isExact = modP(ax * ay) === 0n || modP(bx * by) === 0n;
  return isExact && x === modP(SQRT_MINUS_1 * y);
}

/** Decodes a point from 32 bytes, by the less strict rules of the crates, which are the rules of ZIP 215. */
function decode(bytes: Uint8Array): Point | undefined {
  try {
    return Point.fromBytes(bytes, true);
  } catch {
    return undefined;
  }
}

function* hashOf(parts: readonly Uint8Array[]): Steps<Uint8Array> {
  const hash = sha512.create();
  for (const part of parts) {
    for (let at = 0; at < part.length; at += HASHED_BYTES) {
      hash.update(part.subarray(at, at + HASHED_BYTES));
      if (part.length > HASHED_BYTES) yield undefined;
    }
  }
  return hash.digest();
}

/** Decodes a number from bytes in little-endian order. */
function toNumber(bytes: Uint8Array): bigint {
  let digits = "";
  for (const byte of bytes) digits = byte.toString(16).padStart(2, "0") + digits;
  return BigInt(`0x${digits}`);
}

function modP(value: bigint): bigint {
  const rest = value % P;
  return rest < 0n ? rest + P : rest;
}

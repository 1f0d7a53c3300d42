/**
 * Ed25519 signatures that no program makes: points of small order added to R and to keys, encodings that
 * RFC 8032 does not allow, S at its bounds. The Radicle programs accept some of them.
 */
import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import type { SignedMessage } from "../../src/keys/signature_rules.ts";
import { createRandom, type Random } from "../cob/random.ts";

const { Point } = ed25519;
type Point = InstanceType<typeof Point>;
type Bytes = Uint8Array<ArrayBuffer>;

ed25519.hashes.sha512 = sha512;
const { p: P, n: L } = Point.CURVE();
/** The square root of −1 that is the x of a point of order 4. */
const SQRT_MINUS_1 = 0x2b8324804fc1df0b2b4d00993dfbd7a72f431806ad2fe478c4ee1b274a0ea0b0n;
const encoder = new TextEncoder();

/** A signature with a name for its oddity. */
export interface NamedSignature extends SignedMessage {
  readonly name: string;
}

/** The points of small order, T, 2T, … 8T; the last is the identity. */
export const TORSION: readonly Point[] = (() => {
  const first = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a");
  const points = [first];
  while (points.length < 8) points.push(points.at(-1)!.add(first));
  return points;
})();

function toBytes(value: bigint): Bytes {
  return Uint8Array.from({ length: 32 }, (_, at) => Number(value >> BigInt(8 * at) & 255n));
}

function toNumber(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => value << 8n | BigInt(byte), 0n);
}

/** All encodings of a point that a lax reader accepts: either sign for x = 0, and y + p where it fits. */
export function encodingsOf(point: Point): Bytes[] {
  const { x, y } = point.toAffine();
  const signs = x === 0n ? [0n, 1n] : [x & 1n];
  const ys = y + P < 2n ** 255n ? [y, y + P] : [y];
  return ys.flatMap((y) => signs.map((sign) => toBytes(y | sign << 255n)));
}

function hashOf(r: Uint8Array, publicKey: Uint8Array, message: Uint8Array): bigint {
  const hash = sha512.create().update(r).update(publicKey).update(message);
  return toNumber(hash.digest()) % L;
}

function times(point: Point, scalar: bigint): Point {
  return point.multiplyUnsafe(scalar);
}

function claim(publicKey: Bytes, message: Bytes, r: Uint8Array, s: bigint): SignedMessage {
  return { publicKey, message, signature: Uint8Array.from([...r, ...toBytes(s)]) };
}

/** A signature by a secret. A point of small order is added to its R and to its key. */
export function signMixed(
  seed: Uint8Array,
  message: Uint8Array,
  toR: Point = Point.ZERO,
  toKey: Point = Point.ZERO,
): SignedMessage {
  const { scalar, point, prefix } = ed25519.utils.getExtendedPublicKey(seed);
  const publicKey = Uint8Array.from(point.add(toKey).toBytes());
  const nonce = toNumber(sha512.create().update(prefix).update(message).digest()) % L;
  const r = times(Point.BASE, nonce).add(toR).toBytes();
  const signed = Uint8Array.from(message);
  return claim(publicKey, signed, r, (nonce + hashOf(r, publicKey, message) * scalar) % L);
}

function seedOf(random: Random): Bytes {
  return Uint8Array.from({ length: 32 }, () => random.below(256));
}

function messageOf(random: Random): Bytes {
  return Uint8Array.from({ length: random.below(60) }, () => random.below(256));
}

/** Several hundred cases, one of each oddity. They are the same in every run. */
export function craftedSignatures(): NamedSignature[] {
  const random = createRandom(44);
  const cases: NamedSignature[] = [];
  const add = (name: string, signed: SignedMessage) => cases.push({ name, ...signed });

  for (let key = 0; key < 6; key++) {
    const seed = seedOf(random);
    for (const [i, toR] of TORSION.entries()) {
      add(`key ${key}, R + ${i + 1}T`, signMixed(seed, messageOf(random), toR));
      const mixed = signMixed(seed, messageOf(random), Point.ZERO, TORSION[i]);
      add(`key ${key} + ${i + 1}T`, mixed);
      add(
        `key ${key} + ${i + 1}T, R + ${key + 1}T`,
        signMixed(seed, messageOf(random), TORSION[key], TORSION[i]),
      );
    }
  }

  // Keys of small order need no secret: SB − hA differs from SB by a point of small order.
  for (const [i, key] of TORSION.entries()) {
    for (const [form, publicKey] of encodingsOf(key).entries()) {
      for (const [j, toR] of TORSION.entries()) {
        for (const s of [0n, 1n, toNumber(seedOf(random)) % L]) {
          const sB = times(Point.BASE, s);
          for (const [rForm, r] of encodingsOf(sB.add(toR)).entries()) {
            const name = `key ${i + 1}T, form ${form}; R = ${s > 1n ? "s" : s}B + ${j + 1}T, form ${rForm}`;
            add(name, claim(publicKey, messageOf(random), r, s));
          }
        }
      }
      for (
        const [name, s] of [["L - 1", L - 1n], ["L", L], ["L + 1", L + 1n], ["2^252", 2n ** 252n]] as const
      ) {
        const r = Uint8Array.from(times(Point.BASE, s % L).toBytes());
        add(`key ${i + 1}T, form ${form}; S = ${name}`, claim(publicKey, messageOf(random), r, s));
      }
    }
  }

  // Keys with an unknown secret and y ≥ p, and keys and R that do not encode a point.
  const seed = seedOf(random);
  const good = signMixed(seed, encoder.encode("good"));
  const s = toNumber(good.signature.subarray(32));
  for (let y = 0n; y < 19n; y++) {
    for (const sign of [0n, 1n]) {
      const bytes = toBytes(y + P | sign << 255n);
      add(`key y = p + ${y}, sign ${sign}`, { ...good, publicKey: bytes });
      add(`R y = p + ${y}, sign ${sign}`, claim(good.publicKey, good.message, bytes, s));
      add(`R y = ${y}, sign ${sign}`, claim(good.publicKey, good.message, toBytes(y | sign << 255n), s));
    }
  }
  for (
    const [name, value] of Object.entries({ "0": 0n, "L": L, "L - 1": L - 1n, "2^256 - 1": 2n ** 256n - 1n })
  ) {
    add(`S = ${name}`, claim(good.publicKey, good.message, good.signature.subarray(0, 32), value));
  }
  for (let multiple = 1n; (s + multiple * L) < 2n ** 256n; multiple++) {
    add(
      `S + ${multiple}L`,
      claim(good.publicKey, good.message, good.signature.subarray(0, 32), s + multiple * L),
    );
  }
  add("all zeros", claim(new Uint8Array(32), good.message, new Uint8Array(32), 0n));
  add(
    "all ones",
    claim(new Uint8Array(32).fill(255), good.message, new Uint8Array(32).fill(255), 2n ** 256n - 1n),
  );
  add("key is the base point", { ...good, publicKey: Uint8Array.from(Point.BASE.toBytes()) });
  add("key is minus the key", {
    ...good,
    publicKey: Uint8Array.from(Point.fromBytes(good.publicKey).negate().toBytes()),
  });
  add("R is minus R", claim(good.publicKey, good.message, negated(good.signature.subarray(0, 32)), s));
  add("-S", claim(good.publicKey, good.message, good.signature.subarray(0, 32), L - s));
  add("-R, -S", claim(good.publicKey, good.message, negated(good.signature.subarray(0, 32)), L - s));
  add(
    "R of order 4 off the key",
    claim(good.publicKey, good.message, Point.fromAffine({ x: SQRT_MINUS_1, y: 0n }).toBytes(), 0n),
  );
  return cases;
}

function negated(bytes: Uint8Array): Bytes {
  return Uint8Array.from(Point.fromBytes(bytes).negate().toBytes());
}

/** Random signatures: a third is good, the others have something changed. */
export function* randomSignatures(seed: number, count: number): Generator<NamedSignature> {
  const random = createRandom(seed);
  const changes: readonly [string, (good: SignedMessage, seed: Uint8Array) => SignedMessage][] = [
    ["good", (good) => good],
    ["good", (good) => good],
    ["a bit of R", (good) => ({ ...good, signature: flipped(good.signature, random.below(256)) })],
    ["a bit of S", (good) => ({ ...good, signature: flipped(good.signature, 256 + random.below(256)) })],
    ["a bit of the key", (good) => ({ ...good, publicKey: flipped(good.publicKey, random.below(256)) })],
    ["another message", (good) => ({ ...good, message: encoder.encode("another") })],
    [
      "random R and S",
      (good) => ({ ...good, signature: Uint8Array.from([...seedOf(random), ...seedOf(random)]) }),
    ],
    ["R + torsion", ({ message }, seed) => signMixed(seed, message, random.pick(TORSION))],
    [
      "both + torsion",
      ({ message }, seed) => signMixed(seed, message, random.pick(TORSION), random.pick(TORSION)),
    ],
  ];
  for (let i = 0; i < count; i++) {
    const seed = seedOf(random);
    const [name, change] = random.pick(changes);
    yield { name: `${i}: ${name}`, ...change(signMixed(seed, messageOf(random)), seed) };
  }
}

function flipped(bytes: Uint8Array, bit: number): Bytes {
  const changed = Uint8Array.from(bytes);
  changed[bit >> 3]! ^= 1 << (bit & 7);
  return changed;
}

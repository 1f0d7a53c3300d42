/** A wallet for tests: an address that signs messages. */
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { base16 } from "@scure/base";

const encoder = new TextEncoder();
const toHex = (bytes: Uint8Array) => base16.encode(bytes).toLowerCase();

/** A key of 32 equal bytes. */
export class Wallet {
  readonly #secret: Uint8Array;
  /** With the checksum of EIP-55. */
  readonly address: string;

  constructor(byte: number) {
    this.#secret = new Uint8Array(32).fill(byte);
    const publicKey = secp256k1.getPublicKey(this.#secret, false);
    const digits = toHex(keccak_256(publicKey.subarray(1)).subarray(-20));
    const hash = toHex(keccak_256(encoder.encode(digits)));
    this.address = "0x" +
      [...digits].map((digit, i) => hash[i]! >= "8" ? digit.toUpperCase() : digit).join("");
  }

  /** The signature of EIP-191 over a text: r, s and 27 or 28. */
  sign(text: string): Uint8Array<ArrayBuffer> {
    const bytes = encoder.encode(text);
    const prefix = encoder.encode(`\x19Ethereum Signed Message:\n${bytes.length}`);
    const hash = keccak_256(Uint8Array.of(...prefix, ...bytes));
    const [recovery, ...rs] = secp256k1.sign(hash, this.#secret, { prehash: false, format: "recovered" });
    return Uint8Array.of(...rs, 27 + recovery!);
  }

  /** The same as 130 hexadecimal digits after `0x`. */
  signHex(text: string): string {
    return `0x${toHex(this.sign(text))}`;
  }
}

/** What a message may say otherwise. */
export interface MessageParts {
  readonly domain?: string;
  readonly address: string;
  readonly nonce: string;
  readonly uri?: string;
  readonly chainId?: number;
  readonly issuedAt?: string;
  /** Lines after the time of issue. */
  readonly more?: readonly string[];
}

/** A message as an app puts it before its user. */
export function signInMessage(
  {
    domain = "localhost:3000",
    address,
    nonce,
    uri = "http://localhost:3000",
    chainId = 1,
    issuedAt = "2023-01-27T09:05:03.250Z",
    more = [],
  }: MessageParts,
): string {
  return [
    `${domain} wants you to sign in with your Ethereum account:`,
    address,
    "",
    "Sign in to your node.",
    "",
    `URI: ${uri}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    ...more,
  ].join("\n");
}

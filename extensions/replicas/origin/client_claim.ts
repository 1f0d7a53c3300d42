/**
 * A replica's claim about the client whose request it passes on: the client's address, signed with the key of
 * consistency tokens. The origin counts the request for this client. A claim is valid once and for one
 * minute, so nobody can use a copy of it to act as another client. A claim without the right signature is
 * ignored.
 */
import {
  ALPHANUMERIC,
  isSameSecret,
  MAX_ADDRESS_LENGTH,
  plainAddress,
  randomText,
  SingleUse,
} from "../../../src/mod.ts";
import { SIGNATURE_LENGTH, signatureOf, tokenKeyOf } from "./token_key.ts";

/**
 * Longest time by which the clocks of a replica and its origin may differ, in milliseconds. Older claims are
 * ignored.
 */
export const CLAIM_MS = 60_000;
/** Most claims that an origin stores, so that none counts twice: some 800 a second. */
export const MAX_CLAIMS = 100_000;
const NONCE_LENGTH = 16;
/** Stands for clients that the replica cannot tell apart. */
const UNKNOWN = "-";

/** Longest claim: address, time, nonce, signature. */
const MAX_CLAIM_LENGTH = MAX_ADDRESS_LENGTH + 1 + 15 + 1 + NONCE_LENGTH + 1 + SIGNATURE_LENGTH;
const CLAIM = /^([0-9a-fA-F:.]+|-) (\d+) ([0-9A-Za-z]+) ([0-9a-f]+)$/;
const ADDRESS = /^[0-9a-fA-F:.]+$/;

export class ClientClaims {
  readonly #key: Uint8Array;
  readonly #now: () => number;
  readonly #used = new SingleUse(2 * CLAIM_MS, MAX_CLAIMS);

  /**
   * @param now Milliseconds since the epoch.
   * @throws {TypeError} for a key that is too short.
   */
  constructor(key: string, now: () => number = Date.now) {
    this.#key = tokenKeyOf(key);
    this.#now = now;
  }

  /**
   * @param address `undefined`, or text that is not an address, for clients that the replica cannot tell
   *   apart.
   */
  sign(address: string | undefined): string {
    const plain = plainAddress(address ?? UNKNOWN);
    const named = ADDRESS.test(plain) && plain.length <= MAX_ADDRESS_LENGTH ? plain : UNKNOWN;
    const text = `${named} ${Math.floor(this.#now())} ${randomText(ALPHANUMERIC, NONCE_LENGTH)}`;
    return `${text} ${this.#signature(text)}`;
  }

  /** Reads a claim; `undefined` for an invalid one. */
  verify(text: string): { readonly address: string | undefined } | undefined {
    if (text.length > MAX_CLAIM_LENGTH) return undefined;
    const [, address, time, nonce = "", signature = ""] = CLAIM.exec(text) ?? [];
    const nowMs = this.#now();
    if (address === undefined || Math.abs(Number(time) - nowMs) > CLAIM_MS) return undefined;
    if (!isSameSecret(this.#signature(`${address} ${time} ${nonce}`), signature)) return undefined;
    if (!this.#used.use(`${time} ${nonce}`, nowMs)) return undefined;
    return { address: address === UNKNOWN ? undefined : address };
  }

  #signature(text: string): string {
    return signatureOf(`client ${text}`, this.#key);
  }
}

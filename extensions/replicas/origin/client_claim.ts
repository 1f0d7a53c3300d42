/**
 * A claim of a replica about the client whose request it passes on. It contains the address of the client,
 * and is signed with the key of consistency tokens. The origin then counts the request for this client. A
 * claim is valid only once and only for one minute, so nobody can use a copy of it to act as another client.
 * A claim without a valid signature is ignored.
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
 * Maximum difference between the time of a claim and the clock of the origin, in milliseconds. A claim with a
 * larger difference is ignored.
 */
export const CLAIM_MS = 60_000;
/**
 * Maximum number of claims that an origin stores to reject their repeated use. It is enough for about 800
 * claims a second.
 */
export const MAX_CLAIMS = 100_000;
const NONCE_LENGTH = 16;
/** Replaces the address when the replica cannot distinguish its clients. */
const UNKNOWN = "-";

/** Maximum length of a claim: address, time, nonce and signature. */
const MAX_CLAIM_LENGTH = MAX_ADDRESS_LENGTH + 1 + 15 + 1 + NONCE_LENGTH + 1 + SIGNATURE_LENGTH;
const CLAIM = /^([0-9a-fA-F:.]+|-) (\d+) ([0-9A-Za-z]+) ([0-9a-f]+)$/;
const ADDRESS = /^[0-9a-fA-F:.]+$/;

export class ClientClaims {
  readonly #key: Uint8Array;
  readonly #now: () => number;
  readonly #used = new SingleUse(2 * CLAIM_MS, MAX_CLAIMS);

  /**
   * @param now Returns the time in milliseconds since the epoch.
   * @throws {TypeError} for a key that is too short.
   */
  constructor(key: string, now: () => number = Date.now) {
    this.#key = tokenKeyOf(key);
    this.#now = now;
  }

  /**
   * @param address Address of the client. It is `undefined`, or any text that is not an address, when the
   *   replica cannot distinguish its clients.
   */
  sign(address: string | undefined): string {
    const plain = plainAddress(address ?? UNKNOWN);
    const named = ADDRESS.test(plain) && plain.length <= MAX_ADDRESS_LENGTH ? plain : UNKNOWN;
    const text = `${named} ${Math.floor(this.#now())} ${randomText(ALPHANUMERIC, NONCE_LENGTH)}`;
    return `${text} ${this.#signature(text)}`;
  }

  /** Verifies a claim. Returns `undefined` for an invalid claim. */
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

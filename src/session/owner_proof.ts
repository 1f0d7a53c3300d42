/**
 * Proof of a sender that it holds the key of the node, sent with the request that opens a session. Anyone may
 * open sessions, so their number is bounded; with a proof a session takes a place that only the holder of the
 * key can take.
 */
import { verifyEd25519 } from "../keys/ed25519.ts";
import { decodeMultibase, encodeMultibase } from "../ids/multibase.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Signer } from "../ports/signer.ts";
import { SingleUse } from "../text/single_use.ts";
import { ALPHANUMERIC, randomText } from "./random_text.ts";

/** Header field of a proof. */
export const OWNER_PROOF_FIELD = "xylem-owner-proof";
/** How far the clocks of sender and service may differ, in milliseconds; older proofs count for nothing. */
export const OWNER_PROOF_MS: number = 5 * 60_000;
/** Most proofs that are stored, so that none counts twice. */
const MAX_PROOFS = 1000;
/** Characters of the random part of a proof. */
const NONCE_LENGTH = 16;

/** Time, nonce, and signature in multibase. */
const PROOF = /^(\d{1,15})\.([0-9A-Za-z]{16})\.(z[1-9A-HJ-NP-Za-km-z]{1,100})$/;

/** Makes the value of {@link OWNER_PROOF_FIELD} with the key of the node. */
export async function makeOwnerProof(signer: Signer, nowMs: number): Promise<string> {
  const time = String(nowMs);
  const nonce = randomText(ALPHANUMERIC, NONCE_LENGTH);
  const signature = await signer.sign(textOf(signer.nodeId, time, nonce));
  return `${time}.${nonce}.${encodeMultibase(signature)}`;
}

/** Checks proofs. */
export class OwnerProofs {
  readonly #now: () => number;
  readonly #used = new SingleUse(2 * OWNER_PROOF_MS, MAX_PROOFS);

  /** @param now Milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Whether a text is a proof of a node's key that has not been used before. */
  async check(text: string | null, nodeId: NodeId): Promise<boolean> {
    const [, time = "", nonce = "", encoded = ""] = PROOF.exec(text ?? "") ?? [];
    const signature = decodeMultibase(encoded);
    if (signature === undefined || Math.abs(Number(time) - this.#now()) > OWNER_PROOF_MS) return false;
    const signed = {
      publicKey: nidToPublicKey(nodeId),
      message: textOf(nodeId, time, nonce),
      signature: new Uint8Array(signature),
    };
    return await verifyEd25519("both", signed) &&
      this.#used.use(`${time}.${nonce}`, this.#now());
  }
}

/** The signed text. It is neither a commit, nor references, nor the text that authorizes a session. */
function textOf(nodeId: NodeId, time: string, nonce: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`xylem opens a session: ${nodeId} ${time} ${nonce}`);
}

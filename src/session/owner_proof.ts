/**
 * A sender's proof that it has the key of the node, which it sends with the request that opens a session. The
 * number of pending sign-ins is limited, because anyone may open sessions. A part of this number is reserved
 * for senders with a proof.
 */
import { verifyEd25519 } from "../keys/ed25519.ts";
import { decodeMultibase, encodeMultibase } from "../ids/multibase.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Signer } from "../ports/signer.ts";
import { SingleUse } from "../text/single_use.ts";
import { ALPHANUMERIC, randomText } from "./random_text.ts";

/** Name of the header field that contains a proof. */
export const OWNER_PROOF_FIELD = "xylem-owner-proof";
/**
 * Maximum difference between the time in a proof and the clock of the service, in milliseconds. Proofs with a
 * greater difference are refused.
 */
export const OWNER_PROOF_MS: number = 5 * 60_000;
/** Maximum number of stored proofs. Proofs are stored so that no proof is accepted twice. */
const MAX_PROOFS = 1000;
/** Length of the random part of a proof, in characters. */
const NONCE_LENGTH = 16;

/** Matches a proof: time, nonce, and signature in multibase, separated by dots. */
const PROOF = /^(\d{1,15})\.([0-9A-Za-z]{16})\.(z[1-9A-HJ-NP-Za-km-z]{1,100})$/;

/** Creates the value of {@link OWNER_PROOF_FIELD} with the key of the node. */
export async function makeOwnerProof(signer: Signer, nowMs: number): Promise<string> {
  const time = String(nowMs);
  const nonce = randomText(ALPHANUMERIC, NONCE_LENGTH);
  const signature = await signer.sign(textOf(signer.nodeId, time, nonce));
  return `${time}.${nonce}.${encodeMultibase(signature)}`;
}

/** Verifies proofs, and accepts each proof only once. */
export class OwnerProofs {
  readonly #now: () => number;
  readonly #used = new SingleUse(2 * OWNER_PROOF_MS, MAX_PROOFS);

  /** @param now Returns milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Checks whether a text is a valid proof with the key of a node, and has not been used before. */
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

/**
 * Returns the text that is signed. The text differs from every commit, from signed references, and from the
 * text that authorizes a session, so that the signature cannot be used for any of these purposes.
 */
function textOf(nodeId: NodeId, time: string, nonce: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`xylem opens a session: ${nodeId} ${time} ${nonce}`);
}

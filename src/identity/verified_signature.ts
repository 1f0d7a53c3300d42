/**
 * Signatures that are verified before use: agents and keys can be broken, and no program would accept an
 * invalid one.
 */
import { ApiError } from "../errors.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Signer } from "../ports/signer.ts";
import { verifyEd25519 } from "./ed25519.ts";

/**
 * The signature of the node `nid` over a message, 64 bytes.
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

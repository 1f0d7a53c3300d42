/** Signatures that are looked at before anything is built on them: agents and keys can be broken, and what does not verify no program would read. */
import { ApiError } from "../errors.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Signer } from "../ports/signer.ts";
import { verifyEd25519 } from "./ed25519.ts";

/**
 * The signature of the node `nid` over a message, 64 bytes.
 *
 * @throws {ApiError} `unauthorized` when what the signer gives is none.
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

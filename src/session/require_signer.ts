/** The signer of a change (5). */
import { ApiError } from "../errors.ts";
import type { NodeId } from "../ids/nid.ts";
import type { LoadSigner, Signer } from "../ports/signer.ts";

/**
 * Loads the node's signer for a request that changes something.
 *
 * @throws {ApiError} `unauthorized` when there is no usable key, or only the key of another node.
 */
export async function requireSigner(load: LoadSigner | undefined, nodeId: NodeId): Promise<Signer> {
  const signer = await load?.();
  if (signer?.nodeId !== nodeId) throw new ApiError("unauthorized", "Unauthorized");
  return signer;
}

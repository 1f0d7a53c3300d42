/** The key that changes are signed with (5). */
import { ApiError } from "../errors.ts";
import type { NodeId } from "../ids/nid.ts";
import type { LoadSigner, Signer } from "../ports/signer.ts";

/**
 * The signer of a node, for a request that changes something.
 *
 * @throws {ApiError} `unauthorized` when there is no usable key, or only another node's.
 */
export async function requireSigner(load: LoadSigner | undefined, nodeId: NodeId): Promise<Signer> {
  const signer = await load?.();
  if (signer?.nodeId !== nodeId) throw new ApiError("unauthorized", "Unauthorized");
  return signer;
}

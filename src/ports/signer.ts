/** The local node's secret key, as something that signs: the key itself may lie in a file, in an agent or in a device. */
import type { NodeId } from "../ids/nid.ts";
import type { Awaitable } from "./storage.ts";

/** A key that can be used now. */
export interface Signer {
  /** The public key that its signatures verify with. */
  readonly nodeId: NodeId;
  /**
   * The Ed25519 signature (RFC 8032, 64 bytes) over exactly these bytes. Rejects with an `ApiError` of code `unauthorized` when the key has
   * become unusable since it was loaded, as one in an agent may.
   */
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Finds the signer; `undefined` when there is no usable key: none at all, one that stays locked, or another node's. Why is for the host's log.
 * Called for every change, so that a key that comes or goes is noticed: keep what takes long to unlock.
 */
export type LoadSigner = () => Awaitable<Signer | undefined>;

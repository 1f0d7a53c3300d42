/**
 * A signer that uses the secret key of the local node. The key itself may be in a file, an agent or a device.
 */
import type { NodeId } from "../ids/nid.ts";
import type { Awaitable } from "./storage.ts";

/** A signer whose key can be used. */
export interface Signer {
  /** Id of the node, which contains the public key that verifies the signatures. */
  readonly nodeId: NodeId;
  /**
   * Signs exactly these bytes with Ed25519 (RFC 8032) and returns the 64 bytes of the signature. Rejects with
   * an `UnauthorizedError` when the key has become unusable since it was loaded, which can happen with a key
   * in an agent.
   */
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Loads the signer. Returns `undefined` when there is no usable key, because the key is missing, locked, or
 * belongs to another node. The host then logs the reason. This function is called for every change, so that
 * an added or removed key is detected. An implementation should cache a key that is slow to unlock.
 */
export type LoadSigner = () => Awaitable<Signer | undefined>;

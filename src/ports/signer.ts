/** A signer with the local node's secret key. The key itself may be in a file, an agent or a device. */
import type { NodeId } from "../ids/nid.ts";
import type { Awaitable } from "./storage.ts";

/** A signer with a usable key. */
export interface Signer {
  /** The public key that verifies its signatures. */
  readonly nodeId: NodeId;
  /**
   * Signs exactly these bytes with Ed25519 (RFC 8032, 64 bytes). Rejects with an `UnauthorizedError` when the
   * key has become unusable since it was loaded, which can happen with a key in an agent.
   */
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Loads the signer. Returns `undefined` when there is no usable key: no key, a locked key, or the key of
 * another node; the host logs the reason. Called for every change, so that an added or removed key is
 * detected. Cache a key that is slow to unlock.
 */
export type LoadSigner = () => Awaitable<Signer | undefined>;

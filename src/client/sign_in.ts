/** Sign-in with the key of the node (specification, 4.8.1). */

/** A signer that has the key of the node. */
export interface SessionSigner {
  /** Id of the node to which the key belongs. */
  readonly nodeId: string;
  /** Signs exactly these bytes with Ed25519 and returns the 64 bytes of the signature. */
  sign(message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> | Uint8Array;
}

/**
 * Format of session ids. The client signs no other text, because the same key signs references and changes.
 */
const SESSION_ID = /^[A-Za-z0-9]{32}$/;
/** Multibase prefix of base 16. */
const BASE_16 = "f";

/**
 * Proves that a client has the key of the node.
 *
 * @throws {TypeError} when the service requests a signature for something else than a session, or belongs to
 * another node.
 */
export async function proveKey(
  signer: SessionSigner,
  { sessionId, publicKey }: { readonly sessionId: string; readonly publicKey: string },
): Promise<{ readonly pk: string; readonly sig: string }> {
  if (!SESSION_ID.test(sessionId)) throw new TypeError("The service sent no valid session id");
  if (publicKey !== signer.nodeId) throw new TypeError(`The service belongs to another node: ${publicKey}`);
  const signature = await signer.sign(new TextEncoder().encode(`${sessionId}:${publicKey}`));
  const digits = Array.from(signature, (byte) => byte.toString(16).padStart(2, "0"));
  return { pk: publicKey, sig: BASE_16 + digits.join("") };
}

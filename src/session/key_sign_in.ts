/**
 * Sign-in with the key of the node (specification, 4.8). The owner of the node signs `<session id>:<node
 * id>`, and then uses the session id as bearer token.
 */
import { MalformedError, UnauthorizedError } from "../errors.ts";
import { verifyEd25519 } from "../keys/ed25519.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Session } from "../ports/session_table.ts";
import { randomSessionId } from "./random_text.ts";
import { requireUnauthorized, type Sessions } from "./sessions.ts";
import type { Sender } from "./memory_table.ts";
import type { LoadSigner, Signer } from "../ports/signer.ts";

/** The owner's signature for a new session. */
export interface KeyProof {
  readonly publicKey: NodeId;
  /** Ed25519 signature of the UTF-8 bytes of {@link challengeText}. */
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Returns the text that the owner signs to authorize a session. */
export function challengeText(id: string, nodeId: NodeId): string {
  return `${id}:${nodeId}`;
}

/**
 * Opens a session that waits for the owner's signature.
 *
 * @throws {UnavailableError} when too many sign-ins are pending.
 */
export function openKeySession(sessions: Sessions, sender: Sender): Promise<Session> {
  return sessions.open({ id: randomSessionId() }, sender);
}

/**
 * Authorizes a session. The checks are in the order of `radicle-httpd`.
 *
 * @throws {NotFoundError} when there is no such session.
 * @throws {UnauthorizedError} when the session is already authorized, the key is not the node's key, or the
 *   session has expired.
 * @throws {MalformedError} when the signature does not verify.
 */
export async function signInWithKey(
  sessions: Sessions,
  nodeId: NodeId,
  id: string,
  proof: KeyProof,
): Promise<Session> {
  const session = await sessions.find(id);
  requireUnauthorized(session);
  if (proof.publicKey !== nodeId) throw new UnauthorizedError("Invalid public key");
  sessions.requireUnexpired(session);
  const signed = {
    publicKey: nidToPublicKey(nodeId),
    message: new TextEncoder().encode(challengeText(session.id, nodeId)),
    signature: proof.signature,
  };
  if (!await verifyEd25519("both", signed)) {
    throw new MalformedError("Signature doesn't verify");
  }
  return await sessions.authorize(session, { mayChange: true });
}

/**
 * Loads the node's signer for a request that changes something.
 *
 * @throws {UnauthorizedError} when there is no usable key, or only the key of another node.
 */
export async function requireSigner(load: LoadSigner | undefined, nodeId: NodeId): Promise<Signer> {
  const signer = await load?.();
  if (signer?.nodeId !== nodeId) throw new UnauthorizedError("Unauthorized");
  return signer;
}

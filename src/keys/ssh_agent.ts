/**
 * Lists the keys in an ssh-agent (draft-ietf-sshm-ssh-agent), and requests signatures with these keys. This
 * module only encodes and decodes messages. An adapter connects to the socket of the agent.
 */
import { isSameBytes, joinBytes } from "../bytes/bytes.ts";
import { SIGNATURE_BYTES, verifyEd25519 } from "./ed25519.ts";
import { nidToPublicKey, type NodeId } from "../ids/nid.ts";
import type { Signer } from "../ports/signer.ts";
import { sshBytes } from "../bytes/ssh_bytes.ts";
import { KeyError } from "./key_error.ts";
import { decodePublicBlob, encodePublicBlob, KEY_TYPE, SshReader } from "./ssh_wire.ts";

/** Maximum size of a message from the agent, in bytes. OpenSSH has the same limit. */
export const MAX_AGENT_MESSAGE_BYTES = 256 * 1024;

/**
 * Sends a message to the agent and returns its reply. The message and the reply begin with a type. The length
 * that precedes messages on the socket is not included.
 */
export type AskAgent = (message: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

const TYPE = { listIdentities: 11, identities: 12, sign: 13, signature: 14 } as const;
const WHAT = "The answer of ssh-agent";

/**
 * Opens a signer whose key is in an agent.
 *
 * @throws {KeyError} when the agent does not have the key, or its reply is malformed. `sign` of the signer
 *   rejects with the same error when the agent refuses to sign.
 */
export async function openAgentSigner(ask: AskAgent, nodeId: NodeId): Promise<Signer> {
  const publicKey = nidToPublicKey(nodeId);
  const keys = decodeIdentities(await ask(Uint8Array.of(TYPE.listIdentities)));
  if (!keys.some((key) => isSameBytes(key, publicKey))) {
    throw new KeyError("ssh-agent does not hold the secret key of this node");
  }
  return {
    nodeId,
    async sign(message) {
      const signature = decodeSignature(await ask(encodeSignRequest(publicKey, message)));
      if (!await verifyEd25519("both", { publicKey, message, signature })) {
        throw new KeyError("ssh-agent gave a signature that does not verify");
      }
      return signature;
    },
  };
}

/** Encodes the request to sign exactly these bytes. */
export function encodeSignRequest(publicKey: Uint8Array, message: Uint8Array): Uint8Array<ArrayBuffer> {
  const flags = 0;
  return joinBytes([Uint8Array.of(TYPE.sign), sshBytes(encodePublicBlob(publicKey), message, flags)]);
}

/**
 * Decodes the agent's list of keys. Returns the Ed25519 keys.
 *
 * @throws {KeyError} when the reply is malformed.
 */
export function decodeIdentities(answer: Uint8Array<ArrayBuffer>): readonly Uint8Array<ArrayBuffer>[] {
  const reader = openAnswer(answer, TYPE.identities);
  const keys: Uint8Array<ArrayBuffer>[] = [];
  for (let left = reader.uint32(); left > 0; left--) {
    const key = decodePublicBlob(reader.string());
    reader.string(); // Skips the comment of the key.
    if (key !== undefined) keys.push(key);
  }
  return keys;
}

/**
 * Decodes a signature in a reply. Returns the 64 bytes of the signature.
 *
 * @throws {KeyError} when the agent refuses or the reply is malformed.
 */
export function decodeSignature(answer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const reader = new SshReader(openAnswer(answer, TYPE.signature).string(), WHAT);
  const type = reader.text();
  const signature = reader.string();
  if (type !== KEY_TYPE || signature.length !== SIGNATURE_BYTES) {
    throw new KeyError(`${WHAT} is not an Ed25519 signature`);
  }
  return signature.slice();
}

/**
 * Returns the first complete message in the bytes received so far, without its length. Returns `undefined`
 * while the message is incomplete.
 *
 * @throws {KeyError} when the message is longer than {@link MAX_AGENT_MESSAGE_BYTES}.
 */
export function decodeFrame(received: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  if (received.length < 4) return undefined;
  const length = new SshReader(received, WHAT).uint32();
  if (length > MAX_AGENT_MESSAGE_BYTES) {
    throw new KeyError(`${WHAT} is longer than ${MAX_AGENT_MESSAGE_BYTES} bytes`);
  }
  return received.length < 4 + length ? undefined : received.subarray(4, 4 + length);
}

function openAnswer(answer: Uint8Array<ArrayBuffer>, type: number): SshReader {
  const reader = new SshReader(answer, WHAT);
  if (reader.bytes(1)[0] !== type) throw new KeyError("ssh-agent refused");
  return reader;
}

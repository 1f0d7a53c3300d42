/**
 * Node ids and DIDs (decentralised ids, 2.1). A node id is the multibase text of the bytes `ed 01` and the 32
 * bytes of an Ed25519 public key, and begins with `z6Mk`. A DID is `did:key:` and a node id.
 */
import { UnreadableIdError } from "../errors.ts";
import { decodeMultibase, encodeMultibase } from "./multibase.ts";

/** A node id in its canonical encoding. */
export type NodeId = `z6Mk${string}`;

/** Number of bytes in a node's public key. */
export const PUBLIC_KEY_BYTES = 32;

/**
 * Parses a node id in any multibase encoding and returns it in its canonical encoding.
 *
 * @throws {UnreadableIdError} when the text is not a node id.
 */
export function parseNid(text: string): NodeId {
  const nid = tryParseNid(text);
  if (nid === undefined) throw new UnreadableIdError(`Cannot read node id "${text}": expected z6Mk…`);
  return nid;
}

/** Does the same as {@link parseNid}, but returns `undefined` instead of throwing. */
export function tryParseNid(text: string): NodeId | undefined {
  const bytes = decodeMultibase(text);
  return bytes?.length === 2 + PUBLIC_KEY_BYTES && bytes[0] === 0xed && bytes[1] === 0x01
    ? encodeMultibase(bytes) as NodeId
    : undefined;
}

/** Returns the node id of a 32-byte public key. */
export function formatNid(publicKey: Uint8Array): NodeId {
  const bytes = new Uint8Array(2 + PUBLIC_KEY_BYTES);
  bytes.set([0xed, 0x01]);
  bytes.set(publicKey, 2);
  return encodeMultibase(bytes) as NodeId;
}

/** Returns the 32-byte public key of a node id. */
export function nidToPublicKey(nid: NodeId): Uint8Array<ArrayBuffer> {
  const bytes = decodeMultibase(nid);
  if (bytes === undefined) throw new TypeError(`Not a node id: ${nid}`);
  return new Uint8Array(bytes.subarray(2));
}

/** The id of a delegate, author or assignee. */
export type Did = `did:key:${NodeId}`;

const PREFIX = "did:key:";

/**
 * Parses a DID: exactly `did:key:`, then a node id in any multibase encoding. Returns the DID in its
 * canonical encoding.
 *
 * @throws {UnreadableIdError} when the text is not a DID.
 */
export function parseDid(text: string): Did {
  const did = tryParseDid(text);
  if (did === undefined) {
    throw new UnreadableIdError(`Cannot read DID "${text}": expected did:key:z6Mk…`);
  }
  return did;
}

/** Does the same as {@link parseDid}, but returns `undefined` instead of throwing. */
export function tryParseDid(text: string): Did | undefined {
  const nid = text.startsWith(PREFIX) ? tryParseNid(text.slice(PREFIX.length)) : undefined;
  return nid === undefined ? undefined : didOfNid(nid);
}

/** Returns the DID of a node. */
export function didOfNid(nid: NodeId): Did {
  return `${PREFIX}${nid}`;
}

/** Returns the id of the node that a DID identifies. */
export function nidOfDid(did: Did): NodeId {
  return did.slice(PREFIX.length) as NodeId;
}

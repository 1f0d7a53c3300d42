/**
 * Node ids and decentralised ids (2.1). A node id is an Ed25519 public key, the multibase of `ed 01` and 32
 * bytes, written `z6Mk…`. A decentralised id is `did:key:` and a node id.
 */
import { UnreadableIdError } from "../errors.ts";
import { decodeMultibase, encodeMultibase } from "./multibase.ts";

/** A node id in its canonical form. */
export type NodeId = `z6Mk${string}`;

/** Bytes in a node's public key. */
export const PUBLIC_KEY_BYTES = 32;

/**
 * Parses a node id in any multibase spelling and returns its canonical form.
 *
 * @throws {UnreadableIdError} for anything else.
 */
export function parseNid(text: string): NodeId {
  const nid = tryParseNid(text);
  if (nid === undefined) throw new UnreadableIdError(`Cannot read node id "${text}": expected z6Mk…`);
  return nid;
}

/** Like {@link parseNid}, but returns `undefined` instead of throwing. */
export function tryParseNid(text: string): NodeId | undefined {
  const bytes = decodeMultibase(text);
  return bytes?.length === 2 + PUBLIC_KEY_BYTES && bytes[0] === 0xed && bytes[1] === 0x01
    ? encodeMultibase(bytes) as NodeId
    : undefined;
}

/** The node id of a 32-byte public key. */
export function formatNid(publicKey: Uint8Array): NodeId {
  const bytes = new Uint8Array(2 + PUBLIC_KEY_BYTES);
  bytes.set([0xed, 0x01]);
  bytes.set(publicKey, 2);
  return encodeMultibase(bytes) as NodeId;
}

/** The 32-byte public key of a node id. */
export function nidToPublicKey(nid: NodeId): Uint8Array<ArrayBuffer> {
  const bytes = decodeMultibase(nid);
  if (bytes === undefined) throw new TypeError(`Not a node id: ${nid}`);
  return new Uint8Array(bytes.subarray(2));
}

/** The id of a delegate, author or assignee. */
export type Did = `did:key:${NodeId}`;

const PREFIX = "did:key:";

/**
 * Parses a DID: exactly `did:key:`, then a node id in any multibase spelling. Returns its canonical form.
 *
 * @throws {UnreadableIdError} for anything else.
 */
export function parseDid(text: string): Did {
  const did = tryParseDid(text);
  if (did === undefined) {
    throw new UnreadableIdError(`Cannot read DID "${text}": expected did:key:z6Mk…`);
  }
  return did;
}

/** Like {@link parseDid}, but returns `undefined` instead of throwing. */
export function tryParseDid(text: string): Did | undefined {
  const nid = text.startsWith(PREFIX) ? tryParseNid(text.slice(PREFIX.length)) : undefined;
  return nid === undefined ? undefined : didOfNid(nid);
}

/** The DID of a node. */
export function didOfNid(nid: NodeId): Did {
  return `${PREFIX}${nid}`;
}

/** The node that a DID names. */
export function nidOfDid(did: Did): NodeId {
  return did.slice(PREFIX.length) as NodeId;
}

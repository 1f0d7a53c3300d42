/** Decentralised ids (2.1): `did:key:` and a node id. */
import { ApiError } from "../errors.ts";
import { type NodeId, tryParseNid } from "./nid.ts";

/** The id of a delegate, author or assignee. */
export type Did = `did:key:${NodeId}`;

const PREFIX = "did:key:";

/**
 * Reads a DID: exactly `did:key:`, then a node id in any multibase spelling; returns the canonical one.
 *
 * @throws {ApiError} `badParameter` for anything else.
 */
export function parseDid(text: string): Did {
  const did = tryParseDid(text);
  if (did === undefined) {
    throw new ApiError("badParameter", `Cannot read DID "${text}": expected did:key:z6Mk…`);
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

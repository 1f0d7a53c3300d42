/**
 * Repository ids (specification, 2.1): 20 bytes, the object id of the first identity document, written
 * `rad:z…`.
 */
import { UnreadableIdError } from "../errors.ts";
import { decodeMultibase, encodeMultibase } from "./multibase.ts";
import { type Oid, oidFromBytes, oidToBytes } from "./oid.ts";

/** A repository id in its canonical encoding: `rad:` and base58btc of 20 bytes. */
export type RepoId = `rad:z${string}`;

/**
 * Parses a repository id and returns it in its canonical encoding. `rad:` may be missing, and any multibase
 * encoding is accepted.
 *
 * @throws {UnreadableIdError} when the text is not a repository id.
 */
export function parseRid(text: string): RepoId {
  const rid = tryParseRid(text);
  if (rid === undefined) {
    throw new UnreadableIdError(`Cannot read repository id "${text}": expected rad:z…`);
  }
  return rid;
}

/** Does the same as {@link parseRid}, but returns `undefined` instead of throwing. */
export function tryParseRid(text: string): RepoId | undefined {
  const bytes = decodeMultibase(text.startsWith("rad:") ? text.slice(4) : text);
  return bytes?.length === 20 ? formatRid(bytes) : undefined;
}

/** Returns the canonical text of the 20 bytes of a repository id. */
export function formatRid(bytes: Uint8Array): RepoId {
  return `rad:${encodeMultibase(bytes)}` as RepoId;
}

/** Returns the object id of the first identity document, which a repository id encodes. */
export function ridToOid(rid: RepoId): Oid {
  const bytes = decodeMultibase(rid.slice(4));
  if (bytes === undefined) throw new TypeError(`Not a repository id: ${rid}`);
  return oidFromBytes(bytes);
}

/** Returns the id of the repository whose first identity document has this object id. */
export function ridFromOid(oid: Oid): RepoId {
  return formatRid(oidToBytes(oid));
}

/** Removes duplicates, and sorts ids for lists by their 20 bytes, as `radicle-httpd` does. */
export function sortRids(rids: Iterable<RepoId>): readonly RepoId[] {
  const keyed = [...new Set(rids)].map((rid) => ({ rid, oid: ridToOid(rid) }));
  return keyed.sort((a, b) => a.oid < b.oid ? -1 : 1).map(({ rid }) => rid);
}

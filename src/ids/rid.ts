/** Repository ids (2.1): 20 bytes, the object id of the first identity document, written `rad:z…`. */
import { UnreadableIdError } from "../errors.ts";
import { decodeMultibase, encodeMultibase } from "./multibase.ts";
import { type Oid, oidFromBytes, oidToBytes } from "./oid.ts";

/** A repository id in its canonical form: `rad:` and base58btc of 20 bytes. */
export type RepoId = `rad:z${string}`;

/**
 * Parses a repository id and returns its canonical form. `rad:` may be missing, and any multibase spelling is
 * accepted.
 *
 * @throws {UnreadableIdError} for anything else.
 */
export function parseRid(text: string): RepoId {
  const rid = tryParseRid(text);
  if (rid === undefined) {
    throw new UnreadableIdError(`Cannot read repository id "${text}": expected rad:z…`);
  }
  return rid;
}

/** Like {@link parseRid}, but returns `undefined` instead of throwing. */
export function tryParseRid(text: string): RepoId | undefined {
  const bytes = decodeMultibase(text.startsWith("rad:") ? text.slice(4) : text);
  return bytes?.length === 20 ? formatRid(bytes) : undefined;
}

/** The canonical text of 20 id bytes. */
export function formatRid(bytes: Uint8Array): RepoId {
  return `rad:${encodeMultibase(bytes)}` as RepoId;
}

/** The object id of the first identity document, which is what a repository id encodes. */
export function ridToOid(rid: RepoId): Oid {
  const bytes = decodeMultibase(rid.slice(4));
  if (bytes === undefined) throw new TypeError(`Not a repository id: ${rid}`);
  return oidFromBytes(bytes);
}

/** The id of the repository whose first identity document has this object id. */
export function ridFromOid(oid: Oid): RepoId {
  return formatRid(oidToBytes(oid));
}

/** Removes duplicates and sorts ids as lists do: by the 20 bytes, not by the text, like `radicle-httpd`. */
export function sortRids(rids: Iterable<RepoId>): readonly RepoId[] {
  const keyed = [...new Set(rids)].map((rid) => ({ rid, oid: ridToOid(rid) }));
  return keyed.sort((a, b) => a.oid < b.oid ? -1 : 1).map(({ rid }) => rid);
}

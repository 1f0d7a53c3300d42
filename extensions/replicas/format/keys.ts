/**
 * Keys of the objects in a bucket that contains a published home. If the operator has configured a prefix,
 * the prefix comes before each key.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type RepoId, tryParseRid } from "../../../src/mod.ts";

/** Key of the description of the node. */
export const NODE_KEY = "node.json";
/** Key of the catalogue. */
export const CATALOGUE_KEY = "repositories.json";
/**
 * Key of the lease, which names the node that owns the bucket and the active publisher. The publisher writes
 * the lease again every few seconds.
 */
export const LEASE_KEY = "publisher.json";
/** Key of the list of the latest changes of all repositories (`recent_changes.ts`). */
export const RECENT_KEY = "recent.json";
/** Maximum size of the lease, in bytes. */
export const MAX_LEASE_BYTES = 4096;
/** Prefix of the keys of all repositories. */
export const REPOSITORIES_PREFIX = "repos/";
/** Prefix of the keys of all pages of the catalogue. */
export const CATALOGUE_PREFIX = "catalogue/";
/** Prefix of the keys of all pages with facts about the node. */
export const NODE_PREFIX = "node/";

const MANIFEST_NAME = "manifest.json";

/**
 * Kinds of block packs, by the objects that they contain:
 *
 * - `history`: identities, commits, trees and tags;
 * - `blobs`: blobs of the newest commit of the default branch;
 * - `superseded`: other blobs;
 * - `cobs`: signed references and collaborative objects, with the trees and blobs of both.
 */
export const PACK_KINDS = ["history", "blobs", "superseded", "cobs"] as const;
/** Kind of a block pack. */
export type PackKind = typeof PACK_KINDS[number];
/** Kind of an immutable object in the bucket that belongs to one repository. */
export type ContentKind = PackKind | "index" | "references" | "derived";

/** A SHA-256 in 64 hexadecimal digits. */
export type Sha256 = string;

const CONTENT_NAME = /^(history|blobs|superseded|cobs|index|references|derived)-([0-9a-f]{64})$/;
const PAGE_NAME = /^page-([0-9a-f]{64})$/;
const FACTS_NAME = /^facts-([0-9a-f]{64})$/;

/** Returns the SHA-256 of the concatenated parts. */
export function sha256Of(...parts: readonly Uint8Array[]): Sha256 {
  const hash = sha256.create();
  for (const part of parts) hash.update(part);
  return bytesToHex(hash.digest());
}

/**
 * Returns the SHA-256 of a long array. The runtime computes it, in another thread if possible, which is
 * several times faster than {@link sha256Of}.
 */
export async function sha256OfLong(bytes: Uint8Array): Promise<Sha256> {
  return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)));
}

/** Returns the prefix of the keys of one repository. */
export function repositoryPrefix(rid: RepoId): string {
  return `${REPOSITORIES_PREFIX}${rid.slice("rad:".length)}/`;
}

/** Returns the key of the manifest of a repository. */
export function manifestKey(rid: RepoId): string {
  return repositoryPrefix(rid) + MANIFEST_NAME;
}

/** Returns the key of an immutable object of a repository, from the SHA-256 of its stored bytes. */
export function contentKey(rid: RepoId, kind: ContentKind, hash: Sha256): string {
  return `${repositoryPrefix(rid)}${kind}-${hash}`;
}

/** Returns the key of a page with facts about the node, from the SHA-256 of its stored bytes. */
export function nodeSnapshotKey(hash: Sha256): string {
  return `${NODE_PREFIX}facts-${hash}`;
}

/** Returns the key of a page of the catalogue, from the SHA-256 of its stored bytes. */
export function cataloguePageKey(hash: Sha256): string {
  return `${CATALOGUE_PREFIX}page-${hash}`;
}

/** The parts of a key. */
export type ParsedKey =
  | { readonly of: "node" | "catalogue" | "recent" }
  | { readonly of: "facts" | "cataloguePage"; readonly hash: Sha256 }
  | { readonly of: "manifest"; readonly rid: RepoId }
  | { readonly of: "content"; readonly rid: RepoId; readonly kind: ContentKind; readonly hash: Sha256 };

/** Parses a key. Returns `undefined` for the lease, and for a key that no published home has. */
export function parseKey(key: string): ParsedKey | undefined {
  if (key === NODE_KEY) return { of: "node" };
  if (key === CATALOGUE_KEY) return { of: "catalogue" };
  if (key === RECENT_KEY) return { of: "recent" };
  const [folder, id, name, ...rest] = key.split("/");
  if ((folder === "node" || folder === "catalogue") && name === undefined) {
    const of = folder === "node" ? "facts" : "cataloguePage";
    const hash = (folder === "node" ? FACTS_NAME : PAGE_NAME).exec(id ?? "")?.[1];
    return hash === undefined ? undefined : { of, hash };
  }
  if (folder !== "repos" || id === undefined || name === undefined || rest.length > 0) return undefined;
  const rid = tryParseRid(id);
  if (rid !== `rad:${id}`) return undefined;
  if (name === MANIFEST_NAME) return { of: "manifest", rid };
  const [, kind, hash] = CONTENT_NAME.exec(name) ?? [];
  return hash === undefined ? undefined : { of: "content", rid, kind: kind as ContentKind, hash };
}

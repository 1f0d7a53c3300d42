/**
 * Keys of the objects in a bucket that contains a published home. If the operator has configured a prefix,
 * the prefix comes before each key.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { type Oid, type RepoId, tryParseRid } from "../../../src/mod.ts";

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
/**
 * Prefix of the keys of all repositories. Every repository id without `rad:` begins with it, because it is
 * the code of base58 in multibase. No other key begins with it.
 */
export const REPOSITORIES_PREFIX = "z";
/** Prefix of the keys of all pages of the catalogue. */
export const CATALOGUE_PREFIX = "catalogue/";
/** Prefix of the keys of all pages with facts about the node. */
export const NODE_PREFIX = "node/";

const MANIFEST_NAME = "manifest.json";

/**
 * The files of a bare git repository that change with its references. Git clients that clone from the bucket
 * read them (gitrepository-layout). Replicas do not read them.
 */
export const GIT_FILES = ["HEAD", "packed-refs", "info/refs", "objects/info/packs"] as const;
/** Name of a file that git clients read, below the prefix of its repository. */
export type GitFileName = typeof GIT_FILES[number];

/**
 * The files of a pack:
 *
 * - `pack` and `idx`: the pack and its index, in git's formats (gitformat-pack);
 * - `offsets`: the offset table, from which replicas read where an object is (`offset_table.ts`).
 */
export const PACK_FILES = ["pack", "idx", "offsets"] as const;
export type PackFileKind = typeof PACK_FILES[number];

/**
 * Kind of an immutable object that is named by its SHA-256:
 *
 * - `references`: references that do not fit into the manifest;
 * - `tips`: ids of the objects to which the references pointed when a large pack was made;
 * - `derived`: a file of derived data.
 */
export type ContentKind = "references" | "tips" | "derived";

/** A SHA-256 in 64 hexadecimal digits. */
export type Sha256 = string;

const PACK_PATH = /^objects\/pack\/pack-([0-9a-f]{40})\.(pack|idx|offsets)$/;
const CONTENT_NAME = /^(references|tips|derived)-([0-9a-f]{64})$/;
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
  return `${rid.slice("rad:".length)}/`;
}

/** Returns the key of the manifest of a repository. */
export function manifestKey(rid: RepoId): string {
  return repositoryPrefix(rid) + MANIFEST_NAME;
}

/** Returns the key of a file that git clients read. */
export function gitFileKey(rid: RepoId, name: GitFileName): string {
  return repositoryPrefix(rid) + name;
}

/**
 * Returns the key of a file of a pack.
 *
 * @param name The SHA-1 of the pack without its last 20 bytes, which contain this SHA-1.
 */
export function packKey(rid: RepoId, name: Oid, file: PackFileKind): string {
  return `${repositoryPrefix(rid)}objects/pack/pack-${name}.${file}`;
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
  | { readonly of: "content"; readonly rid: RepoId; readonly kind: ContentKind; readonly hash: Sha256 }
  | { readonly of: "pack"; readonly rid: RepoId; readonly name: Oid; readonly file: PackFileKind }
  | { readonly of: "gitFile"; readonly rid: RepoId; readonly name: GitFileName };

/** Parses a key. Returns `undefined` for the lease, and for a key that no published home has. */
export function parseKey(key: string): ParsedKey | undefined {
  if (key === NODE_KEY) return { of: "node" };
  if (key === CATALOGUE_KEY) return { of: "catalogue" };
  if (key === RECENT_KEY) return { of: "recent" };
  const slash = key.indexOf("/");
  if (slash < 0) return undefined;
  const folder = key.slice(0, slash);
  const name = key.slice(slash + 1);
  if (folder === "node" || folder === "catalogue") {
    const of = folder === "node" ? "facts" : "cataloguePage";
    const hash = (folder === "node" ? FACTS_NAME : PAGE_NAME).exec(name)?.[1];
    return hash === undefined ? undefined : { of, hash };
  }
  const rid = tryParseRid(folder);
  return rid === `rad:${folder}` ? parseRepositoryKey(rid, name) : undefined;
}

/** @param path The key without the prefix of the repository. */
function parseRepositoryKey(rid: RepoId, path: string): ParsedKey | undefined {
  if (path === MANIFEST_NAME) return { of: "manifest", rid };
  const gitFile = GIT_FILES.find((name) => name === path);
  if (gitFile !== undefined) return { of: "gitFile", rid, name: gitFile };
  const [, name, file] = PACK_PATH.exec(path) ?? [];
  if (name !== undefined) return { of: "pack", rid, name: name as Oid, file: file as PackFileKind };
  const [, kind, hash] = CONTENT_NAME.exec(path) ?? [];
  return hash === undefined ? undefined : { of: "content", rid, kind: kind as ContentKind, hash };
}

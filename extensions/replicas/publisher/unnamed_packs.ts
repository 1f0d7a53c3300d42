/**
 * Finds packs that a publisher sent before it was killed, so that no manifest names them yet. The next
 * publication uses these packs instead of sending their objects again.
 */
import { ifReadable, type RepoId } from "../../../src/mod.ts";
import type { Bucket, BucketEntry } from "../bucket/bucket.ts";
import { MAX_PACK_BYTES, PackHead, PREAMBLE_BYTES } from "../format/block_pack.ts";
import { PACK_KINDS, type PackKind, parseKey, repositoryPrefix } from "../format/keys.ts";
import { MAX_PACKS, type PublishedPack } from "../format/manifest.ts";
import { digestOf } from "../format/sealed_json.ts";

/** Maximum size of the header of a pack that is reused, in bytes. */
const MAX_HEAD_BYTES = 2 ** 24;

/**
 * Finds the packs of a repository, newest first.
 *
 * @param isYoung Returns whether a listed object is so young that it will not soon be removed as an
 *   unreferenced object.
 * @throws {BucketError}
 */
export async function findUnnamedPacks(
  bucket: Bucket,
  rid: RepoId,
  isYoung: (entry: BucketEntry) => boolean,
): Promise<readonly PublishedPack[]> {
  const packs: PublishedPack[] = [];
  for await (const entry of bucket.list(repositoryPrefix(rid))) {
    const parsed = parseKey(entry.key);
    if (parsed?.of !== "content" || !isYoung(entry) || packs.length >= MAX_PACKS / 2) continue;
    const kind = PACK_KINDS.find((kind) => kind === parsed.kind);
    const pack = kind && await readPack(bucket, entry, kind, parsed.hash);
    if (pack !== undefined) packs.push(pack);
  }
  return packs.sort((a, b) => b.madeAtMs - a.madeAtMs);
}

/**
 * Returns the entry of a pack for a manifest, or `undefined` when the pack is missing or its header is
 * damaged.
 */
async function readPack(
  bucket: Bucket,
  { key, size, modifiedMs }: BucketEntry,
  kind: PackKind,
  sha256: string,
): Promise<PublishedPack | undefined> {
  if (size < PREAMBLE_BYTES || size > MAX_PACK_BYTES) return undefined;
  const start = await bucket.get(key, { range: { start: 0, end: PREAMBLE_BYTES } });
  if (start === undefined || start === "unchanged") return undefined;
  const view = new DataView(start.bytes.buffer, start.bytes.byteOffset, PREAMBLE_BYTES);
  const objects = view.getUint32(16);
  const headBytes = view.getUint32(20);
  if (headBytes < PREAMBLE_BYTES || headBytes > Math.min(size, MAX_HEAD_BYTES)) return undefined;
  const head = await bucket.get(key, { range: { start: 0, end: headBytes } });
  if (head === undefined || head === "unchanged") return undefined;
  const pack = { kind, sha256, bytes: size, headBytes, headDigest: digestOf(head.bytes), objects };
  const isSound = ifReadable(() => new PackHead(head.bytes, pack)) !== undefined;
  return isSound ? { ...pack, madeAtMs: Math.floor(modifiedMs) } : undefined;
}

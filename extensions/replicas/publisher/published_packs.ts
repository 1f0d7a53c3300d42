/** Reads the ids of the objects in published packs. */
import {
  DamagedError,
  fixedCache,
  ifReadable,
  type LruMap,
  OID_BYTES,
  oidFromBytes,
  OidTable,
  type RepoId,
  type Task,
} from "../../../src/mod.ts";
import type { Bucket } from "../bucket/bucket.ts";
import { MAX_BLOCK_OBJECTS } from "../format/block.ts";
import { PackHead, type PackRange, RECORD_BYTES } from "../format/block_pack.ts";
import { contentKey } from "../format/keys.ts";
import type { PublishedPack } from "../format/manifest.ts";
import type { OidList } from "./object_walk.ts";

/** Approximate memory use of a cached pack's entry without the table of ids, in bytes. */
const PACK_OVERHEAD_BYTES = 256;

/**
 * Cache for the ids of the objects in recently used packs, by the SHA-256 of the pack. With it, a publisher
 * that watches need not read the ids at each change. Packs never change.
 */
export type PublishedIds = LruMap<string, OidTable>;

export function createPublishedIds(): PublishedIds {
  return fixedCache("publishedIds", ({ memoryBytes }) => memoryBytes + PACK_OVERHEAD_BYTES);
}

/**
 * Returns the ids of the objects in a pack, or `undefined` when the pack is missing or damaged.
 *
 * @throws {BucketError} when the bucket fails.
 */
export async function idsOfPack(
  bucket: Bucket,
  rid: RepoId,
  pack: PublishedPack,
  cache: PublishedIds,
  task: Task,
): Promise<OidTable | undefined> {
  const cached = cache.get(pack.sha256);
  if (cached !== undefined) return cached;
  const index = await readIndex(bucket, rid, pack);
  if (index === undefined) return undefined;
  const table = new OidTable();
  const { records } = index;
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    table.add(records.subarray(at, at + OID_BYTES));
    await task.yield();
  }
  cache.set(pack.sha256, table);
  return table;
}

export interface ReadIndex {
  readonly head: PackHead;
  readonly headBytes: Uint8Array;
  /** The records of all objects, in the format of `block_pack.ts`. */
  readonly records: Uint8Array;
}

/**
 * Reads and verifies the index of a pack. Returns `undefined` when the pack is missing or damaged.
 *
 * @throws {BucketError} when the bucket fails.
 */
export async function readIndex(
  bucket: Bucket,
  rid: RepoId,
  pack: PublishedPack,
): Promise<ReadIndex | undefined> {
  const { kind, sha256, headBytes } = pack;
  const key = contentKey(rid, kind, sha256);
  const found = await bucket.head(key);
  if (found?.size !== pack.bytes) return undefined;
  const read = async (range: PackRange) => {
    const object = await bucket.get(key, { range, limitBytes: range.end - range.start });
    return typeof object === "object" ? object.bytes : undefined;
  };
  const headRead = await read({ start: 0, end: headBytes });
  if (headRead === undefined) return undefined;
  return await ifReadable(async () => {
    const head = new PackHead(headRead, pack);
    const { start: first } = head.pagesRange;
    const records = head.objects === 0 ? new Uint8Array() : await read(head.pagesRange);
    if (records === undefined) return undefined;
    for (let page = 0; page < head.pages; page++) {
      const { start, end } = head.pageRange(page);
      head.page(page, records.subarray(start - first, end - first));
    }
    return { head, headBytes: headRead, records };
  });
}

/**
 * Returns the ids of the objects in a pack, in the order of its blocks.
 *
 * @throws {DamagedError} when the pack is missing or damaged.
 * @throws {BucketError} when the bucket fails.
 */
export async function orderOfPack(bucket: Bucket, rid: RepoId, pack: PublishedPack): Promise<OidList> {
  const index = await readIndex(bucket, rid, pack);
  if (index === undefined) throw new DamagedError("A published pack is gone or damaged");
  const { records } = index;
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  const placeOf = (record: number) =>
    view.getUint32(record * RECORD_BYTES + OID_BYTES) * MAX_BLOCK_OBJECTS +
    view.getUint32(record * RECORD_BYTES + OID_BYTES + 4);
  const order = Uint32Array.from({ length: index.head.objects }, (_, record) => record)
    .sort((a, b) => placeOf(a) - placeOf(b));
  return { length: order.length, at: (i) => oidFromBytes(records, order[i]! * RECORD_BYTES) };
}

/** Packs that are in the bucket: the ids of their objects, and the objects, to be packed again. */
import type { Task } from "../../scheduling/task.ts";
import { PUBLISHER_CACHES } from "../../cache/caches.ts";
import type { LruMap } from "../../cache/lru_map.ts";
import { publisherCache } from "../../cache/memory.ts";
import { DamagedError } from "../../errors.ts";
import { OidTable } from "../../git/oid_table.ts";
import { type Oid, OID_BYTES, oidFromBytes } from "../../ids/oid.ts";
import type { RepoId } from "../../ids/rid.ts";
import type { Bucket } from "../../ports/bucket.ts";
import type { ObjectHeader } from "../../ports/storage.ts";
import type { Block, NamedObject, UnpackBlock } from "../format/block.ts";
import { NO_BLOCK, PackHead, type PackRange, RECORD_BYTES } from "../format/block_pack.ts";
import { contentKey } from "../format/keys.ts";
import type { PublishedPack } from "../format/manifest.ts";
import type { PublishedObjects } from "./commit_walk.ts";

/** Blocks that are read at once, in bytes. One block may be larger. */
const READ_BYTES = 4 * 2 ** 20;
/** Approximate memory of the ids of a pack besides the table, in bytes. */
const PACK_OVERHEAD_BYTES = 256;

/**
 * Ids of the objects of the packs that were used last, by the packs' SHA-256: a publisher that watches need
 * not read them at each change. Packs never change.
 */
export type PublishedIds = LruMap<string, OidTable>;

/** @param limitBytes Memory of all tables. */
export function createPublishedIds(limitBytes: number = PUBLISHER_CACHES.publishedIds.bytes): PublishedIds {
  return publisherCache(limitBytes, ({ memoryBytes }) => memoryBytes + PACK_OVERHEAD_BYTES);
}

/** The objects of several packs. */
export class ObjectsOfPacks implements PublishedObjects {
  readonly #tables: readonly OidTable[];

  constructor(tables: readonly OidTable[]) {
    this.#tables = tables;
  }

  has(oid: Oid): boolean {
    return this.#tables.some((table) => table.rowOf(oid) !== undefined);
  }
}

/**
 * The ids of the objects of a pack; `undefined` when the pack is gone or damaged.
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
    table.addBytes(records.subarray(at, at + OID_BYTES));
    await task.yield();
  }
  cache.set(pack.sha256, table);
  return table;
}

/** The index of a pack. */
export interface ReadIndex {
  readonly head: PackHead;
  readonly headBytes: Uint8Array;
  /** The records of all objects; see `block_pack.ts`. */
  readonly records: Uint8Array;
}

/**
 * The index of a pack, checked; `undefined` when the pack is gone or damaged.
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
  try {
    const head = new PackHead(headRead, pack);
    const { start: first } = head.pagesRange;
    const records = head.objects === 0 ? new Uint8Array() : await read(head.pagesRange);
    if (records === undefined) return undefined;
    for (let page = 0; page < head.pages; page++) {
      const { start, end } = head.pageRange(page);
      head.page(page, records.subarray(start - first, end - first));
    }
    return { head, headBytes: headRead, records };
  } catch (error) {
    if (error instanceof DamagedError) return undefined;
    throw error;
  }
}

/** An object of a pack: with its content, or kind and size alone where the content is beyond the limits. */
export type PackedObject =
  | { readonly object: NamedObject }
  | { readonly oid: Oid; readonly header: ObjectHeader };

/**
 * Reads all objects of a pack, in the order of their blocks.
 *
 * @throws {DamagedError} when the pack is gone or damaged.
 */
export async function* objectsOfPack(
  bucket: Bucket,
  rid: RepoId,
  pack: PublishedPack,
  unpack: UnpackBlock,
): AsyncGenerator<PackedObject> {
  const index = await readIndex(bucket, rid, pack);
  if (index === undefined) throw new DamagedError("A published pack is gone or damaged");
  const { head, records } = index;
  for (let first = 0; first < head.blocks;) {
    const { start } = head.blockRange(first);
    let last = first;
    while (last + 1 < head.blocks && head.blockRange(last + 1).end - start <= READ_BYTES) last++;
    const { end } = head.blockRange(last);
    const key = contentKey(rid, pack.kind, pack.sha256);
    const read = await bucket.get(key, { range: { start, end }, limitBytes: end - start });
    if (read === undefined || read === "unchanged") throw new DamagedError("A published pack is gone");
    for (; first <= last; first++) {
      const range = head.blockRange(first);
      const block = head.block(first, read.bytes.subarray(range.start - start, range.end - start), unpack);
      for (const object of objectsOfBlock(block)) yield { object };
    }
  }
  const view = new DataView(records.buffer, records.byteOffset, records.length);
  for (let at = 0; at < records.length; at += RECORD_BYTES) {
    if (view.getUint32(at + OID_BYTES) !== NO_BLOCK) continue;
    const oid = oidFromBytes(records, at);
    const page = head.pageOf(oid);
    const { start, end } = head.pageRange(page);
    const offset = head.pagesRange.start;
    yield { oid, header: head.page(page, records.subarray(start - offset, end - offset)).find(oid)!.header };
  }
}

function* objectsOfBlock(block: Block): Generator<NamedObject> {
  for (let i = 0; i < block.count; i++) yield { oid: block.oid(i), ...block.object(i) };
}

/** Writes new objects into packs, joins the packs with small published packs, and sends them. */
import {
  DamagedError,
  joinBytes,
  type Oid,
  type RepoId,
  type Repository,
  TooLargeError,
} from "../../../src/mod.ts";
import { RECORD_BYTES } from "../format/block_pack.ts";
import { BlockPackWriter } from "../format/block_pack_writer.ts";
import { contentKey, type PackKind } from "../format/keys.ts";
import type { PublishedPack } from "../format/manifest.ts";
import { NO_OBJECTS, type PublishedObjects } from "./commit_walk.ts";
import { putContent } from "./content_objects.ts";
import type { OidList } from "./object_walk.ts";
import { orderOfPack } from "./published_packs.ts";
import type { PublicationOptions } from "./publication_options.ts";

/**
 * Maximum size of a pack, in bytes. The limit exists because a pack is in memory until it is sent. Further
 * objects are written into another pack. A pack with one object may be larger.
 */
export const PACK_LIMIT_BYTES: number = 64 * 2 ** 20;
/**
 * Size below which a published pack is small, so that it is joined with any new objects, in bytes. A pack
 * must also be below {@link SMALL_SHARE} of the maximum size.
 */
export const SMALL_PACK_BYTES: number = 64 * 2 ** 10;
/** Fraction of the maximum size of a pack. A pack of at least this size does not count as small. */
const SMALL_SHARE = 1 / 8;
/**
 * A published pack is joined with new objects if the new objects have at least this part of its size. So
 * there are only few packs of a kind, each larger than the packs after it, and an object is sent again only a
 * few times in total.
 */
export const JOINED_SHARE = 0.5;
/** Size of the objects in memory, in bytes, above which publications run one after the other. */
export const LARGE_WORK_BYTES: number = 2 ** 20;

/** Maximum size of the objects that are read from the storage in one batch, in bytes. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_OBJECTS = 256;

export interface PackSenderOptions
  extends Pick<PublicationOptions, "task" | "bucket" | "deflate" | "unpack" | "now" | "packBytes"> {
  readonly rid: RepoId;
  readonly repository: Repository;
  /**
   * Called before each object of the bucket is sent.
   *
   * @throws When nothing more may be sent.
   */
  readonly check: () => Promise<void>;
  /** Returns whether {@link check} has thrown this error. */
  readonly isOver: (error: unknown) => boolean;
  /** Called before more than {@link LARGE_WORK_BYTES} are in memory. Further calls have no effect. */
  readonly beLarge: () => Promise<void>;
  /** Called while objects are written, with the number of objects written since the last call. */
  readonly onWritten: (objects: number) => void;
}

/** The packs of a kind after new objects have been sent. */
export interface SentPacks {
  /** The new packs, then the earlier packs that were not joined. */
  readonly packs: readonly PublishedPack[];
  /** Total size of the packs that were sent, in bytes. */
  readonly sentBytes: number;
  /** Number of new objects, without the objects of joined packs. */
  readonly objects: number;
  /** Objects that were found in the walk or in earlier packs, but can no longer be read. */
  readonly unreadable: readonly Oid[];
}

/**
 * Sends new objects of a kind in packs.
 *
 * @param list The objects, in their order.
 * @param skipped Objects that are already in packs.
 * @param earlier Packs of this kind in the bucket, newest first.
 * @throws {BucketError} when the bucket fails.
 * @throws {DamagedError} when a pack that is to be joined is missing or damaged.
 */
export async function sendPacks(
  options: PackSenderOptions,
  kind: PackKind,
  list: OidList,
  skipped: PublishedObjects,
  earlier: readonly PublishedPack[],
): Promise<SentPacks> {
  const { repository, task, deflate, bucket, rid, packBytes = PACK_LIMIT_BYTES } = options;
  const sent: PublishedPack[] = [];
  const unreadable: Oid[] = [];
  let sentBytes = 0;
  let writer = new BlockPackWriter(kind, deflate);

  const send = async () => {
    if (writer.objects === 0) return;
    const { pack, parts: pieces } = writer.finish();
    writer = new BlockPackWriter(kind, deflate);
    await sendOnce(options, contentKey(rid, kind, pack.sha256), joinBytes(pieces));
    sentBytes += pack.bytes;
    sent.push({ ...pack, madeAtMs: Math.floor(options.now()) });
  };
  const write = async (list: OidList, skipped: PublishedObjects, onWritten: (objects: number) => void) => {
    let count = 0;
    for await (const { oid, object } of readObjects(repository, list, skipped)) {
      await task.yield();
      if (object === undefined) {
        if (!await addHeader(repository, writer, oid)) unreadable.push(oid);
      } else {
        if (writer.objects > 0 && writer.bytes + object.bytes.length + RECORD_BYTES > packBytes) await send();
        if (writer.bytes + object.bytes.length > LARGE_WORK_BYTES) await options.beLarge();
        writer.add({ oid, kind: object.kind, bytes: object.bytes });
      }
      count++;
      onWritten(1);
    }
    return count;
  };

  const objects = await write(list, skipped, options.onWritten);
  const joined = writer.objects === 0 ? new Set() : choosePacks(writer.bytes, earlier, packBytes);
  for (const pack of earlier.filter((pack) => joined.has(pack))) {
    await write(await orderOfPack(bucket, rid, pack), NO_OBJECTS, () => {});
  }
  await send();
  return {
    packs: [...sent, ...earlier.filter((pack) => !joined.has(pack))],
    sentBytes,
    objects,
    unreadable,
  };
}

/**
 * Chooses the published packs to join with new objects.
 *
 * @param newBytes Size of the new objects, in bytes.
 */
export function choosePacks(
  newBytes: number,
  packs: readonly PublishedPack[],
  packBytes: number = PACK_LIMIT_BYTES,
): ReadonlySet<PublishedPack> {
  const chosen = new Set<PublishedPack>();
  let bytes = newBytes;
  for (const pack of [...packs].sort((a, b) => a.bytes - b.bytes)) {
    const isSmall = pack.bytes < Math.min(SMALL_PACK_BYTES, packBytes * SMALL_SHARE) ||
      pack.bytes * JOINED_SHARE <= bytes;
    if (!isSmall || bytes + pack.bytes > packBytes) break;
    chosen.add(pack);
    bytes += pack.bytes;
  }
  return chosen;
}

/** Puts an object whose key contains the digest of its content, after {@link PackSenderOptions.check}. */
export async function sendOnce(
  { bucket, check }: Pick<PackSenderOptions, "bucket" | "check">,
  key: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  await check();
  await putContent(bucket, key, bytes);
}

async function* readObjects(repository: Repository, list: OidList, skipped: PublishedObjects) {
  for (let at = 0; at < list.length;) {
    const oids: Oid[] = [];
    for (; at < list.length && oids.length < BATCH_OBJECTS; at++) {
      const oid = list.at(at);
      if (!skipped.has(oid)) oids.push(oid);
    }
    for (let done = 0; done < oids.length;) {
      const objects = await repository.objects(oids.slice(done), { batchBytes: BATCH_BYTES });
      // If a result is empty, its first object is treated as missing.
      for (let i = 0; i < Math.max(objects.length, 1); i++) {
        yield { oid: oids[done + i]!, object: objects[i] };
      }
      done += Math.max(objects.length, 1);
    }
  }
}

/**
 * Adds the kind and the size of an object that is too large to read. Returns `false` for any other object.
 */
async function addHeader(repository: Repository, writer: BlockPackWriter, oid: Oid): Promise<boolean> {
  try {
    await repository.object(oid);
    return false;
  } catch (error) {
    if (error instanceof DamagedError) return false;
    if (!(error instanceof TooLargeError)) throw error;
  }
  const header = await repository.header(oid);
  if (header === undefined) return false;
  writer.addHeader(oid, header);
  return true;
}

/** Writes new objects into packs, joins them with small published packs, and sends them. */
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

/** Bytes after which a pack ends and another one begins: a pack is in memory until it is sent. */
export const PACK_LIMIT_BYTES: number = 64 * 2 ** 20;
/** Packs below this size are always joined with new objects, in bytes; see also {@link SMALL_SHARE}. */
export const SMALL_PACK_BYTES: number = 64 * 2 ** 10;
/** Packs above this part of the limit are not small. */
const SMALL_SHARE = 1 / 8;
/**
 * A published pack is joined with new objects if these have at least this part of its size. So the packs of a
 * kind are few, each larger than the ones after it, and an object is sent again only a few times in all.
 */
export const JOINED_SHARE = 0.5;
/** Publications that have more than these bytes in memory run one after the other. */
export const LARGE_WORK_BYTES: number = 2 ** 20;

/** Bytes read from the storage at once. */
const BATCH_BYTES = 4 * 2 ** 20;
const BATCH_OBJECTS = 256;

export interface PackSenderOptions
  extends Pick<PublicationOptions, "task" | "bucket" | "deflate" | "unpack" | "now" | "packBytes"> {
  readonly rid: RepoId;
  readonly repository: Repository;
  /**
   * Called before each pack is sent.
   *
   * @throws when nothing more may be sent.
   */
  readonly check: () => Promise<void>;
  /** Whether {@link check} threw this error. */
  readonly isOver: (error: unknown) => boolean;
  /** Called before more than {@link LARGE_WORK_BYTES} are in memory. Further calls do nothing. */
  readonly beLarge: () => Promise<void>;
  /** Called while objects are written, with the number written since the last call. */
  readonly onWritten: (objects: number) => void;
}

/** Packs of a kind after new objects have been sent. */
export interface SentPacks {
  /** Newest first: new ones, and earlier ones that were not joined. */
  readonly packs: readonly PublishedPack[];
  /** Bytes of the packs that were sent. */
  readonly sentBytes: number;
  /** Number of new objects, without the objects of joined packs. */
  readonly objects: number;
  /** Objects that were found or published earlier and cannot be read any more. */
  readonly unreadable: readonly Oid[];
}

/**
 * Sends new objects of a kind in packs.
 *
 * @param list The objects, in their order.
 * @param skipped Objects that are in packs already.
 * @param earlier Packs of the kind in the bucket, newest first.
 * @throws {BucketError} when the bucket fails.
 * @throws {DamagedError} when a pack that is joined is gone or damaged.
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

/** Chooses the published packs that are joined with new objects of a given size. */
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

/** Puts an object whose name is the digest of its content, if more may be sent. */
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
      // An empty result counts as one absent object.
      for (let i = 0; i < Math.max(objects.length, 1); i++) {
        yield { oid: oids[done + i]!, object: objects[i] };
      }
      done += Math.max(objects.length, 1);
    }
  }
}

/** Adds kind and size of an object that is too large to read; `false` for any other object. */
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

/** Makes the packs of a new state of a repository, and sends them. */
import {
  DamagedError,
  type Oid,
  OID_BYTES,
  parseCommitHeader,
  type RepoId,
  type Repository,
  type Task,
  TooLargeError,
} from "../../../src/mod.ts";
import { contentKey, packKey, sha256Of, sha256OfLong } from "../format/keys.ts";
import {
  type Manifest,
  MAX_FIRST_BLOCKS,
  MAX_PACKS,
  MAX_SMALL_PACK_OBJECTS,
  type PublishedPack,
  type TipsFile,
} from "../format/manifest.ts";
import { BLOCK_BYTES, digestsOfBlocks, encodeOffsetTable } from "../format/offset_table.ts";
import { inlineOf } from "../format/derived.ts";
import type { ObjectSender } from "./object_sender.ts";
import { parsePackIdx, type PlacedObject } from "./pack_idx.ts";
import type { MadePack, PackMaker, PackRequest } from "./pack_maker.ts";
import { countReplaced, isSmallPack } from "./pack_plan.ts";
import { encodeTips, existing, type PublishedRefs, readTipsOfPack } from "./published_tips.ts";
import type { Bucket } from "../bucket/bucket.ts";

export interface PackPublication {
  readonly rid: RepoId;
  readonly bucket: Bucket;
  readonly packMaker: PackMaker;
  readonly sender: ObjectSender;
  readonly repository: Repository;
  /** Commits whose parents the repository intentionally lacks. */
  readonly shallow: Iterable<Oid>;
  /** Ids of all objects to which the references of the new state point. */
  readonly tips: readonly Oid[];
  /** The newest commit of the default branch, if it exists. */
  readonly head: Oid | undefined;
  /** The published state whose packs may stay; `undefined` to make all packs anew. */
  readonly before: { readonly manifest: Manifest; readonly refs: PublishedRefs } | undefined;
  readonly now: () => number;
  readonly task: Task;
  readonly signal?: AbortSignal | undefined;
  readonly onLarge?: (() => void) | undefined;
}

export interface PublishedPacks {
  /** All packs of the new state, the newest first. */
  readonly packs: readonly PublishedPack[];
  /** Number of objects in new packs. */
  readonly objects: number;
  /** Whether all objects existed in the repository. */
  readonly isComplete: boolean;
  /** Whether all packs are new. */
  readonly isNew: boolean;
  /** Whether large packs are among the new packs. */
  readonly isLarge: boolean;
}

/**
 * Makes and sends the packs that the new state needs in addition to published packs.
 *
 * @throws {BucketError}
 * @throws {DamagedError} when the objects cannot be packed.
 */
export async function publishPacks(publication: PackPublication): Promise<PublishedPacks> {
  const { rid, packMaker, sender, shallow, tips, task, signal, onLarge } = publication;
  const { request, remaining } = await plan(publication);
  if (request.tips.length === 0) {
    return { packs: remaining, objects: 0, isComplete: true, isNew: remaining.length === 0, isLarge: false };
  }
  const hot = await findHot(publication);
  const made: Omit<PublishedPack, "tips">[] = [];
  const madeAtMs = Math.floor(publication.now());
  const { isComplete } = await packMaker.make({ rid, ...request, shallow, signal, onLarge }, async (pack) => {
    made.push({ ...await sendPack(sender, rid, pack, hot, task), madeAtMs });
  });
  const isSmall = made.length === 1 && made.every(isSmallPack);
  const group = made.length === 0 || isSmall ? null : await sendTips(sender, rid, tips);
  const packs = [...made.map((pack) => ({ ...pack, tips: group })), ...remaining];
  if (packs.length > MAX_PACKS) throw new TooLargeError(`${rid} needs more than ${MAX_PACKS} packs`);
  const objects = made.reduce((sum, pack) => sum + pack.objects, 0);
  return { packs, objects, isComplete, isNew: remaining.length === 0, isLarge: group !== null };
}

/** Decides which objects to pack, and which packs stay. */
async function plan({ bucket, repository, tips, before, task }: PackPublication): Promise<{
  readonly request: Pick<PackRequest, "tips" | "published">;
  readonly remaining: readonly PublishedPack[];
}> {
  const everything = { request: { tips, published: [] }, remaining: [] };
  if (before === undefined) return everything;
  const { manifest, refs } = before;
  const { packs } = manifest;
  const added = tips.filter((oid) => !refs.targets.has(oid));
  const replaced = added.length === 0 ? 0 : countReplaced(packs);
  if (replaced === 0) {
    return {
      request: { tips: added, published: await existing(repository, refs.targets, task) },
      remaining: packs,
    };
  }
  const base = packs[replaced];
  const baseTips = base && await readTipsOfPack(bucket, manifest, base);
  if (baseTips === undefined) return everything;
  return {
    request: { tips, published: await existing(repository, baseTips, task) },
    remaining: packs.slice(replaced),
  };
}

/** Returns the ids of the objects that most requests need first. */
async function findHot({ repository, head }: PackPublication): Promise<ReadonlySet<Oid>> {
  const found = head && await repository.object(head);
  if (head === undefined || found?.kind !== "commit") return new Set();
  return new Set([head, parseCommitHeader(found.bytes).tree]);
}

async function sendPack(
  sender: ObjectSender,
  rid: RepoId,
  { name, pack, idx }: MadePack,
  hot: ReadonlySet<Oid>,
  task: Task,
): Promise<Omit<PublishedPack, "tips" | "madeAtMs">> {
  const { packName, objects } = parsePackIdx(idx);
  if (packName !== name) throw new DamagedError(`The index of pack ${name} belongs to another pack`);
  const table = encodeOffsetTable(await digestsOfBlocks(pack, task), objects);
  const isInline = objects.length <= MAX_SMALL_PACK_OBJECTS && table.length <= MAX_INLINE_TABLE_BYTES;
  await Promise.all([
    sender.send(packKey(rid, name, "pack"), pack),
    sender.send(packKey(rid, name, "idx"), idx),
    isInline ? undefined : sender.send(packKey(rid, name, "offsets"), table),
  ]);
  return {
    name,
    bytes: pack.length,
    idxBytes: idx.length,
    objects: objects.length,
    offsets: isInline ? { inline: inlineOf(table) } : { sha256: await sha256OfLong(table) },
    firstBlocks: firstBlocks(pack.length, objects, hot),
  };
}

/** Maximum size of an offset table inside the manifest, in bytes. */
const MAX_INLINE_TABLE_BYTES = 2 ** 15;

/** Returns the numbers of the blocks that contain some of the objects, in ascending order. */
function firstBlocks(
  packBytes: number,
  objects: readonly PlacedObject[],
  hot: ReadonlySet<Oid>,
): readonly number[] {
  const blocks = new Set<number>();
  for (const { oid, offset } of objects) {
    if (!hot.has(oid)) continue;
    const end = objects.reduce(
      (nearest, other) => other.offset > offset && other.offset < nearest ? other.offset : nearest,
      packBytes - OID_BYTES,
    );
    for (let block = Math.floor(offset / BLOCK_BYTES); block * BLOCK_BYTES < end; block++) blocks.add(block);
  }
  return [...blocks].sort((a, b) => a - b).slice(0, MAX_FIRST_BLOCKS);
}

async function sendTips(sender: ObjectSender, rid: RepoId, tips: readonly Oid[]): Promise<TipsFile> {
  const bytes = encodeTips(tips);
  const sha256 = sha256Of(bytes);
  await sender.send(contentKey(rid, "tips", sha256), bytes);
  return { sha256, bytes: bytes.length };
}

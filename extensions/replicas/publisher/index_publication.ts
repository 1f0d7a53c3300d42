/**
 * Publishes the multi-pack index of a repository. The index is written again only when the packs outside of
 * the index have grown, or when many packs in the index no longer exist. A small change needs only the id
 * prefixes of its objects in the manifest.
 */
import { OID_BYTES, viewOf } from "../../../src/mod.ts";
import { RECORD_BYTES } from "../format/block_pack.ts";
import { contentKey } from "../format/keys.ts";
import { MAX_LISTED_OBJECTS, type PublishedIndex, type PublishedPack } from "../format/manifest.ts";
import { MultiPackIndexWriter } from "../format/multi_pack_index_writer.ts";
import { type PackSenderOptions, sendOnce } from "./pack_sender.ts";
import { readIndex } from "./published_packs.ts";

/**
 * Fraction of the objects of an index. The index is written again when its packs that still exist have fewer
 * objects than this fraction.
 */
const LIVING_SHARE = 0.5;

/** The packs of a manifest, with their numbers in a multi-pack index. */
export interface IndexedPacks {
  readonly packs: readonly PublishedPack[];
  /** Null when the manifest has the prefixes of all ids, or when an index would be too large. */
  readonly index: PublishedIndex | null;
  /** Number of bytes that were sent. */
  readonly sentBytes: number;
}

/**
 * Publishes an index of the packs, if they need an index.
 *
 * @param packs All packs of a state, the newest pack first.
 * @param before The index of the earlier state. The numbers (`inIndex`) of earlier packs refer to this index.
 * @throws {BucketError}
 */
export async function publishIndex(
  sender: PackSenderOptions,
  packs: readonly PublishedPack[],
  before: PublishedIndex | null,
): Promise<IndexedPacks> {
  const { bucket, rid } = sender;
  const listed = chooseListed(packs.filter(({ inIndex }) => before === null || inIndex === undefined));
  const isInIndex = ({ inIndex }: PublishedPack) => before !== null && inIndex !== undefined;
  const bare = packs.filter((pack) => !isInIndex(pack) && !listed.has(pack));
  const living = packs.filter(isInIndex).reduce((sum, { objects }) => sum + objects, 0);
  if (before !== null && bare.length === 0 && living > 0 && living >= before.objects * LIVING_SHARE) {
    if (await bucket.head(contentKey(rid, "index", before.sha256)) !== undefined) {
      const same = packs.map((pack) => {
        const { inIndex } = pack;
        return { ...lineOf(pack, listed), ...inIndex !== undefined && { inIndex } };
      });
      return { packs: same, index: before, sentBytes: 0 };
    }
  }
  const alone = packs.map((pack) => lineOf(pack, listed));
  if (living === 0 && bare.length === 0) {
    return { packs: alone, index: null, sentBytes: 0 };
  }
  return await writeIndex(sender, packs) ?? { packs: alone, index: null, sentBytes: 0 };
}

/**
 * Chooses the packs whose id prefixes are stored in the manifest. These are the packs with the fewest
 * objects.
 */
function chooseListed(packs: readonly PublishedPack[]): ReadonlySet<PublishedPack> {
  const listed = new Set<PublishedPack>();
  let objects = 0;
  for (const pack of [...packs].sort((a, b) => a.objects - b.objects)) {
    objects += pack.objects;
    if (objects > MAX_LISTED_OBJECTS) break;
    if (pack.idStarts !== undefined) listed.add(pack);
  }
  return listed;
}

/** Returns the entry of a pack in a manifest, without its number in an index. */
function lineOf(pack: PublishedPack, listed: ReadonlySet<PublishedPack>): PublishedPack {
  const { inIndex: _inIndex, idStarts, ...line } = pack;
  return idStarts !== undefined && listed.has(pack) ? { ...line, idStarts } : line;
}

/** Writes an index of all readable packs. Returns `undefined` when the index would be too large. */
async function writeIndex(
  sender: PackSenderOptions,
  packs: readonly PublishedPack[],
): Promise<IndexedPacks | undefined> {
  const { bucket, rid, deflate, task } = sender;
  const writer = new MultiPackIndexWriter();
  const lines: PublishedPack[] = [];
  for (const pack of packs) {
    const line = lineOf(pack, new Set());
    const index = await readIndex(bucket, rid, pack);
    if (index === undefined) {
      lines.push(line);
      continue;
    }
    const { head, headBytes, records } = index;
    const inIndex = writer.addPack(headBytes, head);
    lines.push({ ...line, inIndex });
    const view = viewOf(records);
    for (let at = 0; at < records.length; at += RECORD_BYTES) {
      writer.add(view.getUint32(at), { pack: inIndex, block: view.getUint32(at + OID_BYTES) });
      await task.yield();
    }
  }
  const written = await writer.finish(deflate, () => task.yield());
  if (written === undefined) return undefined;
  await sendOnce(sender, contentKey(rid, "index", written.index.sha256), written.bytes);
  return { packs: lines, index: written.index, sentBytes: written.bytes.length };
}

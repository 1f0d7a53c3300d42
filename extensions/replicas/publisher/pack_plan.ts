/**
 * Plans which packs of a repository are replaced by a new pack. The functions are pure. Packs are in the
 * order of the manifest, the newest first: some small packs without tips, then groups of large packs. The
 * packs of a group were made together, and have the same tips.
 */
import { MAX_SMALL_PACK_OBJECTS, type PublishedPack } from "../format/manifest.ts";

/** Maximum number of small packs of a repository. */
export const MAX_SMALL_PACKS = 8;
/** Size of a pack from which on it is not small, in bytes, even if it has few objects. */
export const SMALL_PACK_BYTES: number = 2 ** 20;
/**
 * Part of the size of a group. Packs that are replaced, and that have more than this part of the size of the
 * next group, are joined with this group. So each group has at least twice the size of the groups before it,
 * and an object is sent again only a few times.
 */
const JOINED_PART = 1 / 2;

type Sized = Pick<PublishedPack, "bytes" | "objects">;

/** Checks whether a pack is small. Small packs have no tips. */
export function isSmallPack({ bytes, objects }: Sized): boolean {
  return objects <= MAX_SMALL_PACK_OBJECTS && bytes < SMALL_PACK_BYTES;
}

/**
 * Returns the number of packs, beginning with the newest, that the next new pack replaces. It is 0 when all
 * packs stay.
 */
export function countReplaced(packs: readonly PublishedPack[]): number {
  const small = packs.findIndex(({ tips }) => tips !== null);
  const smallCount = small < 0 ? packs.length : small;
  const smallSize = sizeOf(packs.slice(0, smallCount));
  const isFull = smallCount >= MAX_SMALL_PACKS || smallSize.objects >= MAX_SMALL_PACK_OBJECTS;
  let replaced = isFull ? smallCount : 0;
  for (let start = smallCount; start < packs.length;) {
    const end = endOfGroup(packs, start);
    const group = sizeOf(packs.slice(start, end));
    const next = sizeOf(packs.slice(end, endOfGroup(packs, end)));
    const isJoined = isLarge(sizeOf(packs.slice(0, replaced)), group) ||
      end < packs.length && isLarge(group, next);
    if (!isJoined) break;
    replaced = end;
    start = end;
  }
  return replaced;
}

/** Returns the end of the group that begins at `start`, exclusive. */
function endOfGroup(packs: readonly PublishedPack[], start: number): number {
  const tips = packs[start]?.tips?.sha256;
  let end = start;
  while (end < packs.length && packs[end]!.tips?.sha256 === tips) end++;
  return end;
}

/** Checks whether packs are too large to stay before a group. */
function isLarge(packs: Sized, group: Sized): boolean {
  return packs.bytes > JOINED_PART * group.bytes || packs.objects > JOINED_PART * group.objects;
}

function sizeOf(packs: readonly Sized[]): Sized {
  return {
    bytes: packs.reduce((sum, { bytes }) => sum + bytes, 0),
    objects: packs.reduce((sum, { objects }) => sum + objects, 0),
  };
}

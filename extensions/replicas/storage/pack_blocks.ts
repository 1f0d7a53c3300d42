/**
 * The blocks of a pack that are in memory. A block is cached as stored, and is unpacked when it is needed.
 */
import {
  checkPackedSize,
  DamagedError,
  type GitObject,
  ifReadable,
  type Limiter,
  type LruMap,
  type ObjectHeader,
  type Oid,
  type Scheduler,
  Task,
  unpackSlowly,
} from "../../../src/mod.ts";
import type { Block, UnpackBlock } from "../format/block.ts";
import type { ObjectPlace, PackHead } from "../format/block_pack.ts";

/** Number of recently used blocks that are searched before a page of a large index is read. */
const RECENT_BLOCKS = 8;

/**
 * Maximum unpacked size of a block that is unpacked at once, in bytes. A larger block is unpacked in steps,
 * and only one large block at a time.
 */
export const UNPACKED_AT_ONCE_BYTES = 2 ** 21;

/** A block in memory: as stored, or unpacked once it was needed. */
export type CachedBlock = { readonly packed: Uint8Array } | { readonly block: Block };

/** Returns the approximate memory use of a cached block, in bytes. */
export function blockWeight(cached: CachedBlock): number {
  return "packed" in cached ? cached.packed.length + 256 : cached.block.weight;
}

/** Resources that all packs of a storage share. */
export interface BlockContext {
  readonly unpack: UnpackBlock;
  /** Counts the bytes that are read in one tick of the event loop. */
  readonly scheduler: Scheduler;
  /**
   * Limits the unpacking of large blocks to one block at a time, because it takes several times the size of
   * the block in memory.
   */
  readonly slowBlocks: Limiter;
  /**
   * Cached blocks. The key is the number of the first block of a pack (`nextPackNumbers`) plus the number of
   * the block in the pack.
   */
  readonly blocks: LruMap<number, CachedBlock>;
}

export class PackBlocks {
  /** Key of this pack's first block in the cache. */
  readonly #base: number;
  readonly #context: BlockContext;
  #recent: number[] = [];

  constructor(base: number, context: BlockContext) {
    this.#base = base;
    this.#context = context;
  }

  has(number: number): boolean {
    return this.#context.blocks.get(this.#base + number) !== undefined;
  }

  /**
   * Caches a block as stored.
   *
   * @param bytes A part of the pack that contains the block.
   * @param offset Offset of `bytes` in the pack.
   */
  add(head: PackHead, block: number, bytes: Uint8Array, offset: number): void {
    if (this.has(block)) return;
    const { start, end } = head.blockRange(block);
    this.#context.blocks.set(this.#base + block, { packed: bytes.slice(start - offset, end - offset) });
  }

  /**
   * Returns a block from memory, unpacked. Returns `undefined` when the block is not in memory or is damaged,
   * and when it is large and still packed.
   */
  block(head: PackHead, number: number): Block | undefined {
    const cached = this.#context.blocks.get(this.#base + number);
    if (cached === undefined) return undefined;
    if (this.#recent[0] !== number) {
      this.#recent = [number, ...this.#recent.filter((one) => one !== number)].slice(0, RECENT_BLOCKS);
    }
    if ("block" in cached) return cached.block;
    if (head.rawBytes(number) > UNPACKED_AT_ONCE_BYTES) return undefined;
    this.#context.scheduler.countRead(head.rawBytes(number));
    const block = ifReadable(() => head.block(number, cached.packed, this.#context.unpack));
    if (block === undefined) this.#context.blocks.delete(this.#base + number);
    else this.#context.blocks.set(this.#base + number, { block });
    return block;
  }

  /**
   * Returns an object of a block. Returns `undefined` when the object is damaged. The block is then removed
   * from the cache.
   */
  objectIn(
    block: Block,
    oid: Oid,
    { block: number, number: place, header }: ObjectPlace,
  ): GitObject | undefined {
    const isThere = place < block.count && hasHeader(block, place, header);
    const object = isThere ? ifReadable(() => block.object(place, oid)) : undefined;
    if (object === undefined) this.#context.blocks.delete(this.#base + number);
    return object;
  }

  /**
   * Returns an object of a cached block. Returns `undefined` when the block is not in memory, or is damaged.
   */
  async cachedObject(head: PackHead, oid: Oid, place: ObjectPlace): Promise<GitObject | undefined> {
    const block = this.block(head, place.block);
    if (block !== undefined) return this.objectIn(block, oid, place);
    const cached = this.#context.blocks.get(this.#base + place.block);
    if (cached === undefined || !("packed" in cached)) return undefined;
    return await ifReadable(() => this.objectOf(head, oid, place, cached.packed));
  }

  /**
   * Unpacks a block, caches the unpacked block, and returns one of its objects. A large block is unpacked in
   * steps.
   *
   * @param packed The block as stored.
   * @throws {DamagedError} when the block is damaged or does not have the object.
   */
  async objectOf(head: PackHead, oid: Oid, place: ObjectPlace, packed: Uint8Array): Promise<GitObject> {
    const { block: number, number: at, header } = place;
    const isLarge = head.rawBytes(number) > UNPACKED_AT_ONCE_BYTES;
    const { unpack, slowBlocks, blocks } = this.#context;
    const block = isLarge
      ? await slowBlocks.run(() => unpackLarge(head, number, packed))
      : head.block(number, packed, unpack);
    if (at >= block.count || block.oid(at) !== oid || !hasHeader(block, at, header)) {
      throw new DamagedError("A block has other objects than its index");
    }
    if (isLarge) await block.check(at);
    const object = block.object(at);
    blocks.set(this.#base + number, { block });
    return object;
  }

  /**
   * Searches an object in the blocks that were used last, because they often contain neighbours of the
   * object.
   */
  findRecent(oid: Oid): ObjectPlace | undefined {
    for (const number of this.#recent) {
      const cached = this.#context.blocks.get(this.#base + number);
      if (cached === undefined || !("block" in cached)) continue;
      const place = placeIn(cached.block, number, oid);
      if (place !== undefined) return place;
    }
    return undefined;
  }
}

/** Returns the location of an object in a block, or `undefined` when the block does not have it. */
export function placeIn(block: Block, number: number, oid: Oid): ObjectPlace | undefined {
  const place = block.find(oid);
  return place < 0 ? undefined : { block: number, number: place, header: block.header(place) };
}

/**
 * Unpacks a large block in steps.
 *
 * @throws {DamagedError} when the bytes are not this block of the pack.
 */
async function unpackLarge(head: PackHead, block: number, packed: Uint8Array): Promise<Block> {
  const inflatedBytes = head.inflatedBytes(block);
  checkPackedSize(packed.length, inflatedBytes);
  const inflated = await unpackSlowly(packed, inflatedBytes, new Task());
  return head.inflatedBlock(block, inflated);
}

/** Checks whether the directory of a block gives the same kind and size of an object as an index does. */
function hasHeader(block: Block, number: number, { kind, size }: ObjectHeader): boolean {
  const found = block.header(number);
  return found.kind === kind && found.size === size;
}

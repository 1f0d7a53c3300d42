/** Blocks of a pack that are in memory. A block stays as stored until it is needed, and is unpacked then. */
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

/** Last used blocks that are searched before a page of a large index is read. */
const RECENT_BLOCKS = 8;

/** Blocks of more bytes are unpacked in steps, one at a time. */
export const UNPACKED_AT_ONCE_BYTES = 2 ** 21;

/** A block in memory: as stored until it is needed. */
export type CachedBlock = { readonly packed: Uint8Array } | { readonly block: Block };

/** Bytes of a cached block in memory, approximately. */
export function blockWeight(cached: CachedBlock): number {
  return "packed" in cached ? cached.packed.length + 256 : cached.block.weight;
}

/** Shared by all packs of a storage. */
export interface BlockContext {
  readonly unpack: UnpackBlock;
  /** Counts the bytes that are read in a tick. */
  readonly scheduler: Scheduler;
  /** Unpacks one large block at a time, because each needs several times its size of memory. */
  readonly slowBlocks: Limiter;
  /** Blocks by the number of the pack times 2^20, plus the number of the block. */
  readonly blocks: LruMap<number, CachedBlock>;
}

export class PackBlocks {
  /** Number of the first block in the cache. */
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

  /** Caches a block as it is stored, from bytes that begin at an offset of the pack. */
  add(head: PackHead, block: number, bytes: Uint8Array, offset: number): void {
    if (this.has(block)) return;
    const { start, end } = head.blockRange(block);
    this.#context.blocks.set(this.#base + block, { packed: bytes.slice(start - offset, end - offset) });
  }

  /** The block, if it is in memory and sound. */
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

  /** An object of a block; `undefined` when it is damaged: the block is dropped then. */
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

  /** An object of a block in memory; `undefined` when the block is not in memory, or damaged. */
  async cachedObject(head: PackHead, oid: Oid, place: ObjectPlace): Promise<GitObject | undefined> {
    const block = this.block(head, place.block);
    if (block !== undefined) return this.objectIn(block, oid, place);
    const cached = this.#context.blocks.get(this.#base + place.block);
    if (cached === undefined || !("packed" in cached)) return undefined;
    return await ifReadable(() => this.objectOf(head, oid, place, cached.packed));
  }

  /**
   * An object of a block as it is stored. The block is in memory from then on. A large one is unpacked in
   * steps.
   *
   * @throws {DamagedError} when the block is damaged or has other objects.
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

  /** Searches an object in the blocks that were used last: neighbours are often there. */
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

/** The place of an object in a block; `undefined` when it is not there. */
export function placeIn(block: Block, number: number, oid: Oid): ObjectPlace | undefined {
  const place = block.find(oid);
  return place < 0 ? undefined : { block: number, number: place, header: block.header(place) };
}

/** @throws {DamagedError} when it is not the block of this pack. */
async function unpackLarge(head: PackHead, block: number, packed: Uint8Array): Promise<Block> {
  const inflatedBytes = head.inflatedBytes(block);
  checkPackedSize(packed.length, inflatedBytes);
  const inflated = await unpackSlowly(packed, inflatedBytes, new Task());
  return head.inflatedBlock(block, inflated);
}

/** Whether the directory of a block has the same kind and size of an object as an index. */
function hasHeader(block: Block, number: number, { kind, size }: ObjectHeader): boolean {
  const found = block.header(number);
  return found.kind === kind && found.size === size;
}

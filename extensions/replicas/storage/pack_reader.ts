/**
 * Reads a block pack of a bucket. Neighbouring blocks are read together, in groups whose bounds never change.
 * The multi-pack index contains the headers of its packs. For these packs, it gives the block of an object,
 * and the directory of the block replaces the pack's own index. A pack outside of the multi-pack index
 * usually has few objects. The first read of such a pack returns everything except the blocks after the first
 * group.
 */
import {
  type Awaitable,
  DamagedError,
  type GitObject,
  ifReadable,
  type LruMap,
  OBJECT_LIMITS,
  type Oid,
  TooLargeError,
} from "../../../src/mod.ts";
import {
  IndexPage,
  NO_BLOCK,
  type ObjectPlace,
  PackHead,
  type PackRange,
  RECORD_BYTES,
} from "../format/block_pack.ts";
import { PrefixFilter } from "../format/prefix_filter.ts";
import { MAX_LISTED_OBJECTS, type PublishedPack } from "../format/manifest.ts";
import type { IndexedObjects } from "../format/multi_pack_index.ts";
import { type BlockContext, PackBlocks, placeIn, UNPACKED_AT_ONCE_BYTES } from "./pack_blocks.ts";
import { type BucketReads, unavailable } from "./reads.ts";

/** Maximum total size of the stored blocks in a group, in bytes. A larger block is in its own group. */
export const GROUP_BYTES = 3 * 2 ** 16;
/** Maximum size of the neighbouring groups that are read together, in bytes. */
export const MAX_READ_BYTES = 2 ** 22;

/**
 * A page of an index in memory. It belongs to the index of one pack, or to the multi-pack index. A page of
 * the multi-pack index is cached as stored until it is needed.
 */
export type CachedPage = IndexPage | IndexedObjects | Uint8Array;

/** Returns the approximate memory use of a cached page, in bytes. */
export function pageWeight(page: CachedPage): number {
  return page instanceof Uint8Array ? page.length + 256 : page.weight;
}

/** Resources that all packs of a storage share. */
export interface PackContext extends BlockContext {
  readonly reads: BucketReads;
  /** Cached index pages. The key is a number from `nextPackNumbers` plus the number of the page. */
  readonly pages: LruMap<number, CachedPage>;
}

/** The header of a pack, and the groups of its blocks. */
interface OpenPack {
  readonly head: PackHead;
  /** The first block of each group; the last element is the number of blocks. */
  readonly groups: readonly number[];
  readonly groupOf: Uint32Array;
}

let packNumbers = 0;

/** Returns the first of 2^20 consecutive numbers, which are keys in the caches of {@link PackContext}. */
export function nextPackNumbers(): number {
  return packNumbers++ * 2 ** 20;
}

/**
 * A pack of a bucket. Its methods return objects and locations at once if they are in memory, and otherwise
 * as promises.
 */
export class PackReader {
  readonly pack: PublishedPack;
  readonly #key: string;
  readonly #context: PackContext;
  /** Key of this pack's first block and of its first page in the caches. */
  readonly #base = nextPackNumbers();
  readonly #idStarts: PrefixFilter | undefined;
  readonly #blocks: PackBlocks;
  #open: OpenPack | undefined;
  /** Whether the multi-pack index has the header of another pack under this pack's number. */
  #hasWrongHead = false;
  #opening: Promise<OpenPack> | undefined;
  /** Ranges that were read before their blocks could be verified, by their bounds. */
  readonly #unchecked = new Map<string, PackRange>();
  readonly #readingGroups = new Map<number, Promise<void>>();

  constructor(pack: PublishedPack, key: string, context: PackContext) {
    this.pack = pack;
    this.#key = key;
    this.#context = context;
    this.#blocks = new PackBlocks(this.#base, context);
    this.#idStarts = pack.idStarts === undefined ? undefined : new PrefixFilter(pack.idStarts);
  }

  /** Checks whether the pack may have an object, according to the pack's entry in the manifest. */
  mayHave(oid: Oid): boolean {
    return this.#idStarts?.mayHave(oid) !== false;
  }

  /** Approximate memory use of the header, in bytes. */
  get weight(): number {
    return 512 + (this.#open?.head.weight ?? 0);
  }

  /**
   * Offers a header that the multi-pack index contains for this pack. The header is used if it matches the
   * manifest and no header is known yet. If it is the header of another pack, the right header is read from
   * this pack later.
   */
  useHead(bytes: Uint8Array): void {
    if (this.#open !== undefined || this.#hasWrongHead) return;
    this.#open = ifReadable(() => openPack(new PackHead(bytes, this.pack)));
    this.#hasWrongHead = this.#open === undefined;
  }

  /**
   * Returns the location of an object in a block that the multi-pack index names, from memory. Returns
   * `undefined` when the block does not have the object. Returns "unknown" when a read is needed, and when
   * the multi-pack index is wrong. It is wrong if the block has no object whose id begins with the same 32
   * bits.
   */
  findInBlockNow(oid: Oid, number: number): ObjectPlace | undefined | "unknown" {
    const open = this.#open;
    if (open === undefined || number >= open.head.blocks) return "unknown";
    const block = this.#blocks.block(open.head, number);
    if (block === undefined) return "unknown";
    return placeIn(block, number, oid) ?? (block.hasStart(oid) ? undefined : "unknown");
  }

  /**
   * Returns the location of an object in a block that the multi-pack index names, or `undefined` when the
   * pack does not have the object. If the location is not in memory, reads the block, or for a large block a
   * page of the pack's own index.
   *
   * @throws {GoneError}
   * @throws {UnavailableError} when the bucket cannot be read, and when the multi-pack index is wrong,
   *   because no id in the pack has the same first 32 bits.
   */
  async findInBlock(oid: Oid, number: number): Promise<ObjectPlace | undefined> {
    const open = this.#open;
    if (open !== undefined && !this.isLargeBlock(number)) {
      await this.readBlocks([number]);
      const place = this.findInBlockNow(oid, number);
      if (place !== "unknown") return place;
    }
    // This code also runs for a damaged block. The block is read again once the location is known.
    const found = await this.find(oid);
    if (found === undefined && !this.#pageNow(oid)?.hasStart(oid)) throw unavailable();
    return found;
  }

  /**
   * Returns the location of an object, or `undefined` when it is not in this pack.
   *
   * @throws {GoneError}
   * @throws {UnavailableError}
   */
  find(oid: Oid): Awaitable<ObjectPlace | undefined> {
    const open = this.#open;
    if (open === undefined) return this.#readStart().then(() => this.find(oid));
    const place = this.findNow(oid);
    if (place !== "unknown") return place;
    return this.#readPage(open.head, open.head.pageOf(oid)).then((page) => page.find(oid));
  }

  /**
   * Returns the location of an object, from memory alone. Returns `undefined` when the object is not in this
   * pack, and "unknown" when a read is needed.
   */
  findNow(oid: Oid): ObjectPlace | undefined | "unknown" {
    const open = this.#open;
    if (open === undefined) return "unknown";
    if (open.head.pageOf(oid) < 0) return undefined;
    const page = this.#pageNow(oid);
    return page === undefined ? this.#blocks.findRecent(oid) ?? "unknown" : page.find(oid);
  }

  /** Returns the page of the pack's own index for an object, if the page is in memory. */
  #pageNow(oid: Oid): IndexPage | undefined {
    const number = this.#open?.head.pageOf(oid) ?? -1;
    const page = number < 0 ? undefined : this.#context.pages.get(this.#base + number);
    return page instanceof IndexPage ? page : undefined;
  }

  /**
   * Reads the object at a location. The caller must check the size of the object first.
   *
   * @throws {TooLargeError} when the content of the object is not in the pack.
   * @throws {GoneError}
   * @throws {UnavailableError}
   */
  object(oid: Oid, place: ObjectPlace): Awaitable<GitObject> {
    const { block: number, header } = place;
    const open = this.#open;
    if (open === undefined) return this.#readStart().then(() => this.object(oid, place));
    if (number === NO_BLOCK) {
      throw new TooLargeError(`Object is larger than ${OBJECT_LIMITS[header.kind]} bytes`);
    }
    const block = this.#blocks.block(open.head, number);
    if (block === undefined) return this.#readObject(oid, place);
    return this.#blocks.objectIn(block, oid, place) ?? this.#readObject(oid, place);
  }

  /**
   * Checks whether a block is so large that a page of the index is read before the block. Returns true for an
   * unknown block.
   */
  isLargeBlock(block: number): boolean {
    const head = this.#open?.head;
    return head === undefined || block >= head.blocks || head.rawBytes(block) > UNPACKED_AT_ONCE_BYTES;
  }

  /** Reads the groups of the blocks that are not in memory, neighbouring groups together. */
  async readBlocks(blocks: Iterable<number>): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    const missing = new Set<number>();
    for (const block of blocks) {
      if (block < open.head.blocks && !this.#blocks.has(block)) missing.add(open.groupOf[block]!);
    }
    const groups = [...missing].sort((a, b) => a - b);
    const reads = groups.flatMap((group) => this.#readingGroups.get(group) ?? []);
    const wanted = groups.filter((group) => !this.#readingGroups.has(group));
    for (let i = 0; i < wanted.length;) {
      const first = wanted[i]!;
      let last = first;
      const { start } = open.head.blockRange(open.groups[first]!);
      while (wanted[i + 1] === last + 1 && this.#groupEnd(open, last + 1) - start <= MAX_READ_BYTES) {
        last = wanted[++i]!;
      }
      i++;
      const reading = this.#readRange(open, first, last).finally(() => {
        for (let group = first; group <= last; group++) this.#readingGroups.delete(group);
      });
      for (let group = first; group <= last; group++) this.#readingGroups.set(group, reading);
      reads.push(reading);
    }
    await Promise.all(reads);
  }

  /** Reads the start of the pack. All concurrent readers share one read. */
  async #readStart(): Promise<void> {
    this.#opening ??= this.#readHead().finally(() => this.#opening = undefined);
    this.#open = await this.#opening;
  }

  async #readHead(): Promise<OpenPack> {
    const { pack } = this;
    // A pack with more objects than this is opened here only if it was too large for both the multi-pack
    // index and the manifest.
    const pages = pack.objects <= MAX_LISTED_OBJECTS ? pack.objects * RECORD_BYTES + GROUP_BYTES : 0;
    const end = Math.min(pack.bytes, pack.headBytes + pages);
    this.#noteUnchecked({ start: 0, end });
    return await this.#context.reads.part(this.#key, { start: 0, end }, (bytes) => {
      const head = new PackHead(bytes.subarray(0, pack.headBytes), pack);
      for (let page = 0; page < head.pages && pages > 0; page++) {
        const { start, end } = head.pageRange(page);
        this.#context.pages.set(this.#base + page, head.page(page, bytes.subarray(start, end)));
      }
      for (let block = 0; block < head.blocks && head.blockRange(block).end <= bytes.length; block++) {
        this.#blocks.add(head, block, bytes, 0);
      }
      return openPack(head);
    });
  }

  async #readPage(head: PackHead, number: number): Promise<IndexPage> {
    const range = head.pageRange(number);
    const page = await this.#context.reads.part(this.#key, range, (bytes) => head.page(number, bytes));
    this.#context.pages.set(this.#base + number, page);
    return page;
  }

  async #readRange(open: OpenPack, first: number, last: number): Promise<void> {
    const { start } = open.head.blockRange(open.groups[first]!);
    const range = { start, end: this.#groupEnd(open, last) };
    this.#noteUnchecked(range);
    await this.#context.reads.part(this.#key, range, (bytes) => {
      // Each block is verified when it is unpacked. A wrong block is then read again.
      if (bytes.length !== range.end - range.start) throw new DamagedError("A read of a pack is cut short");
      for (let block = open.groups[first]!; block < open.groups[last + 1]!; block++) {
        this.#blocks.add(open.head, block, bytes, start);
      }
    });
  }

  #groupEnd(open: OpenPack, group: number): number {
    return open.head.blockRange(open.groups[group + 1]! - 1).end;
  }

  #noteUnchecked(range: PackRange): void {
    this.#unchecked.set(`${range.start} ${range.end}`, range);
  }

  /**
   * Removes the reads that contain a wrong block from the cache folder, and returns the range of the block.
   */
  #forgetUnchecked(block: PackRange): PackRange {
    for (const [key, range] of this.#unchecked) {
      if (range.start > block.start || block.end > range.end) continue;
      this.#unchecked.delete(key);
      this.#context.reads.forget(this.#key, range);
    }
    return block;
  }

  /**
   * Reads the group of an object. If the object is wrong in the group, reads the block of the object alone.
   */
  async #readObject(oid: Oid, place: ObjectPlace): Promise<GitObject> {
    const { head } = this.#open!;
    await this.readBlocks([place.block]);
    return await this.#blocks.cachedObject(head, oid, place) ?? await this.#context.reads.part(
      this.#key,
      this.#forgetUnchecked(head.blockRange(place.block)),
      (packed) => this.#blocks.objectOf(head, oid, place, packed),
    );
  }
}

function openPack(head: PackHead): OpenPack {
  const groups: number[] = [];
  const groupOf = new Uint32Array(head.blocks);
  let groupStart = -Infinity;
  for (let block = 0; block < head.blocks; block++) {
    const { start, end } = head.blockRange(block);
    if (end - groupStart > GROUP_BYTES) {
      groups.push(block);
      groupStart = start;
    }
    groupOf[block] = groups.length - 1;
  }
  return { head, groups: [...groups, head.blocks], groupOf };
}

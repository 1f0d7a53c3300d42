/**
 * Reads a block pack of a bucket. Neighbouring blocks are read together, in groups whose bounds never change.
 * The multi-pack index contains the heads of its packs. For them, it gives the block of an object, and the
 * directory of the block replaces the pack's own index. A pack outside of the multi-pack index has few
 * objects: its first read brings everything except the blocks behind the first group.
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

/** Stored bytes of the blocks of a group. A larger block is a group of its own. */
export const GROUP_BYTES = 3 * 2 ** 16;
/** Most bytes of neighbouring groups that one read brings. */
export const MAX_READ_BYTES = 2 ** 22;

/**
 * A page of an index in memory: of one pack, or of the multi-pack index. The latter stays as stored until it
 * is needed.
 */
export type CachedPage = IndexPage | IndexedObjects | Uint8Array;

/** Bytes of a cached page in memory, approximately. */
export function pageWeight(page: CachedPage): number {
  return page instanceof Uint8Array ? page.length + 256 : page.weight;
}

/** Shared by all packs of a storage. */
export interface PackContext extends BlockContext {
  readonly reads: BucketReads;
  /** Index pages, by the same numbers as blocks. */
  readonly pages: LruMap<number, CachedPage>;
}

/** Head of a pack, and the groups. */
interface OpenPack {
  readonly head: PackHead;
  /** The first block of each group, and the number of blocks. */
  readonly groups: readonly number[];
  readonly groupOf: Uint32Array;
}

let packNumbers = 0;

/** The first of 2^20 numbers for the caches of {@link PackContext}. */
export function nextPackNumbers(): number {
  return packNumbers++ * 2 ** 20;
}

/** A pack of a bucket. Objects and places that are in memory are returned at once, others as promises. */
export class PackReader {
  readonly pack: PublishedPack;
  readonly #key: string;
  readonly #context: PackContext;
  /** Number of the first block or page in the caches. */
  readonly #base = nextPackNumbers();
  readonly #idStarts: PrefixFilter | undefined;
  readonly #blocks: PackBlocks;
  #open: OpenPack | undefined;
  /** Whether the index has the head of another pack at this pack's place. */
  #hasWrongHead = false;
  #opening: Promise<OpenPack> | undefined;
  /** Ranges that were read without a check of their blocks, by their bounds. */
  readonly #unchecked = new Map<string, PackRange>();
  readonly #readingGroups = new Map<number, Promise<void>>();

  constructor(pack: PublishedPack, key: string, context: PackContext) {
    this.pack = pack;
    this.#key = key;
    this.#context = context;
    this.#blocks = new PackBlocks(this.#base, context);
    this.#idStarts = pack.idStarts === undefined ? undefined : new PrefixFilter(pack.idStarts);
  }

  /** Whether the pack may have an object, by its line in the manifest. */
  mayHave(oid: Oid): boolean {
    return this.#idStarts?.mayHave(oid) !== false;
  }

  /** Bytes of the head in memory, approximately. */
  get weight(): number {
    return 512 + (this.#open?.head.weight ?? 0);
  }

  /** Uses the head of the pack from an index. If it belongs to another pack, this pack reads its own head. */
  useHead(bytes: Uint8Array): void {
    if (this.#open !== undefined || this.#hasWrongHead) return;
    this.#open = ifReadable(() => openPack(new PackHead(bytes, this.pack)));
    this.#hasWrongHead = this.#open === undefined;
  }

  /**
   * The place of an object in a block that is in memory. `undefined`: the block does not have the object.
   * "unknown": a read is needed, or the index cannot have named this block. The head must be known.
   */
  findInBlockNow(oid: Oid, number: number): ObjectPlace | undefined | "unknown" {
    const open = this.#open;
    if (open === undefined || number >= open.head.blocks) return "unknown";
    const block = this.#blocks.block(open.head, number);
    if (block === undefined) return "unknown";
    return placeIn(block, number, oid) ?? (block.hasStart(oid) ? undefined : "unknown");
  }

  /**
   * As {@link findInBlockNow}, but reads the block, or for a large block a page of the index.
   *
   * @throws {GoneError}
   * @throws {UnavailableError} also when no id in the pack has the same first 32 bits.
   */
  async findInBlock(oid: Oid, number: number): Promise<ObjectPlace | undefined> {
    const open = this.#open;
    if (open !== undefined && !this.isLargeBlock(number)) {
      await this.readBlocks([number]);
      const place = this.findInBlockNow(oid, number);
      if (place !== "unknown") return place;
    }
    // Also reached for a damaged block: it is read again once the place is known.
    const found = await this.find(oid);
    if (found === undefined && !this.#pageNow(oid)?.hasStart(oid)) throw unavailable();
    return found;
  }

  /**
   * The place of an object; `undefined` when it is not in this pack.
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
   * The place of an object, from memory alone; `undefined` when the object is not in this pack, "unknown"
   * when a read is needed.
   */
  findNow(oid: Oid): ObjectPlace | undefined | "unknown" {
    const open = this.#open;
    if (open === undefined) return "unknown";
    if (open.head.pageOf(oid) < 0) return undefined;
    const page = this.#pageNow(oid);
    return page === undefined ? this.#blocks.findRecent(oid) ?? "unknown" : page.find(oid);
  }

  /** The page of the pack's own index for an object, if it is in memory. */
  #pageNow(oid: Oid): IndexPage | undefined {
    const number = this.#open?.head.pageOf(oid) ?? -1;
    const page = number < 0 ? undefined : this.#context.pages.get(this.#base + number);
    return page instanceof IndexPage ? page : undefined;
  }

  /**
   * Reads an object at its place. Check its size first.
   *
   * @throws {TooLargeError} when its content is not in the pack.
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

  /** Whether a block is so large that a page of the index is read first. */
  isLargeBlock(block: number): boolean {
    const head = this.#open?.head;
    return head === undefined || block >= head.blocks || head.rawBytes(block) > UNPACKED_AT_ONCE_BYTES;
  }

  /** Reads the groups of blocks that are not in memory, neighbours together. */
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

  /** Reads the start of the pack, once for all concurrent readers. */
  async #readStart(): Promise<void> {
    this.#opening ??= this.#readHead().finally(() => this.#opening = undefined);
    this.#open = await this.#opening;
  }

  async #readHead(): Promise<OpenPack> {
    const { pack } = this;
    // A pack with more objects gets here only if it was too large for both the index and the manifest.
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
      // Each block is checked when it is unpacked; a wrong one is read again then.
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

  /** Removes saved reads that contain a wrong block; returns the range of the block. */
  #forgetUnchecked(block: PackRange): PackRange {
    for (const [key, range] of this.#unchecked) {
      if (range.start > block.start || block.end > range.end) continue;
      this.#unchecked.delete(key);
      this.#context.reads.forget(this.#key, range);
    }
    return block;
  }

  /** Reads the group of an object. If the object is wrong there, reads its block alone. */
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

/**
 * Reads a multi-pack index of a bucket. A short index is read as a whole, because its pages are in the order
 * of the ids, so one response needs objects of most pages. A long index is read page by page.
 */
import { DamagedError, ifReadable, type Oid, type Task } from "../../../src/mod.ts";
import { sha256OfLong } from "../format/keys.ts";
import type { PackRange } from "../format/block_pack.ts";
import type { PublishedIndex } from "../format/manifest.ts";
import { IndexedObjects, type IndexedPlace, IndexHead } from "../format/multi_pack_index.ts";
import { nextPackNumbers, type PackContext } from "./pack_reader.ts";

/** Maximum size of an index that is read as a whole, in bytes. */
export const MAX_SHORT_INDEX_BYTES = 2 ** 21;

export class IndexReader {
  readonly index: PublishedIndex;
  readonly leastPacks: number;
  readonly #key: string;
  readonly #context: PackContext;
  /** Key of this index's first page in the cache. */
  readonly #base = nextPackNumbers();
  #head: IndexHead | undefined;
  #opening: Promise<IndexHead> | undefined;

  /**
   * @param leastPacks Minimum number of packs in the index. An index of fewer packs counts as damaged,
   *   because the objects of the missing packs would seem absent.
   */
  constructor(index: PublishedIndex, key: string, context: PackContext, leastPacks: number) {
    this.index = index;
    this.leastPacks = leastPacks;
    this.#key = key;
    this.#context = context;
  }

  /** Approximate memory use of the header, in bytes. */
  get weight(): number {
    return 256 + (this.#head?.weight ?? 0);
  }

  /** The header, if it is in memory. */
  get head(): IndexHead | undefined {
    return this.#head;
  }

  /** Returns the locations where an object may be, from memory. Returns `undefined` when a read is needed. */
  findNow(oid: Oid): readonly IndexedPlace[] | undefined {
    const head = this.#head;
    return head && this.#pageNow(head, head.pageOf(oid))?.find(oid);
  }

  /**
   * Returns the locations where an object may be.
   *
   * @throws {GoneError}
   * @throws {UnavailableError}
   */
  async find(oid: Oid): Promise<readonly IndexedPlace[]> {
    const head = this.#head ??=
      await (this.#opening ??= this.#readHead().finally(() => this.#opening = undefined));
    const number = head.pageOf(oid);
    return (this.#pageNow(head, number) ?? await this.#readPage(head, number)).find(oid);
  }

  /** Returns the range to read for a part of the index. A short index is always read as a whole. */
  #rangeOf(part: PackRange): PackRange {
    const { bytes } = this.index;
    return bytes <= MAX_SHORT_INDEX_BYTES ? { start: 0, end: bytes } : part;
  }

  async #readHead(): Promise<IndexHead> {
    const { headBytes } = this.index;
    const range = this.#rangeOf({ start: 0, end: headBytes });
    return await this.#context.reads.part(this.#key, range, async (read, task) => {
      const head = new IndexHead(read.subarray(0, headBytes), this.index);
      if (head.packs < this.leastPacks) throw new DamagedError("A multi-pack index has too few packs");
      await this.#keepPages(head, read, range, task);
      return head;
    });
  }

  async #readPage(head: IndexHead, number: number): Promise<IndexedObjects> {
    const { start, end } = head.pageRange(number);
    const range = this.#rangeOf({ start, end });
    return await this.#context.reads.part(this.#key, range, async (read, task) => {
      await this.#keepPages(head, read, range, task);
      const packed = read.subarray(start - range.start, end - range.start);
      return head.page(number, packed, this.#context.unpack);
    });
  }

  /** Verifies the pages that were read, and caches them as stored. */
  async #keepPages(head: IndexHead, read: Uint8Array, range: PackRange, task: Task): Promise<void> {
    if (read.length !== range.end - range.start) throw new DamagedError("A read of an index is cut short");
    // For a whole index, one digest is faster than a digest of each page.
    const isWhole = read.length === this.index.bytes;
    if (isWhole && await sha256OfLong(read) !== this.index.sha256) {
      throw new DamagedError("A multi-pack index does not match the digest in its manifest");
    }
    for (let page = 0; page < head.pages; page++) {
      const { start, end } = head.pageRange(page);
      if (start < range.start || end > range.end) continue;
      const packed = read.slice(start - range.start, end - range.start);
      if (!isWhole) head.checkPage(page, packed);
      this.#context.pages.set(this.#base + page, packed);
      await task.yield();
    }
  }

  /**
   * Returns an unpacked page from memory. Returns `undefined` when the page is not in memory, or cannot be
   * unpacked.
   */
  #pageNow(head: IndexHead, number: number): IndexedObjects | undefined {
    const { pages, unpack } = this.#context;
    const cached = pages.get(this.#base + number);
    if (!(cached instanceof Uint8Array)) return cached instanceof IndexedObjects ? cached : undefined;
    const page = ifReadable(() => head.page(number, cached, unpack));
    if (page !== undefined) pages.set(this.#base + number, page);
    return page;
  }
}

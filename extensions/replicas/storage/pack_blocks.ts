/**
 * The blocks of a published pack, and its offset table. Missing blocks that are neighbours are read together.
 * Each block is verified before it is cached.
 */
import {
  type ByteRange,
  type CacheKey,
  cacheKey,
  DamagedError,
  type LruMap,
  nextPackNumber,
  type RepoId,
  runSync,
  type Task,
} from "../../../src/mod.ts";
import { packKey, sha256OfLong } from "../format/keys.ts";
import type { PublishedPack } from "../format/manifest.ts";
import { BLOCK_BYTES, blockCount, OffsetTable, offsetTableBytes } from "../format/offset_table.ts";
import { type BucketReads, damagedLine, unavailable } from "./reads.ts";
import type { SharedReads } from "./shared_reads.ts";

/** Maximum number of blocks of one read. */
const MAX_BLOCKS_AT_ONCE = 16;
/** Maximum number of unneeded blocks between two blocks that are read together. */
const MAX_GAP_BLOCKS = 1;

/** Number of runs of blocks that may be continued. */
const MAX_SEQUENCES = 8;

/** Returns the numbers of the blocks that contain a range. */
export function* blocksOf({ start, end }: ByteRange): Generator<number> {
  for (let number = Math.floor(start / BLOCK_BYTES); number * BLOCK_BYTES < end; number++) yield number;
}

/** Blocks by their numbers. */
export type Blocks = ReadonlyMap<number, Uint8Array>;

/** Resources that all packs of a storage share. */
export interface BlockContext {
  readonly reads: BucketReads;
  /** Cached blocks. */
  readonly blocks: LruMap<CacheKey, Uint8Array>;
}

export class PackBlocks {
  readonly pack: PublishedPack;
  /** The key of the pack in the bucket. */
  readonly name: string;
  readonly #tableName: string;
  readonly #context: BlockContext;
  /** Identifies this pack in cache keys. */
  readonly #number = nextPackNumber();
  readonly #loading: SharedReads<number, Uint8Array>;
  /** Lengths of the last runs that were read, by the number of the block after the run. */
  readonly #sequences = new Map<number, number>();
  #table: OffsetTable | undefined;
  readonly #readingTable: SharedReads<"table", OffsetTable>;

  constructor(rid: RepoId, pack: PublishedPack, context: BlockContext) {
    this.pack = pack;
    this.name = packKey(rid, pack.name, "pack");
    this.#tableName = packKey(rid, pack.name, "offsets");
    this.#context = context;
    this.#loading = context.reads.createShared();
    this.#readingTable = context.reads.createShared();
  }

  /** Approximate memory without blocks, in bytes. */
  get weight(): number {
    const { offsets } = this.pack;
    return 512 + ("inline" in offsets ? offsets.inline.length : 0) + (this.#table?.memoryBytes ?? 0);
  }

  /** Returns the cache key of a number, such as an offset. */
  key(place: number): CacheKey {
    return cacheKey(this.#number, place);
  }

  /** The offset table; `undefined` until {@link readTable} has read it from the bucket. */
  get table(): OffsetTable | undefined {
    const { offsets, bytes, objects } = this.pack;
    if (this.#table !== undefined || !("inline" in offsets)) return this.#table;
    const encoded = Uint8Array.from(atob(offsets.inline), (char) => char.charCodeAt(0));
    try {
      return this.#table = runSync(OffsetTable.decode(encoded, bytes, objects));
    } catch (error) {
      throw this.damaged(error);
    }
  }

  /**
   * Reads the offset table, unless it is in memory.
   *
   * @throws {GoneError}
   * @throws {UnavailableError}
   */
  async readTable(): Promise<OffsetTable> {
    return this.table ?? await this.#readingTable.share("table", () => this.#readTable());
  }

  async #readTable(): Promise<OffsetTable> {
    const { offsets, bytes, objects } = this.pack;
    if ("inline" in offsets) throw new TypeError("The offset tables of small packs are in the manifest");
    const range = { start: 0, end: offsetTableBytes(bytes, objects) };
    const decode = async (read: Uint8Array, task: Task) => {
      if (await sha256OfLong(read) !== offsets.sha256) throw new DamagedError("An offset table is damaged");
      return await task.run(OffsetTable.decode(read, bytes, objects));
    };
    return this.#table = await this.#context.reads.part(this.#tableName, range, decode);
  }

  /** Returns a block from memory. */
  block(number: number): Uint8Array | undefined {
    return this.#context.blocks.get(this.key(number));
  }

  /**
   * Returns blocks, and reads those that are missing. All concurrent readers of a block share one read.
   *
   * @throws {GoneError}
   * @throws {UnavailableError}
   */
  async load(numbers: Iterable<number>): Promise<Blocks> {
    const wanted = new Map<number, Uint8Array | Promise<Uint8Array>>();
    const missing: number[] = [];
    for (const number of new Set(numbers)) {
      const found = this.block(number) ?? this.#loading.get(number);
      if (found !== undefined) wanted.set(number, found);
      else missing.push(number);
    }
    missing.sort((a, b) => a - b);
    const reading = this.#read([...missing, ...this.#nextBlocks(missing)].sort((a, b) => a - b));
    for (const number of missing) wanted.set(number, reading.get(number)!);
    const entries = await Promise.all(
      [...wanted].map(async ([number, bytes]) => [number, await bytes] as const),
    );
    return new Map(entries);
  }

  /**
   * Returns the blocks that will probably be needed after some blocks. A reader of a history reads one block
   * after the other. The number of blocks that it gets at once doubles each time.
   *
   * @param numbers Numbers of missing blocks in ascending order.
   */
  #nextBlocks(numbers: readonly number[]): readonly number[] {
    const end = blockCount(this.pack.bytes);
    const next: number[] = [];
    for (const run of runsOf(numbers)) {
      const length = Math.min(2 * (this.#sequences.get(run[0]!) ?? 0), MAX_BLOCKS_AT_ONCE);
      this.#sequences.delete(run[0]!);
      let last = run.at(-1)!;
      while (last + 1 < end && last + 1 < run[0]! + length && this.#isMissing(last + 1)) next.push(++last);
      this.#sequences.set(last + 1, last + 1 - run[0]!);
    }
    for (const first of this.#sequences.keys()) {
      if (this.#sequences.size <= MAX_SEQUENCES) break;
      this.#sequences.delete(first);
    }
    return next;
  }

  #isMissing(number: number): boolean {
    return this.block(number) === undefined && this.#loading.get(number) === undefined;
  }

  /**
   * Begins to read blocks: from the folder, and what is not there from the bucket.
   *
   * @param numbers Numbers of blocks in ascending order.
   */
  #read(numbers: readonly number[]): ReadonlyMap<number, Promise<Uint8Array>> {
    const reading = new Map<number, Promise<Uint8Array>>();
    if (numbers.length === 0) return reading;
    const reads = this.#readAll(numbers);
    for (const number of numbers) {
      const bytes = this.#loading.share(number, () => reads.then((blocks) => blocks.get(number)!));
      // A block that is read ahead may have no other reader.
      bytes.catch(() => {});
      reading.set(number, bytes);
    }
    return reading;
  }

  /** @param numbers Numbers of blocks in ascending order. */
  async #readAll(numbers: readonly number[]): Promise<Map<number, Uint8Array | Promise<Uint8Array>>> {
    const blocks = new Map<number, Uint8Array | Promise<Uint8Array>>();
    const saved = this.#context.reads.hasFolder
      ? await Promise.all(numbers.map((number) => this.#readSaved(number)))
      : [];
    const missing: number[] = [];
    for (const [i, number] of numbers.entries()) {
      const block = saved[i];
      if (block === undefined) missing.push(number);
      else blocks.set(number, block);
    }
    for (const numbers of runsOf(missing)) {
      const [first] = numbers as [number];
      const run = this.#readRun(first, numbers.at(-1)!);
      for (const number of numbers) blocks.set(number, run.then((read) => read[number - first]!));
    }
    return blocks;
  }

  async #readSaved(number: number): Promise<Uint8Array | undefined> {
    const [block] = await this.#context.reads.savedPart(
      this.name,
      this.#rangeOf(number, number),
      (bytes) => this.#check(number, number, bytes),
    ) ?? [];
    if (block !== undefined) this.#context.blocks.set(this.key(number), block);
    return block;
  }

  async #readRun(first: number, last: number): Promise<readonly Uint8Array[]> {
    const ranges: ByteRange[] = [];
    for (let number = first; number <= last; number++) ranges.push(this.#rangeOf(number, number));
    const blocks = await this.#context.reads.fetchedPart(
      this.name,
      this.#rangeOf(first, last),
      (bytes) => this.#check(first, last, bytes),
      ranges,
    );
    for (const [i, block] of blocks.entries()) this.#context.blocks.set(this.key(first + i), block);
    return blocks;
  }

  /**
   * Returns copies of the blocks from `first` to `last`.
   *
   * @throws {DamagedError} when one of them does not have its digest.
   */
  async #check(first: number, last: number, bytes: Uint8Array): Promise<readonly Uint8Array[]> {
    const table = await this.readTable();
    const { start, end } = this.#rangeOf(first, last);
    if (bytes.length !== end - start) throw new DamagedError("A read of a pack is cut short");
    const blocks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) blocks.push(bytes.slice(at, at + BLOCK_BYTES));
    const areRight = await Promise.all(blocks.map((block, i) => table.isBlock(first + i, block)));
    if (areRight.includes(false)) throw new DamagedError("A block of a pack is damaged");
    return blocks;
  }

  #rangeOf(first: number, last: number): ByteRange {
    return { start: first * BLOCK_BYTES, end: Math.min((last + 1) * BLOCK_BYTES, this.pack.bytes) };
  }

  /** Returns the numbers of all blocks. */
  allBlocks(): Iterable<number> {
    return Array(blockCount(this.pack.bytes)).keys();
  }

  /** Reads blocks in the background, before it is known whether they are needed. */
  readAhead(numbers: Iterable<number>): void {
    // The request that needs a block reads it again, and gets the error.
    this.load(numbers).catch(() => {});
  }

  /** Logs that the pack or its table is damaged, and returns the error for the client. */
  damaged(error: unknown): Error {
    this.#context.reads.log("warn", damagedLine(this.name), error);
    return unavailable();
  }
}

/** Divides numbers in ascending order into runs of blocks that are read together. */
function runsOf(numbers: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const number of numbers) {
    const run = runs.at(-1);
    const isNear = run !== undefined && number - run.at(-1)! <= 1 + MAX_GAP_BLOCKS &&
      number - run[0]! < MAX_BLOCKS_AT_ONCE;
    if (isNear) run.push(number);
    else runs.push([number]);
  }
  return runs;
}

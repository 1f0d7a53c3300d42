/** The bytes of a published pack that are in memory, for the reader of packs. */
import {
  type ByteRange,
  type CacheKey,
  DamagedError,
  type Oid,
  type PackSource,
  RELEASED_BYTES,
} from "../../../src/mod.ts";
import { BLOCK_BYTES, type OffsetTable } from "../format/offset_table.ts";
import { type Blocks, blocksOf, type PackBlocks } from "./pack_blocks.ts";

/** Maximum length of a header of an entry, in bytes. A {@link LoadingView} stores shorter reads. */
const MAX_HEADER_BYTES = 32;

/** Thrown when bytes of a pack are not in memory. */
export class MissingBytes extends Error {
  /** Numbers of the blocks that are needed. */
  readonly blocks: readonly number[];

  constructor(blocks: Iterable<number>) {
    super("Blocks of a pack are not in memory");
    this.blocks = [...blocks];
  }
}

/** Reads the cached blocks of a pack. Throws {@link MissingBytes} for all other blocks. */
export class PackView implements PackSource {
  protected readonly pack: PackBlocks;
  readonly #table: OffsetTable;

  /** @param table The offset table of the pack. */
  constructor(pack: PackBlocks, table: OffsetTable) {
    this.pack = pack;
    this.#table = table;
  }

  get name(): string {
    return this.pack.name;
  }

  /**
   * Returns the offset of the base of a delta.
   *
   * @throws {DamagedError} when ids of several objects have the same start. Publishers name bases by offsets.
   */
  find(oid: Oid): number | undefined {
    const [offset, another] = this.#table.find(oid);
    if (another !== undefined) throw new DamagedError(`The base ${oid} cannot be found`);
    return offset;
  }

  entryEnd(offset: number): number {
    const end = this.#table.entryEnd(offset);
    if (end === undefined) throw new DamagedError(`No pack entry begins at ${offset}`);
    return end;
  }

  key(offset: number): CacheKey {
    return this.pack.key(offset);
  }

  read(start: number, length: number): Uint8Array {
    const range = { start, end: start + length };
    const first = Math.floor(start / BLOCK_BYTES);
    const at = start - first * BLOCK_BYTES;
    if (at + length <= BLOCK_BYTES) {
      const bytes = this.#block(first, range).subarray(at, at + length);
      return length < RELEASED_BYTES ? bytes : bytes.slice();
    }
    const joined = new Uint8Array(length);
    for (const number of blocksOf(range)) {
      const block = this.#block(number, range);
      const blockAt = number * BLOCK_BYTES;
      const part = block.subarray(Math.max(0, start - blockAt), range.end - blockAt);
      joined.set(part, Math.max(0, blockAt - start));
    }
    return joined;
  }

  /** Returns a block from memory. */
  protected blockNow(number: number): Uint8Array | undefined {
    return this.pack.block(number);
  }

  #block(number: number, range: ByteRange): Uint8Array {
    const block = this.blockNow(number);
    if (block === undefined) throw new MissingBytes(blocksOf(this.#withData(range)));
    return block;
  }

  /** Extends the range of an entry's header by its data, which is usually needed next. */
  #withData({ start, end }: ByteRange): ByteRange {
    const entryEnd = this.#table.entryEnd(start) ?? end;
    return { start, end: Math.max(end, Math.min(entryEnd, start + BLOCK_BYTES)) };
  }
}

/**
 * A view for one operation, which loads blocks. The loaded blocks stay in memory until the next blocks are
 * loaded, even if the cache evicts them.
 */
export class LoadingView extends PackView {
  #held: Blocks = new Map();
  /** Headers of entries, so that the operation needs their blocks only once. */
  readonly #headers = new Map<number, Uint8Array>();

  override read(start: number, length: number): Uint8Array {
    if (length > MAX_HEADER_BYTES) return super.read(start, length);
    let header = this.#headers.get(start);
    if (header === undefined || header.length < length) {
      header = super.read(start, length).slice();
      this.#headers.set(start, header);
    }
    return header.subarray(0, length);
  }

  get headerCount(): number {
    return this.#headers.size;
  }

  /** Loads blocks, and holds only these. */
  async hold(numbers: Iterable<number>): Promise<void> {
    this.#held = await this.pack.load(numbers);
  }

  async load(start: number, end: number): Promise<void> {
    await this.hold(blocksOf({ start, end }));
  }

  protected override blockNow(number: number): Uint8Array | undefined {
    return this.#held.get(number) ?? super.blockNow(number);
  }
}

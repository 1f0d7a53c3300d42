/** Writes multi-pack indexes. */
import { hexToBytes } from "@noble/hashes/utils.js";
import { type Deflate, joinBytes, withRoom } from "../../../src/mod.ts";
import { NO_BLOCK, type PackHead } from "./block_pack.ts";
import { sha256Of } from "./keys.ts";
import {
  hasManyAlike,
  INDEX_MAGIC,
  INDEX_PAGE_DIGEST_DIGITS,
  INDEX_PAGE_OBJECTS,
  INDEX_PAGE_ROW_BYTES,
  INDEX_PREAMBLE_BYTES,
  INDEX_VERSION,
  type IndexedPlace,
  MAX_INDEX_PAGE_OBJECTS,
  MAX_INDEX_SLOTS,
  PACK_ROW_BYTES,
  SLOT_BYTES,
  START_BYTES,
} from "./multi_pack_index.ts";
import { MAX_INDEX_BYTES, MAX_INDEX_HEAD_BYTES, MAX_INDEX_OBJECTS, type PublishedIndex } from "./manifest.ts";
import { digestOf } from "./sealed_json.ts";

const INDEX_LEVEL = 1;
/** Number of objects that are processed between two pauses. */
const ROWS_AT_ONCE = 4096;
const FIRST_ROWS = 1024;

/** A complete multi-pack index. */
export interface WrittenIndex {
  /** The entry of the index in the manifest. */
  readonly index: PublishedIndex;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Yields to other tasks when the time slice is used up. */
type Pause = () => Promise<void> | undefined;

/** Collects the locations of objects, pack by pack, and writes the index. */
export class MultiPackIndexWriter {
  readonly #heads: { readonly bytes: Uint8Array; readonly blocks: number }[] = [];
  #starts = new Uint32Array(FIRST_ROWS);
  #slots = new Uint32Array(FIRST_ROWS);
  #count = 0;
  /** First slot of each pack; the last element is the number of all slots. */
  readonly #slotsOf: number[] = [0];

  /** Begins the next pack, and returns the number of the pack. */
  addPack(headBytes: Uint8Array, { blocks }: Pick<PackHead, "blocks">): number {
    this.#slotsOf.push(this.#slotsOf.at(-1)! + blocks + 1);
    return this.#heads.push({ bytes: headBytes, blocks }) - 1;
  }

  /**
   * Adds an object.
   *
   * @param start First 32 bits of the object's id.
   * @param at Location of the object. Its `pack` is a number that {@link addPack} has returned.
   */
  add(start: number, { pack, block }: IndexedPlace): void {
    this.#starts = withRoom(this.#starts, this.#count + 1);
    this.#slots = withRoom(this.#slots, this.#count + 1);
    this.#starts[this.#count] = start;
    this.#slots[this.#count++] = block === NO_BLOCK
      ? this.#slotsOf[pack + 1]! - 1
      : this.#slotsOf[pack]! + block;
  }

  /**
   * Returns the complete index, or `undefined` when it would exceed a limit.
   *
   * @param pause Called between short parts of the work.
   */
  async finish(deflate: Deflate, pause: Pause = () => undefined): Promise<WrittenIndex | undefined> {
    if (this.#count > MAX_INDEX_OBJECTS || this.#slotsOf.at(-1)! > MAX_INDEX_SLOTS) return undefined;
    const [starts, slots] = await this.#sorted(pause);
    const bits = Math.max(0, Math.ceil(Math.log2(this.#count / INDEX_PAGE_OBJECTS)));
    const pages: { readonly packed: Uint8Array<ArrayBuffer>; readonly objects: number }[] = [];
    for (let page = 0, first = 0; page < 2 ** bits; page++) {
      const limit = (page + 1) * 2 ** (32 - bits);
      let end = first;
      while (end < this.#count && starts[end]! < limit) end++;
      if (end - first > MAX_INDEX_PAGE_OBJECTS || hasManyAlike(starts.subarray(first, end))) return undefined;
      const columns = new Uint8Array((end - first) * (START_BYTES + SLOT_BYTES));
      writeColumns(columns, starts.subarray(first, end), START_BYTES);
      writeColumns(columns.subarray((end - first) * START_BYTES), slots.subarray(first, end), SLOT_BYTES);
      pages.push({ packed: new Uint8Array(deflate(columns, INDEX_LEVEL)), objects: end - first });
      first = end;
      await pause();
    }
    const head = this.#encodeHead(bits, pages);
    const bytes = joinBytes([head, ...pages.map(({ packed }) => packed)]);
    if (head.length > MAX_INDEX_HEAD_BYTES || bytes.length > MAX_INDEX_BYTES) return undefined;
    return {
      index: {
        sha256: sha256Of(bytes),
        bytes: bytes.length,
        headBytes: head.length,
        headDigest: digestOf(head),
        objects: this.#count,
      },
      bytes,
    };
  }

  /** Sorts the objects by the first 32 bits of their ids, in two passes over 16 bits each. */
  async #sorted(pause: Pause): Promise<readonly [starts: Uint32Array, slots: Uint32Array]> {
    let starts = this.#starts;
    let slots = this.#slots;
    for (const shift of [0, 16]) {
      const places = new Uint32Array(2 ** 16 + 1);
      for (let i = 0; i < this.#count; i++) places[(starts[i]! >>> shift & 0xffff) + 1]!++;
      for (let i = 1; i < places.length; i++) places[i]! += places[i - 1]!;
      const sortedStarts = new Uint32Array(this.#count);
      const sortedSlots = new Uint32Array(this.#count);
      for (let i = 0; i < this.#count; i++) {
        const place = places[starts[i]! >>> shift & 0xffff]!++;
        sortedStarts[place] = starts[i]!;
        sortedSlots[place] = slots[i]!;
        if (i % ROWS_AT_ONCE === 0) await pause();
      }
      starts = sortedStarts;
      slots = sortedSlots;
    }
    return [starts, slots];
  }

  #encodeHead(
    bits: number,
    pages: readonly { readonly packed: Uint8Array; readonly objects: number }[],
  ): Uint8Array<ArrayBuffer> {
    const tableBytes = this.#heads.length * PACK_ROW_BYTES + pages.length * INDEX_PAGE_ROW_BYTES;
    const bytes = new Uint8Array(INDEX_PREAMBLE_BYTES + tableBytes);
    const head = joinBytes([bytes, ...this.#heads.map(({ bytes }) => bytes)]);
    const view = new DataView(head.buffer);
    head.set(INDEX_MAGIC);
    [INDEX_VERSION, this.#heads.length, this.#count, bits, head.length]
      .forEach((number, i) => view.setUint32(8 + 4 * i, number));
    let at = INDEX_PREAMBLE_BYTES;
    for (const { bytes, blocks } of this.#heads) {
      view.setUint32(at, bytes.length);
      view.setUint32(at + 4, blocks);
      at += PACK_ROW_BYTES;
    }
    for (const { packed, objects } of pages) {
      view.setUint32(at, packed.length);
      view.setUint32(at + 4, objects);
      head.set(hexToBytes(digestOf(packed).slice(0, INDEX_PAGE_DIGEST_DIGITS)), at + 8);
      at += INDEX_PAGE_ROW_BYTES;
    }
    return head;
  }
}

/** Writes the bytes of numbers in columns, the column of the most significant bytes first. */
function writeColumns(columns: Uint8Array, numbers: Uint32Array, width: number): void {
  for (let column = 0; column < width; column++) {
    const at = column * numbers.length;
    const shift = 8 * (width - 1 - column);
    for (let i = 0; i < numbers.length; i++) columns[at + i] = numbers[i]! >>> shift & 0xff;
  }
}

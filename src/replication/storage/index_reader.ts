/** Reads a multi-pack index of a bucket: the whole of it at once when it is not long, else page by page. */
import { DamagedError } from "../../errors.ts";
import type { Oid } from "../../ids/oid.ts";
import type { PublishedIndex } from "../format/manifest.ts";
import { IndexedObjects, type IndexedPlace, IndexHead } from "../format/multi_pack_index.ts";
import { MAX_READ_BYTES, nextPackNumbers, type PackContext } from "./pack_reader.ts";

/** A multi-pack index. */
export class IndexReader {
  readonly index: PublishedIndex;
  readonly #key: string;
  readonly #context: PackContext;
  /** Number of the first page in the cache. */
  readonly #base = nextPackNumbers();
  #head: IndexHead | undefined;
  #opening: Promise<IndexHead> | undefined;

  constructor(index: PublishedIndex, key: string, context: PackContext) {
    this.index = index;
    this.#key = key;
    this.#context = context;
  }

  /** Bytes of the head in memory, approximately. */
  get weight(): number {
    return 256 + (this.#head?.weight ?? 0);
  }

  /** The head, if it is in memory. */
  get head(): IndexHead | undefined {
    return this.#head;
  }

  /** The places that an object may have; `undefined` when a read has to tell. */
  findNow(oid: Oid): readonly IndexedPlace[] | undefined {
    const head = this.#head;
    return head && this.#cached(head.pageOf(oid))?.find(oid);
  }

  /**
   * The places that an object may have.
   *
   * @throws {GoneError}
   * @throws {ApiError} `unavailable`.
   */
  async find(oid: Oid): Promise<readonly IndexedPlace[]> {
    const head = this.#head ??=
      await (this.#opening ??= this.#open().finally(() => this.#opening = undefined));
    const number = head.pageOf(oid);
    const page = this.#cached(number) ??
      await this.#context.reads.part(
        this.#key,
        head.pageRange(number),
        (bytes) => this.#decode(head, number, bytes),
      );
    return page.find(oid);
  }

  /** Reads the head, and the pages when they are few. */
  async #open(): Promise<IndexHead> {
    const { bytes, headBytes } = this.index;
    const end = bytes <= MAX_READ_BYTES ? bytes : headBytes;
    return await this.#context.reads.part(this.#key, { start: 0, end }, async (read, task) => {
      if (read.length !== end) throw new DamagedError("A read of a multi-pack index is cut short");
      const head = new IndexHead(read.subarray(0, headBytes), this.index);
      for (let page = 0; end === bytes && page < head.pages; page++) {
        const range = head.pageRange(page);
        this.#decode(head, page, read.subarray(range.start, range.end));
        await task.yield();
      }
      return head;
    });
  }

  #cached(number: number): IndexedObjects | undefined {
    const page = this.#context.pages.get(this.#base + number);
    return page instanceof IndexedObjects ? page : undefined;
  }

  #decode(head: IndexHead, number: number, packed: Uint8Array): IndexedObjects {
    const page = head.page(number, packed, this.#context.unpack);
    this.#context.pages.set(this.#base + number, page);
    return page;
  }
}

/** Reads pages of tables of a bucket, by way of a cache. */
import type { LruMap } from "../../cache/lru_map.ts";
import type { UnpackBlock } from "../format/block.ts";
import { decodePage, type PagedTable, type TablePage } from "../format/paged_table.ts";
import type { BucketReads } from "./reads.ts";

/** Bytes of a row in memory, approximately, and of its JSON when it is parsed, as a multiple. */
const ROW_BYTES = 500;
const JSON_FACTOR = 4;

/** A page in memory. */
export interface ReadPage {
  readonly rows: readonly unknown[];
  /** Bytes, approximately. */
  readonly weight: number;
}

/** Reads pages. */
export class PageReader {
  readonly #reads: BucketReads;
  readonly #unpack: UnpackBlock;
  /** By SHA-256. */
  readonly #pages: LruMap<string, ReadPage>;

  constructor(reads: BucketReads, unpack: UnpackBlock, pages: LruMap<string, ReadPage>) {
    [this.#reads, this.#unpack, this.#pages] = [reads, unpack, pages];
  }

  /**
   * The rows of a page.
   *
   * @throws {GoneError}
   * @throws {ApiError} `unavailable`.
   */
  async rows<R>(table: PagedTable<R>, page: TablePage): Promise<readonly R[]> {
    const { sha256, bytes, rawBytes } = page;
    const cached = this.#pages.get(sha256);
    if (cached !== undefined) return cached.rows as readonly R[];
    const rows = await this.#reads.part(
      table.keyOf(sha256),
      { start: 0, end: bytes },
      (packed) => decodePage(table, page, packed, this.#unpack),
    );
    this.#pages.set(sha256, { rows, weight: JSON_FACTOR * rawBytes + ROW_BYTES * rows.length });
    return rows;
  }
}

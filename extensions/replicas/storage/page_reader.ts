/** Reads the pages of tables of a bucket through a cache. */
import type { LruMap } from "../../../src/mod.ts";
import { decodePage, type PagedTable, type TablePage } from "../format/paged_table.ts";
import type { BucketReads } from "./reads.ts";

/**
 * Approximate memory use of a row, in bytes. `JSON_FACTOR` is the approximate memory use of parsed JSON, as a
 * multiple of the size of its text.
 */
const ROW_BYTES = 500;
const JSON_FACTOR = 4;

export interface ReadPage {
  readonly rows: readonly unknown[];
  /** Approximate memory use, in bytes. */
  readonly weight: number;
}

/**
 * Returns the rows of a page.
 *
 * @param pages Cache of the pages that have been read, by SHA-256.
 * @throws {GoneError}
 * @throws {UnavailableError}
 */
export async function readRows<R>(
  reads: BucketReads,
  pages: LruMap<string, ReadPage>,
  table: PagedTable<R>,
  page: TablePage,
): Promise<readonly R[]> {
  const { sha256, bytes, rawBytes } = page;
  const cached = pages.get(sha256);
  if (cached !== undefined) return cached.rows as readonly R[];
  const decode = (packed: Uint8Array) => decodePage(table, page, packed, reads.unpack);
  const rows = await reads.part(table.keyOf(sha256), { start: 0, end: bytes }, decode);
  pages.set(sha256, { rows, weight: JSON_FACTOR * rawBytes + ROW_BYTES * rows.length });
  return rows;
}

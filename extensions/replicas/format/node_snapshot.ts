/**
 * Tables of facts about the node. A row has a key and a JSON value. Rows are in ascending order of the keys.
 * A small table is a part of the description of the node. A large table is in pages (`paged_table.ts`), so
 * that a request for a key reads at most one page.
 */
import * as v from "valibot";
import { type Deflate, firstWhere } from "../../../src/mod.ts";
import { nodeSnapshotKey } from "./keys.ts";
import {
  type EncodedPage,
  encodePages,
  type PagedTable,
  pageMembers,
  type TablePage,
} from "./paged_table.ts";
import { shortText } from "./schemas.ts";

/** Maximum size of a table's JSON inside the description, in bytes. A longer table is stored in pages. */
const MAX_INLINE_FACTS_BYTES = 2 ** 16;
/** Target size of a page's JSON, in bytes. A page of twice this size is divided. */
const FACTS_PAGE_BYTES = 2 ** 18;
/**
 * Maximum size of a page's JSON, in bytes. It is much larger than the target size, because one value may be
 * long.
 */
export const MAX_FACTS_PAGE_BYTES = 2 ** 25;
/** Maximum number of pages of a table. */
export const MAX_FACTS_PAGES = 4096;

/** A row: a key with its value. Rows are in ascending order of their keys, by JavaScript's operator `<`. */
export type Fact<T> = readonly [key: string, value: T];

/** A table: either all its rows, or the pages that contain the rows. */
export type FactTable<T> = { readonly rows: readonly Fact<T>[] } | { readonly pages: readonly TablePage[] };

const MAX_KEY_LENGTH = 100;

/** Returns the value of a key, or `undefined` when the rows do not have the key. */
export function valueOf<T>(rows: readonly Fact<T>[], key: string): T | undefined {
  const row = rows[firstWhere(rows.length, (row) => rows[row]![0] >= key)];
  return row?.[0] === key ? row[1] : undefined;
}

/** Returns the description of a table whose values have this schema. */
export function factsOf<T>(value: v.GenericSchema<T>): PagedTable<Fact<T>> {
  return {
    name: "A page of facts about the node",
    keyOf: nodeSnapshotKey,
    rows: v.array(v.strictTuple([shortText(MAX_KEY_LENGTH), value])),
  };
}

/** Returns the schema of a table in the description of the node. */
export function factTableSchema<T>({ rows }: PagedTable<Fact<T>>): v.GenericSchema<FactTable<T>> {
  const page = v.strictObject({ first: shortText(MAX_KEY_LENGTH), ...pageMembers(MAX_FACTS_PAGE_BYTES) });
  return v.union([
    v.strictObject({ rows }),
    v.strictObject({ pages: v.pipe(v.array(page), v.maxLength(MAX_FACTS_PAGES)) }),
  ]) as unknown as v.GenericSchema<FactTable<T>>;
}

/**
 * Encodes a table. In the result, `pages` contains the pages to store as separate objects. It is empty for a
 * small table.
 */
export function encodeNodeSnapshot<T>(
  facts: ReadonlyMap<string, T>,
  deflate: Deflate,
): { readonly table: FactTable<T>; readonly pages: readonly EncodedPage<Fact<T>>[] } {
  const rows = [...facts].sort(([a], [b]) => a < b ? -1 : 1);
  const pages = encodePages<Fact<T>>(rows, FACTS_PAGE_BYTES, deflate);
  if (pages.length === 1 && pages[0]!.rawBytes <= MAX_INLINE_FACTS_BYTES) {
    return { table: { rows }, pages: [] };
  }
  const named = pages.map(({ rows, content: _, ...page }) => ({ first: rows[0]![0], ...page }));
  return { table: { pages: named }, pages };
}

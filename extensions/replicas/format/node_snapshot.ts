/**
 * Tables of facts about the node: keys with a value of JSON each, in ascending order of the keys. A small
 * table is a part of the description of the node. A large one is in pages (`paged_table.ts`), so that a
 * request reads at most one page for a key.
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

/** Most bytes of a table's JSON inside the description. A longer table is divided into pages. */
const MAX_INLINE_FACTS_BYTES = 2 ** 16;
/** Approximate bytes of the JSON of a page: a page of twice as many is divided. */
const FACTS_PAGE_BYTES = 2 ** 18;
/** Most bytes of the JSON of a page: one value may be long. */
export const MAX_FACTS_PAGE_BYTES = 2 ** 25;
/** Most pages of a table. */
export const MAX_FACTS_PAGES = 4096;

/** A key with its value. Rows ascend by their keys, as JavaScript's `<` orders them. */
export type Fact<T> = readonly [key: string, value: T];

/** A table: all rows, or the pages that have them. */
export type FactTable<T> = { readonly rows: readonly Fact<T>[] } | { readonly pages: readonly TablePage[] };

const MAX_KEY_LENGTH = 100;

/** The value of a key, if the rows have it. */
export function valueOf<T>(rows: readonly Fact<T>[], key: string): T | undefined {
  const row = rows[firstWhere(rows.length, (row) => rows[row]![0] >= key)];
  return row?.[0] === key ? row[1] : undefined;
}

/** The table of values that have this schema. */
export function factsOf<T>(value: v.GenericSchema<T>): PagedTable<Fact<T>> {
  return {
    name: "A page of facts about the node",
    keyOf: nodeSnapshotKey,
    rows: v.array(v.strictTuple([shortText(MAX_KEY_LENGTH), value])),
  };
}

/** The schema of a table in the description of the node. */
export function factTableSchema<T>({ rows }: PagedTable<Fact<T>>): v.GenericSchema<FactTable<T>> {
  const page = v.strictObject({ first: shortText(MAX_KEY_LENGTH), ...pageMembers(MAX_FACTS_PAGE_BYTES) });
  return v.union([
    v.strictObject({ rows }),
    v.strictObject({ pages: v.pipe(v.array(page), v.maxLength(MAX_FACTS_PAGES)) }),
  ]) as unknown as v.GenericSchema<FactTable<T>>;
}

/** Encodes a table, and the pages that are objects of their own. */
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

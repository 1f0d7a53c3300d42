/**
 * Tables of facts about the node: keys with a value of JSON each, in ascending order of the keys. A small
 * table is a part of the description of the node; a large one is cut into pages, objects of their own, so
 * that a request reads one page at the most for a key.
 */
import * as v from "valibot";
import type { Deflate } from "../../ports/compression.ts";
import type { UnpackBlock } from "./block.ts";
import { type JsonPage, packPage, unpackPage } from "./json_page.ts";
import type { Sha256 } from "./keys.ts";
import { Sha256Schema, shortText, wholeNumber } from "./schemas.ts";

/** A longer table is cut into pages: bytes of its JSON. */
export const MAX_INLINE_FACTS_BYTES = 2 ** 16;
/** Bytes of the JSON of a page, about. */
export const FACTS_PAGE_BYTES = 2 ** 18;
/** Most bytes of the JSON of a page: one value may be long. */
export const MAX_FACTS_PAGE_BYTES = 2 ** 25;
/** Most pages of a table. */
export const MAX_FACTS_PAGES = 4096;

/** Rows in ascending order of the keys, as JavaScript's `<` orders them. */
export type FactRows<T> = readonly (readonly [key: string, value: T])[];

/** A page of a large table; `nodeSnapshotKey` gives the key of the object. */
export interface NodeSnapshotPage extends JsonPage {
  /** The first key in the page. */
  readonly first: string;
}

/** A table: all rows, or the pages that have them. */
export type FactTable<T> = { readonly rows: FactRows<T> } | { readonly pages: readonly NodeSnapshotPage[] };

const MAX_KEY_LENGTH = 100;

/** The schema of a table whose values have this schema. */
export function factTableSchema<T>(value: v.GenericSchema<T>): v.GenericSchema<FactTable<T>> {
  return v.union([
    v.strictObject({ rows: v.array(v.strictTuple([shortText(MAX_KEY_LENGTH), value])) }),
    v.strictObject({
      pages: v.pipe(
        v.array(v.strictObject({
          first: shortText(MAX_KEY_LENGTH),
          sha256: Sha256Schema,
          bytes: wholeNumber(1, MAX_FACTS_PAGE_BYTES),
          rawBytes: wholeNumber(1, MAX_FACTS_PAGE_BYTES),
        })),
        v.maxLength(MAX_FACTS_PAGES),
      ),
    }),
  ]) as unknown as v.GenericSchema<FactTable<T>>;
}

/** Encodes a table, and the pages that are objects of their own. */
export function encodeNodeSnapshot<T>(
  facts: ReadonlyMap<string, T>,
  deflate: Deflate,
): { readonly table: FactTable<T>; readonly objects: ReadonlyMap<Sha256, Uint8Array<ArrayBuffer>> } {
  const rows = [...facts].sort(([a], [b]) => a < b ? -1 : 1);
  const objects = new Map<Sha256, Uint8Array<ArrayBuffer>>();
  if (jsonBytes(rows).length <= MAX_INLINE_FACTS_BYTES) return { table: { rows }, objects };
  const pages: NodeSnapshotPage[] = [];
  for (let start = 0; start < rows.length;) {
    let end = start;
    let length = 0;
    while (end < rows.length && length < FACTS_PAGE_BYTES) length += JSON.stringify(rows[end++]).length + 1;
    const { page, bytes } = packPage(jsonBytes(rows.slice(start, end)), deflate);
    objects.set(page.sha256, bytes);
    pages.push({ first: rows[start]![0], ...page });
    start = end;
  }
  return { table: { pages }, objects };
}

/** The page that has the row of a key, if any page has. */
export function nodeSnapshotPageOf(
  pages: readonly NodeSnapshotPage[],
  key: string,
): NodeSnapshotPage | undefined {
  return pages.findLast(({ first }) => first <= key);
}

/**
 * Decodes a page.
 *
 * @throws {DamagedError} when the bytes are not those of the page.
 */
export function decodeNodeSnapshotPage<T>(
  page: NodeSnapshotPage,
  packed: Uint8Array,
  value: v.GenericSchema<T>,
  unpack: UnpackBlock,
): FactRows<T> {
  const schema = v.array(v.strictTuple([shortText(MAX_KEY_LENGTH), value]));
  return unpackPage(page, packed, schema, unpack, "A page of facts about the node") as FactRows<T>;
}

function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

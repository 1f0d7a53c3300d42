/**
 * Large tables in pages. Each page is a separate object that never changes: one zlib stream of JSON. A reader
 * reads only the page that it needs, and a change of a row writes only one page.
 */
import * as v from "valibot";
import { DamagedError, type Deflate, type Unpack } from "../../../src/mod.ts";
import { type Sha256, sha256Of } from "./keys.ts";
import { Sha256Schema, wholeNumber } from "./schemas.ts";

/** The entry of a page in the document that lists the pages. */
export interface TablePage {
  /**
   * Lower bound of the keys in this page. The page has the rows from this key up to the first key of the next
   * page.
   */
  readonly first: string;
  /** SHA-256 of the page as stored. */
  readonly sha256: Sha256;
  /** Size of the page as stored, in bytes. `rawBytes` is the size of the JSON. */
  readonly bytes: number;
  readonly rawBytes: number;
}

/** Description of a table: its name, the keys of its pages, and the schema of its rows. */
export interface PagedTable<R> {
  /** Name of a page in error messages. */
  readonly name: string;
  /** Returns the key of a page in the bucket. */
  readonly keyOf: (hash: Sha256) => string;
  readonly rows: v.GenericSchema<unknown>;
  /** Never set. The member exists only so that TypeScript knows the type of a row. */
  readonly row?: R;
}

/** An encoded page with its rows. */
export interface EncodedPage<R> extends Omit<TablePage, "first"> {
  readonly rows: readonly R[];
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Returns the members of a schema for the entry of a page, except `first`. */
export const pageMembers = (mostBytes: number) => ({
  sha256: Sha256Schema,
  bytes: wholeNumber(1, mostBytes),
  rawBytes: wholeNumber(1, mostBytes),
});

/**
 * Encodes sorted rows as one or more pages of about the same length.
 *
 * @param targetBytes Target size of a page's JSON, in bytes. A page of twice this size is divided.
 */
export function encodePages<R>(
  rows: readonly R[],
  targetBytes: number,
  deflate: Deflate,
): readonly EncodedPage<R>[] {
  const texts = rows.map((row) => JSON.stringify(row));
  const length = texts.reduce((sum, text) => sum + text.length + 1, 0);
  const least = length / Math.max(1, Math.floor(length / targetBytes));
  const pages: EncodedPage<R>[] = [];
  for (let start = 0, end = 0; pages.length === 0 || start < rows.length; start = end) {
    for (let length = 0; end < rows.length && length < least; end++) length += texts[end]!.length + 1;
    const raw = new TextEncoder().encode(`[${texts.slice(start, end).join(",")}]`);
    const content = new Uint8Array(deflate(raw));
    pages.push({
      rows: rows.slice(start, end),
      content,
      sha256: sha256Of(content),
      bytes: content.length,
      rawBytes: raw.length,
    });
  }
  return pages;
}

/** Returns the page that has the row of a key, if the table has the row. */
export function pageOf<P extends Pick<TablePage, "first">>(pages: readonly P[], key: string): P | undefined {
  return pages.findLast(({ first }) => first <= key);
}

/**
 * Decodes a page.
 *
 * @throws {DamagedError} when the bytes are not the bytes of this page, or do not match the schema.
 */
export function decodePage<R>(
  { name, rows }: PagedTable<R>,
  page: TablePage,
  packed: Uint8Array,
  unpack: Unpack,
): readonly R[] {
  if (packed.length !== page.bytes || sha256Of(packed) !== page.sha256) {
    throw new DamagedError(`${name} is damaged`);
  }
  let value: unknown;
  try {
    const raw = unpack(packed, page.rawBytes);
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw));
  } catch (cause) {
    throw new DamagedError(`${name} cannot be read`, { cause });
  }
  const { success, output } = v.safeParse(rows, value);
  if (!success) throw new DamagedError(`${name} is of another form`);
  return output as readonly R[];
}

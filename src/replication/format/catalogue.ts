/**
 * The catalogue: all published repositories, with what lists show of each. Requests for one repository do not
 * need it. The rows are in pages, objects of their own that never change, so that a list reads a page and a
 * change writes one.
 */
import * as v from "valibot";
import { DamagedError } from "../../errors.ts";
import { tryParseDoc } from "../../identity/doc.ts";
import { type Did, nidOfDid, type NodeId } from "../../ids/nid.ts";
import { type RepoId, ridToOid } from "../../ids/rid.ts";
import type { Deflate } from "../../ports/compression.ts";
import type { RepositoryListing } from "../../ports/storage.ts";
import type { UnpackBlock } from "./block.ts";
import { encodeNodeStarts, PrefixFilter } from "./prefix_filter.ts";
import { type JsonPage, packPage, unpackPage } from "./json_page.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { decodeSealed, encodeSealed } from "./sealed_json.ts";
import { Base64, ListingSchema, RidSchema, Sha256Schema, wholeNumber } from "./schemas.ts";

/** Bytes of the JSON of a page, about: a page of twice as many is cut. */
export const CATALOGUE_PAGE_BYTES = 2 ** 18;
/** Most bytes of the JSON of a page. */
export const MAX_CATALOGUE_PAGE_BYTES = 2 ** 21;
/** Most pages of a catalogue. */
export const MAX_CATALOGUE_PAGES = 10_000;
/** Most bytes of a catalogue without its pages. */
export const MAX_CATALOGUE_BYTES = 2 ** 24;
/** Most delegates of a page whose starts are in the catalogue. */
export const MAX_PAGE_DELEGATES = 4096;

/** A repository in the catalogue. */
export interface CatalogueRow {
  readonly rid: RepoId;
  /** Null when lists have to open the repository. */
  readonly listing: RepositoryListing | null;
}

/** A page; `cataloguePageKey` gives the key of the object. */
export interface CataloguePage extends JsonPage {
  /** The 40 digits from which on a repository's id is in this page; empty in the first page. */
  readonly first: string;
  readonly rows: number;
  /** Rows with a listing, and those of them that are projects. */
  readonly listed: number;
  readonly projects: number;
  /**
   * Starts of the keys of all delegates ({@link encodeNodeStarts}): a list by delegate reads no page that has
   * none of the delegate's repositories. Null when they are unknown, or too many.
   */
  readonly delegates: string | null;
}

/** The catalogue. */
export interface Catalogue {
  readonly format: typeof PUBLISHED_FORMAT;
  /** Number of the catalogue: it grows with each change. */
  readonly number: number;
  /** In the order of lists: ascending by the 20 bytes of the repositories' ids. */
  readonly pages: readonly CataloguePage[];
}

const count = wholeNumber(0, MAX_CATALOGUE_PAGE_BYTES);
const CatalogueSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  number: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  pages: v.pipe(
    v.array(v.strictObject({
      first: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40})?$/)),
      sha256: Sha256Schema,
      bytes: wholeNumber(1, MAX_CATALOGUE_PAGE_BYTES),
      rawBytes: wholeNumber(1, MAX_CATALOGUE_PAGE_BYTES),
      rows: count,
      listed: count,
      projects: count,
      delegates: v.nullable(v.pipe(Base64, v.maxLength(4 * Math.ceil(2 * MAX_PAGE_DELEGATES / 3)))),
    })),
    v.maxLength(MAX_CATALOGUE_PAGES),
  ),
});
const RowsSchema = v.array(v.strictObject({ rid: RidSchema, listing: v.nullable(ListingSchema) }));

/** Encodes a catalogue. */
export function encodeCatalogue(catalogue: Catalogue): Uint8Array<ArrayBuffer> {
  return encodeSealed(catalogue);
}

/**
 * Decodes a catalogue.
 *
 * @throws {DamagedError} when it is damaged or of another version.
 */
export function decodeCatalogue(bytes: Uint8Array): Catalogue {
  const catalogue = decodeSealed(bytes, CatalogueSchema, MAX_CATALOGUE_BYTES) as Catalogue;
  const { pages } = catalogue;
  if (pages.some(({ first }, i) => i === 0 ? first !== "" : first <= pages[i - 1]!.first)) {
    throw new DamagedError("The pages of the catalogue are out of order");
  }
  return catalogue;
}

/** The number of the page that has a repository, if any has. */
export function cataloguePageOf(pages: readonly Pick<CataloguePage, "first">[], rid: RepoId): number {
  const oid = ridToOid(rid);
  return pages.findLastIndex(({ first }) => first <= oid);
}

/**
 * Encodes rows as one page or several.
 *
 * @param first Where the first page begins.
 */
export function encodeCataloguePages(
  first: string,
  rows: readonly CatalogueRow[],
  deflate: Deflate,
): readonly { readonly page: CataloguePage; readonly bytes: Uint8Array<ArrayBuffer> }[] {
  const sorted = rows.map((row) => ({ row, oid: ridToOid(row.rid) }))
    .sort((a, b) => a.oid < b.oid ? -1 : 1);
  const raw = new TextEncoder().encode(JSON.stringify(sorted.map(({ row }) => row)));
  if (raw.length > 2 * CATALOGUE_PAGE_BYTES && rows.length > 1) {
    const half = Math.ceil(rows.length / 2);
    return [[first, sorted.slice(0, half)] as const, [sorted[half]!.oid, sorted.slice(half)] as const]
      .flatMap(([first, part]) => encodeCataloguePages(first, part.map(({ row }) => row), deflate));
  }
  const { page: packed, bytes } = packPage(raw, deflate);
  const listings = rows.flatMap(({ listing }) => listing ?? []);
  const page = {
    first,
    ...packed,
    rows: rows.length,
    listed: listings.length,
    projects: listings.filter(({ isProject }) => isProject).length,
    delegates: listings.length === rows.length ? delegatesOf(listings) : null,
  };
  return [{ page, bytes }];
}

/** Starts of the keys of the delegates in these documents; null when they are too many. */
function delegatesOf(listings: readonly RepositoryListing[]): string | null {
  const encoder = new TextEncoder();
  const nodes = new Set<NodeId>();
  for (const { document } of listings) {
    // Nobody sees a repository in a list whose document is unreadable.
    for (const did of tryParseDoc(encoder.encode(document))?.delegates ?? []) nodes.add(nidOfDid(did));
  }
  return nodes.size <= MAX_PAGE_DELEGATES ? encodeNodeStarts(nodes) : null;
}

/** Whether a page may have repositories of a delegate. */
export function mayHaveDelegate({ delegates }: Pick<CataloguePage, "delegates">, did: Did): boolean {
  return delegates === null || new PrefixFilter(delegates).mayHaveNode(nidOfDid(did));
}

/**
 * Decodes a page.
 *
 * @throws {DamagedError} when the bytes are not those of the page.
 */
export function decodeCataloguePage(
  page: CataloguePage,
  packed: Uint8Array,
  unpack: UnpackBlock,
): readonly CatalogueRow[] {
  const name = "A page of the catalogue";
  const rows = unpackPage(page, packed, RowsSchema, unpack, name) as readonly CatalogueRow[];
  if (rows.length !== page.rows) throw new DamagedError(`${name} is of another form`);
  return rows;
}

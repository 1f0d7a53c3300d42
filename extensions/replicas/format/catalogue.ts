/**
 * The catalogue: all published repositories, with what lists show of each. Requests for one repository do not
 * need it. It is a table in pages (`paged_table.ts`), in the order of lists: ascending by the 20 bytes of the
 * repositories' ids.
 */
import * as v from "valibot";
import { DamagedError } from "../../../src/errors.ts";
import { tryParseDoc } from "../../../src/identity/doc.ts";
import { type Did, nidOfDid, type NodeId } from "../../../src/ids/nid.ts";
import { type RepoId, ridToOid } from "../../../src/ids/rid.ts";
import type { Deflate } from "../../../src/ports/compression.ts";
import type { RepositoryListing } from "../../../src/ports/catalogued_storage.ts";
import { CATALOGUE_KEY, cataloguePageKey } from "./keys.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { encodePages, type PagedTable, pageMembers } from "./paged_table.ts";
import { encodeNodeStarts, PrefixFilter } from "./prefix_filter.ts";
import { Base64, ListingSchema, RidSchema, wholeNumber } from "./schemas.ts";
import { type Immutable, sealedDocument } from "./sealed_json.ts";

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

/** The table of all rows. */
export const CATALOGUE_ROWS: PagedTable<CatalogueRow> = {
  name: "A page of the catalogue",
  keyOf: cataloguePageKey,
  rows: v.array(v.strictObject({ rid: RidSchema, listing: v.nullable(ListingSchema) })),
};

const Count = wholeNumber(0, MAX_CATALOGUE_PAGE_BYTES);
const Page = v.strictObject({
  /** The 40 digits from which on a repository's id is in this page; empty in the first page. */
  first: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40})?$/)),
  ...pageMembers(MAX_CATALOGUE_PAGE_BYTES),
  rows: Count,
  /** Rows with a listing, and those of them that are projects. */
  listed: Count,
  projects: Count,
  /**
   * Starts of the keys of all delegates ({@link encodeNodeStarts}): a list by delegate reads no page that has
   * none of the delegate's repositories. Null when they are unknown, or too many.
   */
  delegates: v.nullable(v.pipe(Base64, v.maxLength(4 * Math.ceil(2 * MAX_PAGE_DELEGATES / 3)))),
});
/** A page. */
export type CataloguePage = Immutable<v.InferOutput<typeof Page>>;

const CatalogueSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  /** Number of the catalogue: it grows with each change. */
  number: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  pages: v.pipe(v.array(Page), v.maxLength(MAX_CATALOGUE_PAGES)),
});
/** The catalogue. */
export type Catalogue = Immutable<v.InferOutput<typeof CatalogueSchema>>;

/** The document of the catalogue. */
export const CATALOGUE = sealedDocument(CATALOGUE_KEY, MAX_CATALOGUE_BYTES, CatalogueSchema, ({ pages }) => {
  if (pages.some(({ first }, i) => i === 0 ? first !== "" : first <= pages[i - 1]!.first)) {
    throw new DamagedError("The pages of the catalogue are out of order");
  }
});

/**
 * Encodes rows as one page or several.
 *
 * @param from.first Where the first page begins.
 * @param from.delegates The starts of the delegates of all rows, if they are known: to read so many documents
 *   takes longer than all else.
 */
export function encodeCataloguePages(
  { first, rows, delegates }: Pick<CataloguePage, "first"> & {
    readonly rows: readonly CatalogueRow[];
    readonly delegates?: CataloguePage["delegates"] | undefined;
  },
  deflate: Deflate,
): readonly { readonly page: CataloguePage; readonly content: Uint8Array<ArrayBuffer> }[] {
  const sorted = rows.map((row) => ({ row, oid: ridToOid(row.rid) }))
    .sort((a, b) => a.oid < b.oid ? -1 : 1).map(({ row }) => row);
  const all = encodePages(sorted, CATALOGUE_PAGE_BYTES, deflate);
  return all.map(({ rows, content, ...packed }, i) => {
    const listings = rows.flatMap(({ listing }) => listing ?? []);
    const isKnown = delegates !== undefined && all.length === 1;
    const page = {
      first: i === 0 ? first : ridToOid(rows[0]!.rid),
      ...packed,
      rows: rows.length,
      listed: listings.length,
      projects: listings.filter(({ isProject }) => isProject).length,
      delegates: isKnown ? delegates : listings.length === rows.length ? delegatesOf(listings) : null,
    };
    return { page, content };
  });
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

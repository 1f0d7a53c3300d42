/**
 * The catalogue: all published repositories, with what lists show of each. Requests for one repository do not
 * need it. It is a table in pages (`paged_table.ts`), in the order of lists: ascending by the 20 bytes of the
 * repositories' ids.
 */
import * as v from "valibot";
import {
  DamagedError,
  type Deflate,
  type Did,
  nidOfDid,
  type NodeId,
  type RepoId,
  type RepositoryListing,
  ridToOid,
  tryParseDoc,
} from "../../../src/mod.ts";
import { CATALOGUE_KEY, cataloguePageKey } from "./keys.ts";
import { PUBLISHED_FORMAT } from "./manifest.ts";
import { encodePages, type PagedTable, pageMembers } from "./paged_table.ts";
import { encodeNodeStarts, PrefixFilter } from "./prefix_filter.ts";
import { Base64, ListingSchema, RidSchema, wholeNumber } from "./schemas.ts";
import { type Immutable, sealedDocument } from "./sealed_json.ts";

/** Approximate bytes of the JSON of a page: a page of twice as many is divided. */
export const CATALOGUE_PAGE_BYTES = 2 ** 18;
/** Most bytes of the JSON of a page. */
export const MAX_CATALOGUE_PAGE_BYTES = 2 ** 21;
/** Most pages of a catalogue. */
export const MAX_CATALOGUE_PAGES = 10_000;
/** Most bytes of a catalogue without its pages. */
export const MAX_CATALOGUE_BYTES = 2 ** 24;
/** Most delegates of a page whose key prefixes are in the catalogue. */
const MAX_PAGE_DELEGATES = 4096;

/** A repository in the catalogue. */
export interface CatalogueRow {
  readonly rid: RepoId;
  /** Null when lists have to open the repository. */
  readonly listing: RepositoryListing | null;
}

export const CATALOGUE_ROWS: PagedTable<CatalogueRow> = {
  name: "A page of the catalogue",
  keyOf: cataloguePageKey,
  rows: v.array(v.strictObject({ rid: RidSchema, listing: v.nullable(ListingSchema) })),
};

const Count = wholeNumber(0, MAX_CATALOGUE_PAGE_BYTES);
const Page = v.strictObject({
  /** First id in this page, in 40 hexadecimal digits; empty in the first page. */
  first: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40})?$/)),
  ...pageMembers(MAX_CATALOGUE_PAGE_BYTES),
  rows: Count,
  /** Rows with a listing; and the projects among them. */
  listed: Count,
  projects: Count,
  /**
   * Prefixes of the keys of all delegates ({@link encodeNodeStarts}): a list by delegate skips each page
   * without repositories of the delegate. Null when they are unknown, or too many.
   */
  delegates: v.nullable(v.pipe(Base64, v.maxLength(4 * Math.ceil(2 * MAX_PAGE_DELEGATES / 3)))),
});
export type CataloguePage = Immutable<v.InferOutput<typeof Page>>;

const CatalogueSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  /** Number of the catalogue: it grows with each change. */
  number: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  pages: v.pipe(v.array(Page), v.maxLength(MAX_CATALOGUE_PAGES)),
});
export type Catalogue = Immutable<v.InferOutput<typeof CatalogueSchema>>;

export const CATALOGUE = sealedDocument(CATALOGUE_KEY, MAX_CATALOGUE_BYTES, CatalogueSchema, ({ pages }) => {
  if (pages.some(({ first }, i) => i === 0 ? first !== "" : first <= pages[i - 1]!.first)) {
    throw new DamagedError("The pages of the catalogue are out of order");
  }
});

/**
 * Encodes rows as one page or several.
 *
 * @param from.first Where the first page begins.
 * @param from.delegates The key prefixes of the delegates of all rows, if they are known: reading so many
 *   documents takes longer than everything else.
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

/** Key prefixes of the delegates in these documents; null when they are too many. */
function delegatesOf(listings: readonly RepositoryListing[]): string | null {
  const encoder = new TextEncoder();
  const nodes = new Set<NodeId>();
  for (const { document } of listings) {
    // Lists never show a repository with an unreadable document.
    for (const did of tryParseDoc(encoder.encode(document))?.delegates ?? []) nodes.add(nidOfDid(did));
  }
  return nodes.size <= MAX_PAGE_DELEGATES ? encodeNodeStarts(nodes) : null;
}

/** Whether a page may have repositories of a delegate. */
export function mayHaveDelegate({ delegates }: Pick<CataloguePage, "delegates">, did: Did): boolean {
  return delegates === null || new PrefixFilter(delegates).mayHaveNode(nidOfDid(did));
}

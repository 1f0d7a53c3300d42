/**
 * The format of the catalogue: all published repositories, with the data that lists show about each
 * repository. A request for a single repository does not need the catalogue. The catalogue is a table in
 * pages (`paged_table.ts`), in the order of lists: ascending by the 20 bytes of the repository ids.
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

/** Target size of a page's JSON, in bytes. A page of twice this size is divided. */
export const CATALOGUE_PAGE_BYTES = 2 ** 18;
/** Maximum size of a page's JSON, in bytes. */
export const MAX_CATALOGUE_PAGE_BYTES = 2 ** 21;
/** Maximum number of pages of a catalogue. */
export const MAX_CATALOGUE_PAGES = 10_000;
/** Maximum size of the catalogue object without the pages, in bytes. */
export const MAX_CATALOGUE_BYTES = 2 ** 24;
/**
 * Maximum number of delegates of a page. If a page has more delegates, the catalogue has no key prefixes for
 * this page.
 */
const MAX_PAGE_DELEGATES = 4096;

/** A repository in the catalogue. */
export interface CatalogueRow {
  readonly rid: RepoId;
  /** The data that lists show about the repository; null when a list has to read the repository itself. */
  readonly listing: RepositoryListing | null;
}

export const CATALOGUE_ROWS: PagedTable<CatalogueRow> = {
  name: "A page of the catalogue",
  keyOf: cataloguePageKey,
  rows: v.array(v.strictObject({ rid: RidSchema, listing: v.nullable(ListingSchema) })),
};

const Count = wholeNumber(0, MAX_CATALOGUE_PAGE_BYTES);
const Page = v.strictObject({
  /** Lower bound of the repository ids in this page, in 40 hexadecimal digits; empty for the first page. */
  first: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40})?$/)),
  ...pageMembers(MAX_CATALOGUE_PAGE_BYTES),
  rows: Count,
  /** Number of rows with a listing. `projects` is the number of projects among these rows. */
  listed: Count,
  projects: Count,
  /**
   * Prefixes of the public keys of all delegates ({@link encodeNodeStarts}). A list by delegate skips the
   * page when the delegate's prefix is not in it. Null when the delegates are unknown, or when there are too
   * many delegates.
   */
  delegates: v.nullable(v.pipe(Base64, v.maxLength(4 * Math.ceil(2 * MAX_PAGE_DELEGATES / 3)))),
});
export type CataloguePage = Immutable<v.InferOutput<typeof Page>>;

const CatalogueSchema = v.strictObject({
  format: v.literal(PUBLISHED_FORMAT),
  /** Version number of the catalogue. It grows with each change. */
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
 * Encodes rows as one or more pages.
 *
 * @param from.first Lower bound of the ids in the first page.
 * @param from.delegates The key prefixes of the delegates of all rows, if the caller knows them. They are
 *   used if the rows fit into one page. Then the identity documents need not be parsed, which would take
 *   longer than all other work.
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

/**
 * Returns the key prefixes of the delegates in the identity documents of these listings, or null when there
 * are too many delegates.
 */
function delegatesOf(listings: readonly RepositoryListing[]): string | null {
  const encoder = new TextEncoder();
  const nodes = new Set<NodeId>();
  for (const { document } of listings) {
    // An unreadable document is skipped, because lists never show its repository.
    for (const did of tryParseDoc(encoder.encode(document))?.delegates ?? []) nodes.add(nidOfDid(did));
  }
  return nodes.size <= MAX_PAGE_DELEGATES ? encodeNodeStarts(nodes) : null;
}

/** Checks whether a page may have repositories of the delegate. */
export function mayHaveDelegate({ delegates }: Pick<CataloguePage, "delegates">, did: Did): boolean {
  return delegates === null || new PrefixFilter(delegates).mayHaveNode(nidOfDid(did));
}

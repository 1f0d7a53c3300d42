/**
 * Plans how the pages of a catalogue change: which pages stay, and which rows the other pages get. The
 * functions are pure.
 */
import { type RepoId, type RepositoryListing, ridToOid } from "../../../src/mod.ts";
import type { CataloguePage, CatalogueRow } from "../format/catalogue.ts";
import { pageOf } from "../format/paged_table.ts";

/** Repositories with the data that lists show about them. */
export type Listings = ReadonlyMap<RepoId, RepositoryListing | null>;

/** Rows that are added to the catalogue, and repositories that are removed from it. */
export interface CatalogueChanges {
  readonly added: Listings;
  readonly removed: ReadonlySet<RepoId>;
}

/** A part of the new catalogue: either a page that stays, or rows that are encoded again. */
export type PlannedPage = { readonly page: CataloguePage } | PlannedRows;

/** Rows with ids from `first` on, for one or more pages. */
interface PlannedRows {
  readonly first: string;
  readonly rows: readonly CatalogueRow[];
  /**
   * The filter for delegates of the page that these rows replace (`delegates` of a page in `catalogue.ts`).
   * Given only if all identity documents are unchanged, because the filter is then still right.
   */
  readonly delegates?: CataloguePage["delegates"] | undefined;
}

export interface CataloguePlan {
  readonly pages: readonly PlannedPage[];
  /** Whether a removed repository had a row in the catalogue before. */
  readonly hasRemoved: boolean;
}

/** Returns the indexes of the pages that must be read for a change, in ascending order. */
export function pagesToRead(pages: readonly CataloguePage[], changes: CatalogueChanges): readonly number[] {
  const changed = new Set(
    [...changes.added.keys(), ...changes.removed].map((rid) => pageOf(pages, ridToOid(rid))),
  );
  return [...pages.keys()].filter((number) => changed.has(pages[number]));
}

/**
 * Returns the pages of the catalogue after a change. A page without rows is dropped, except for the first
 * page. The page before the dropped page then covers the ids of the dropped page.
 *
 * @param read The rows of the pages that were read, by the indexes of the pages. A page that is missing or
 *   damaged is given without rows.
 */
export function planCatalogue(
  pages: readonly CataloguePage[],
  read: ReadonlyMap<number, readonly CatalogueRow[]>,
  changes: CatalogueChanges,
): CataloguePlan {
  const starts = pages.length === 0 ? [{ first: "" }] : pages;
  const addedTo = Map.groupBy(changes.added, ([rid]) => pageOf(starts, ridToOid(rid)));
  const planned: PlannedPage[] = [];
  let hasRemoved = false;
  for (const [number, start] of starts.entries()) {
    const before = read.get(number);
    const page = pages[number];
    const added = addedTo.get(start) ?? [];
    if (page !== undefined && before === undefined) {
      planned.push({ page });
      continue;
    }
    const rows = new Map((before ?? []).map((row) => [row.rid, row]));
    const isLosing = [...changes.removed].some((rid) => rows.has(rid));
    hasRemoved ||= isLosing;
    const isWhole = !isLosing && page?.rows === rows.size;
    const isStill = (isSame: (a: Listing, b: Listing) => boolean) =>
      isWhole && added.every(([rid, listing]) => isSame(rows.get(rid)?.listing, listing));
    if (page !== undefined && isStill(isSameJson)) {
      planned.push({ page });
      continue;
    }
    const delegates = isStill(isSameDocument) ? page?.delegates : undefined;
    for (const rid of changes.removed) rows.delete(rid);
    for (const [rid, listing] of added) if (!changes.removed.has(rid)) rows.set(rid, { rid, listing });
    if (rows.size > 0 || number === 0 && page !== undefined) {
      planned.push({ first: start.first, rows: [...rows.values()], delegates });
    }
  }
  return { pages: planned, hasRemoved };
}

/** The listing of a row; `undefined` when there is no row. */
type Listing = RepositoryListing | null | undefined;

function isSameJson(a: Listing, b: Listing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isSameDocument(a: Listing, b: Listing): boolean {
  return a !== undefined && a?.document === b?.document;
}

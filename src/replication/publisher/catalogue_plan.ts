/** Plans how the pages of a catalogue change: which stay, and what is in the others. Pure. */
import { type RepoId, ridToOid } from "../../ids/rid.ts";
import type { RepositoryListing } from "../../ports/storage.ts";
import type { CataloguePage, CatalogueRow } from "../format/catalogue.ts";
import { pageOf } from "../format/paged_table.ts";

/** Pages with less JSON are joined with their neighbour. */
const SMALL_PAGE_BYTES = 2 ** 15;

/** Repositories with what lists show of them. */
export type Listings = ReadonlyMap<RepoId, RepositoryListing | null>;

/** Rows that are put into the catalogue, and repositories that leave it. */
export interface CatalogueChanges {
  readonly added: Listings;
  readonly removed: ReadonlySet<RepoId>;
}

/** A part of the new catalogue: a page that stays, or rows that are encoded anew. */
export type PlannedPage = { readonly page: CataloguePage } | PlannedRows;

/** Rows from an id on, for one page or several. */
interface PlannedRows {
  readonly first: string;
  readonly rows: readonly CatalogueRow[];
  /** Those of the page in whose place they come, when it has the same documents. */
  readonly delegates?: CataloguePage["delegates"] | undefined;
}

/** A catalogue after a change. */
export interface CataloguePlan {
  readonly pages: readonly PlannedPage[];
  /** Whether there was a row of a repository that leaves. */
  readonly hasRemoved: boolean;
}

/** Numbers of the pages that have to be read for a change, ascending: small ones with a neighbour. */
export function pagesToRead(pages: readonly CataloguePage[], changes: CatalogueChanges): readonly number[] {
  const numbers = new Set<number>();
  for (const rid of [...changes.added.keys(), ...changes.removed]) {
    const page = pageOf(pages, ridToOid(rid));
    if (page === undefined) continue;
    const number = pages.indexOf(page);
    numbers.add(number);
    if (page.rawBytes < SMALL_PAGE_BYTES && pages.length > 1) {
      numbers.add(number + 1 < pages.length ? number + 1 : number - 1);
    }
  }
  return [...numbers].sort((a, b) => a - b);
}

/**
 * Plans a change.
 *
 * @param read The rows of the pages that were read, by their numbers; none of a page that is gone or damaged.
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
    const last = planned.at(-1);
    const isSmall = JSON.stringify([...rows.values()]).length < SMALL_PAGE_BYTES;
    const joined = last === undefined || !isSmall ? undefined : rowsOf(last, pages, read);
    if (joined === undefined) planned.push({ first: start.first, rows: [...rows.values()], delegates });
    else planned.splice(-1, 1, { first: joined.first, rows: [...joined.rows, ...rows.values()] });
  }
  return { pages: planned, hasRemoved };
}

/** The rows of a planned page, if they are known. */
function rowsOf(
  planned: PlannedPage,
  pages: readonly CataloguePage[],
  read: ReadonlyMap<number, readonly CatalogueRow[]>,
): PlannedRows | undefined {
  if (!("page" in planned)) return planned;
  const rows = read.get(pages.indexOf(planned.page));
  return rows && { first: planned.page.first, rows };
}

/** The listing of a row; `undefined` without a row. */
type Listing = RepositoryListing | null | undefined;

function isSameJson(a: Listing, b: Listing): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function isSameDocument(a: Listing, b: Listing): boolean {
  return a !== undefined && a?.document === b?.document;
}

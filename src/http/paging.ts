/** Paging of lists (4.1): `page * perPage` items are skipped, then `perPage` taken. */
import * as v from "valibot";
import { UnsignedInteger } from "./query.ts";

/** The members of a query that lists take. */
export const pagingEntries = { page: v.optional(UnsignedInteger, "0"), perPage: v.optional(UnsignedInteger) };

/** Default `perPage` of lists. */
export const DEFAULT_PER_PAGE = 10;

/** One page of a list. */
export function pageOf<T>(items: readonly T[], paging: { page: number; perPage?: number | undefined }): T[] {
  const perPage = paging.perPage ?? DEFAULT_PER_PAGE;
  return perPage === 0 ? [] : items.slice(paging.page * perPage, paging.page * perPage + perPage);
}

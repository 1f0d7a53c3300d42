/** Paging of lists (4.1): skips `page * perPage` items, then takes `perPage`. */
import * as v from "valibot";
import { UnsignedInteger } from "./query.ts";

/** Query parameters of every list, as members of a valibot object. */
export const pagingEntries = { page: v.optional(UnsignedInteger, "0"), perPage: v.optional(UnsignedInteger) };

/** Default `perPage` of lists. */
export const DEFAULT_PER_PAGE = 10;

/** The page that a client requests. */
export interface Paging {
  readonly page: number;
  readonly perPage?: number | undefined;
}

/** One page of a list. */
export function pageOf<T>(items: readonly T[], { page, perPage = DEFAULT_PER_PAGE }: Paging): readonly T[] {
  return perPage === 0 ? [] : items.slice(page * perPage, page * perPage + perPage);
}

/** A page of a list whose items are computed one by one. */
export interface FoundPage<T> {
  readonly items: readonly T[];
  /** Items in the whole list; `undefined` when the list goes on after the page. */
  readonly total: number | undefined;
  readonly hasNext: boolean;
}

/**
 * One page of a list whose items are computed one by one. After the page one more item is computed, which
 * tells whether there is a next page.
 */
export async function pageOfFound<T>(
  items: AsyncIterable<T>,
  { page, perPage = DEFAULT_PER_PAGE }: Paging,
): Promise<FoundPage<T>> {
  const found: T[] = [];
  if (perPage === 0) return { items: found, total: undefined, hasNext: false };
  let seen = 0;
  for await (const item of items) {
    if (found.length === perPage) return { items: found, total: undefined, hasNext: true };
    if (seen++ >= page * perPage) found.push(item);
  }
  return { items: found, total: seen, hasNext: false };
}

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

/** One page of a list whose items are computed one by one; items after the page are not computed. */
export async function pageOfFound<T>(
  items: AsyncIterable<T>,
  { page, perPage = DEFAULT_PER_PAGE }: Paging,
): Promise<readonly T[]> {
  const found: T[] = [];
  if (perPage === 0) return found;
  let skip = page * perPage;
  for await (const item of items) {
    if (skip-- > 0) continue;
    if (found.push(item) === perPage) break;
  }
  return found;
}

/** Paging of lists (4.1): `page * perPage` items are skipped, then `perPage` taken. */
import * as v from "valibot";
import { UnsignedInteger } from "./query.ts";

/** The members of a query that lists take. */
export const pagingEntries = { page: v.optional(UnsignedInteger, "0"), perPage: v.optional(UnsignedInteger) };

/** Default `perPage` of lists. */
export const DEFAULT_PER_PAGE = 10;

/** Which items a client wants. */
export interface Paging {
  readonly page: number;
  readonly perPage?: number | undefined;
}

/** One page of a list. */
export function pageOf<T>(items: readonly T[], { page, perPage = DEFAULT_PER_PAGE }: Paging): readonly T[] {
  return perPage === 0 ? [] : items.slice(page * perPage, page * perPage + perPage);
}

/** One page of a list whose items are found one by one; those after the page are not looked for. */
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

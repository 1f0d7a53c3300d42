/**
 * Pages of lists (specification, 4.1). A page skips `page * perPage` items and contains the next `perPage`
 * items. The field `Link` refers to other pages (RFC 8288). The links consist only of a query, so that they
 * work below every base path and behind every proxy. The field `X-Total-Count` is the length of the list.
 */
import * as v from "valibot";
import { UnsignedInteger } from "./parameters.ts";
import type { Answer } from "./answer.ts";

/** Query parameters of every list, as members of a valibot object. */
export const pagingEntries = { page: v.optional(UnsignedInteger, "0"), perPage: v.optional(UnsignedInteger) };

/** Default number of items per page. */
export const DEFAULT_PER_PAGE = 10;

export interface Paging {
  readonly page: number;
  readonly perPage?: number | undefined;
}

export interface Extent {
  /** Number of items in the whole list; `undefined` if the items are not counted. */
  readonly total?: number | undefined;
  /** Whether the list has items after the page. */
  readonly hasNext: boolean;
}

export interface FoundPage<T> extends Extent {
  readonly items: readonly T[];
}

/** Returns one page of a list that is in memory. */
export function pageOf<T>(list: readonly T[], { page, perPage = DEFAULT_PER_PAGE }: Paging): FoundPage<T> {
  const items = perPage === 0 ? [] : list.slice(page * perPage, page * perPage + perPage);
  return { items, total: list.length, hasNext: (page + 1) * perPage < list.length };
}

/**
 * Returns one page of a list whose items are computed one after the other. Computes one more item, to find
 * out whether there is a next page.
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

/**
 * Maximum length of the field `Link`, in characters. Proxies refuse large header fields, so a longer field is
 * left out.
 */
export const MAX_LINK_LENGTH = 3072;

/** Query parameters except the paging parameters. */
export type LinkParameters = Readonly<Record<string, string | number | bigint | undefined>>;

export function countField(total: number): Answer["headers"] {
  return { "x-total-count": String(total) };
}

/**
 * Creates the header fields of a page. `Link` has `first`, and `prev` and `next` if these pages exist. `Link`
 * has `last` if the total is known. For a page after the end of the list, `prev` is the last page.
 *
 * @param parameters Parsed parameters of the request, which the links repeat.
 */
export function pageFields(
  parameters: LinkParameters,
  { page, perPage = DEFAULT_PER_PAGE }: Paging,
  { total, hasNext }: Extent,
): Answer["headers"] {
  const count = total === undefined ? {} : countField(total);
  if (perPage === 0 || !Number.isSafeInteger(page + 1)) return count;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  // A larger page size has the same result, because no list has more items.
  if (Number.isFinite(perPage)) query.set("perPage", String(Math.min(perPage, Number.MAX_SAFE_INTEGER)));
  const last = total === undefined ? undefined : Math.max(0, Math.ceil(total / perPage) - 1);
  const pages: readonly (readonly [relation: string, page: number | undefined])[] = [
    ["first", 0],
    ["prev", page === 0 ? undefined : Math.min(page - 1, last ?? Infinity)],
    ["next", hasNext ? page + 1 : undefined],
    ["last", last],
  ];
  const links: string[] = [];
  for (const [relation, number] of pages) {
    if (number === undefined) continue;
    query.set("page", String(number));
    links.push(`<?${query}>; rel="${relation}"`);
  }
  const link = links.join(", ");
  return link.length > MAX_LINK_LENGTH ? count : { ...count, link };
}

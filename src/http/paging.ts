/**
 * Paging of lists (4.1): skips `page * perPage` items, then returns `perPage`. `Link` refers to other pages
 * (RFC 8288), relative to the request and only by a query. These links work below every base path and behind
 * unknown proxies. `X-Total-Count` is the length of the list.
 */
import * as v from "valibot";
import { UnsignedInteger } from "./parameters.ts";
import type { Answer } from "./answer.ts";

/** Query parameters of every list, as members of a valibot object. */
export const pagingEntries = { page: v.optional(UnsignedInteger, "0"), perPage: v.optional(UnsignedInteger) };

/** Default `perPage` of lists. */
export const DEFAULT_PER_PAGE = 10;

export interface Paging {
  readonly page: number;
  readonly perPage?: number | undefined;
}

/** The rest of the list around a page. */
export interface Extent {
  /** Items in the whole list; `undefined` if they are not counted. */
  readonly total?: number | undefined;
  /** Whether items follow the page. */
  readonly hasNext: boolean;
}

export interface FoundPage<T> extends Extent {
  readonly items: readonly T[];
}

/** One page of a list in memory. */
export function pageOf<T>(list: readonly T[], { page, perPage = DEFAULT_PER_PAGE }: Paging): FoundPage<T> {
  const items = perPage === 0 ? [] : list.slice(page * perPage, page * perPage + perPage);
  return { items, total: list.length, hasNext: (page + 1) * perPage < list.length };
}

/**
 * One page of a list whose items are computed one by one. One more item is computed after the page, to find
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

/** Longest `Link`, in characters; a longer one is left out, because proxies refuse large header fields. */
export const MAX_LINK_LENGTH = 3072;

/** Query parameters except the paging parameters. */
export type LinkParameters = Readonly<Record<string, string | number | bigint | undefined>>;

/** Header field with the number of items of a list. */
export function countField(total: number): Answer["headers"] {
  return { "x-total-count": String(total) };
}

/**
 * The header fields of a page: `first`, and `prev` and `next` where these pages exist. `last` needs a known
 * total. For a page behind the end of the list, `prev` is the last page.
 *
 * @param parameters Parsed parameters of the request; the links repeat them.
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
  // A larger page size gives the same page: no list is so long.
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

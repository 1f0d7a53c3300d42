/**
 * Header fields of lists (4.1): `Link` to other pages (RFC 8288) and `X-Total-Count`. References are
 * relative, a query alone: they hold below every base path and behind proxies that the service knows nothing
 * of.
 */
import type { Answer } from "./answer.ts";
import { DEFAULT_PER_PAGE, type Paging } from "./paging.ts";

/** Longest `Link`, in characters; a longer one is left out, because proxies refuse large header fields. */
export const MAX_LINK_LENGTH = 3072;

/** How far a list goes beyond a page. */
export interface Extent {
  /** Items in the whole list; `undefined` where they have not been counted. */
  readonly total?: number | undefined;
  /** Whether items follow the page. */
  readonly hasNext: boolean;
}

/** Parameters of a query, apart from those of paging. */
export type LinkParameters = Readonly<Record<string, string | number | undefined>>;

/** The extent of a list that is in memory. */
export function extentOf(
  { length }: readonly unknown[],
  { page, perPage = DEFAULT_PER_PAGE }: Paging,
): Extent & { readonly total: number } {
  return { total: length, hasNext: (page + 1) * perPage < length };
}

/** Number of items of a list, as a header field. */
export function countField(total: number): Answer["headers"] {
  return { "x-total-count": String(total) };
}

/**
 * The header fields of a page: `first`, `prev` and `next` where there are such pages, `last` where the total
 * is known. `prev` of a page behind the end is the last one.
 *
 * @param parameters What the list was asked for, parsed; the references repeat it.
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
  // Larger pages than any list is long are the same page.
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

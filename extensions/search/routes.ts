/**
 * Handler for searches in names and descriptions of repositories, issues, and patches (docs/api.md, 4.15).
 */
import {
  type AnswerOf,
  type Call,
  countField,
  DEFAULT_PER_PAGE,
  json,
  pageFields,
  readQuery,
  UnsupportedError,
  withHeaders,
} from "../../src/mod.ts";
import type { Search } from "./search.ts";
import { FoundQuery } from "./request.ts";
import type { FoundText } from "./contract.ts";
import { MAX_RANKED } from "./query.ts";
import { toFoundView } from "./found_view.ts";

/**
 * Maximum number of found texts on a page, whatever `perPage` requests. `radicle-httpd` has the same limit.
 */
export const MAX_FOUND_PER_PAGE = 100;

export async function searchTexts(
  call: Call,
  search: Search | undefined,
): Promise<AnswerOf<readonly FoundText[]>> {
  const { q, page, perPage = DEFAULT_PER_PAGE } = readQuery(call.url, FoundQuery);
  if (search === undefined) throw new UnsupportedError("This host has no search");
  const paging = { page, perPage: Math.min(perPage, MAX_FOUND_PER_PAGE) };
  const offset = page * paging.perPage;
  const { hits, total, isComplete, words } = await search.find({
    query: q,
    offset,
    limit: paging.perPage,
    client: call.peer,
    task: call.task,
    isOwner: call.isPrivileged,
    isVisible: async (rid) => await call.repositories.open(rid) !== undefined,
  });
  const found: FoundText[] = [];
  for (const hit of hits) {
    // The repository is opened again, because it may have become private in the meantime.
    const repository = await call.repositories.open(hit.rid);
    const name = repository?.doc?.project?.name;
    if (repository !== undefined) found.push(toFoundView(hit, name ?? "", words));
    await call.task.yield();
  }
  const paged = Math.min(total, MAX_RANKED);
  const extent = { total: isComplete ? paged : undefined, hasNext: offset + paging.perPage < paged };
  return withHeaders(json<readonly FoundText[]>(found), {
    ...pageFields({ q }, paging, extent),
    ...isComplete && countField(total),
  });
}

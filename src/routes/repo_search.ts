/** Search for repositories by their names, for today's clients. */
import { type Call, requireDoc } from "./call.ts";
import { allRepositories, collect } from "./listing.ts";
import { delegateAliases, MAX_PER_PAGE } from "./repo_texts.ts";
import { SearchQuery } from "../contract/queries.ts";
import { type Answer, withHeaders } from "../http/answer.ts";
import { extentOf, pageFields } from "../http/paging.ts";
import { DEFAULT_PER_PAGE, pageOf } from "../http/paging.ts";
import { readQuery } from "../http/parameters.ts";
import { jsonTexts } from "../http/respond.ts";
import type { IdentityDoc } from "../identity/doc.ts";
import { foundRepoText } from "../views/today/repo.ts";

/** Characters of a search that count; further ones are passed over. */
export const MAX_QUERY_CHARACTERS = 256;

const SEARCH_CACHING = { "cache-control": "public, max-age=600, must-revalidate" };

/** Finds repositories by a part of their names. Those whose name begins with it come first. */
export async function searchRepos(call: Call): Promise<Answer> {
  const { q, page, perPage = DEFAULT_PER_PAGE } = readQuery(call.url, SearchQuery);
  const text = [...q.slice(0, 2 * MAX_QUERY_CHARACTERS)].slice(0, MAX_QUERY_CHARACTERS).join("");
  const { node, environment } = call.service;
  const isWanted = (doc: IdentityDoc) => doc.project?.name.includes(text) ?? false;
  const found = await collect(allRepositories(call, { isWanted }));
  const seeds = await node.seedCounts(found.map(({ rid }) => rid));
  const hits = found.map((repository) => {
    const doc = requireDoc(repository);
    const rank = doc.project?.name.startsWith(text) === true ? 0 : 1;
    return { rid: repository.rid, doc, rank, seeding: seeds.get(repository.rid) ?? 0 };
  });
  hits.sort((a, b) => a.rank - b.rank || a.seeding - b.seeding);
  const paging = { page, perPage: Math.min(perPage, MAX_PER_PAGE) };
  const shown = pageOf(hits, paging);
  const aliasOf = await delegateAliases(call, shown.map(({ doc }) => doc));
  const answer = await jsonTexts(shown.map((hit) => foundRepoText(hit, aliasOf)), environment.log, call.task);
  const fields = pageFields({ q: text }, paging, extentOf(hits, paging));
  return withHeaders(answer, { ...SEARCH_CACHING, ...fields });
}

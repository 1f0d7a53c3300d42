/** Repositories: list, search, one. */
import { type Call, type OpenRepository, requireDoc, tableOf } from "../call.ts";
import { OF_REPO, OF_SEARCH } from "../../contract/traits.ts";
import { allRepositories, collect, listedRepositories, unlessUnreadable } from "../listing.ts";
import { SearchQuery, TodayReposQuery } from "../../contract/queries.ts";
import { parseCommitHeader } from "../../git/commit.ts";
import { readObject } from "../../git/objects.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import {
  DEFAULT_PER_PAGE,
  extentOf,
  pageFields,
  pageOf,
  pageOfFound,
  type Paging,
} from "../../http/paging.ts";
import { readQuery } from "../../http/parameters.ts";
import { jsonText, jsonTexts } from "../../http/respond.ts";
import { readHead } from "../../identity/head.ts";
import { type RepoId, sortRids } from "../../ids/rid.ts";
import { foundRepoText } from "../../views/today/repo.ts";
import { readPolicies } from "./policies.ts";
import { delegateAliases, repoTextOf, repoTexts } from "./repo_texts.ts";
import { openNamed } from "../dialect.ts";
import { MAX_PER_PAGE, type TodayRow } from "./requests.ts";

/** Routes of repositories. */
export const repoRoutes: readonly TodayRow[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos", listRepos],
  ["GET", "/api/v1/repos/search", searchRepos, OF_SEARCH],
  ["GET", "/api/v1/repos/:rid", showRepo],
]);

/** Characters of a search that count; further ones are passed over. */
export const MAX_QUERY_CHARACTERS = 256;

const SEARCH_CACHING = { "cache-control": "public, max-age=600, must-revalidate" };

/** Choice: the order holds for all repositories, where the real service knows it for pinned ones alone. */
async function listRepos(call: Call): Promise<Answer> {
  const { show, sort, page, perPage } = readQuery(call.url, TodayReposQuery);
  const { profile, environment } = call.service;
  const pinned = show === "pinned" ? await profile.pinned() : undefined;
  const policies = await readPolicies(call);
  const isAllowed = (rid: RepoId) => policies.of(rid).policy === "allow";
  const listed = pinned === undefined
    ? allRepositories(call, (_, rid) => isAllowed(rid))
    : listedRepositories(
      call,
      sortRids(pinned),
      ({ rid, doc }) => Promise.resolve(doc !== undefined && isAllowed(rid)),
    );
  const paging = { page, perPage: Math.min(perPage ?? pinned?.length ?? DEFAULT_PER_PAGE, MAX_PER_PAGE) };
  const { items, ...extent } = sort === "rid"
    ? await pageOfFound(listed, paging)
    : pageIn(await sorted(call, await collect(listed), sort), paging);
  const answer = await jsonTexts(await repoTexts(call, items), environment.log, call.task);
  return withHeaders(answer, pageFields({ show, sort }, paging, extent));
}

/** A page of a list in memory, and how far the list goes. */
function pageIn(list: readonly OpenRepository[], paging: Paging) {
  return { items: pageOf(list, paging), ...extentOf(list, paging) };
}

/** Finds repositories by a part of their names. Those whose name begins with it come first. */
async function searchRepos(call: Call): Promise<Answer> {
  const { q, page, perPage = DEFAULT_PER_PAGE } = readQuery(call.url, SearchQuery);
  const text = [...q.slice(0, 2 * MAX_QUERY_CHARACTERS)].slice(0, MAX_QUERY_CHARACTERS).join("");
  const { node, environment } = call.service;
  const found = await collect(
    allRepositories(call, (doc) => doc.project?.name.includes(text) ?? false),
  );
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

async function showRepo(call: Call): Promise<Answer> {
  return jsonText(await repoTextOf(call, await openNamed(call)));
}

/** Repositories in an order, the first first; those for which it cannot be told are left out. */
async function sorted(
  call: Call,
  repositories: readonly OpenRepository[],
  order: "activity" | "seeding",
): Promise<readonly OpenRepository[]> {
  const seeds = order === "seeding"
    ? await call.service.node.seedCounts(repositories.map(({ rid }) => rid))
    : undefined;
  const ranked: { readonly repository: OpenRepository; readonly rank: number }[] = [];
  for (const repository of repositories) {
    const rank = seeds === undefined
      ? await unlessUnreadable(() => lastActivity(repository))
      : seeds.get(repository.rid) ?? 0;
    if (rank !== undefined) ranked.push({ repository, rank });
  }
  return ranked.sort((a, b) => b.rank - a.rank).map(({ repository }) => repository);
}

/** The time of the head commit; `undefined` when there is no head. */
async function lastActivity(repository: OpenRepository): Promise<number | undefined> {
  const { objects, graph } = repository;
  const head = await readHead(objects, graph, requireDoc(repository), repository.task);
  return head && parseCommitHeader((await readObject(objects, head, "commit")).bytes).timeSeconds;
}

/** Repositories of a delegate. */
import type { Call } from "../call.ts";
import { allRepositories, listedRepositories } from "../listing.ts";
import { TodayReposQuery } from "../../contract/queries.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import { DEFAULT_PER_PAGE, pageFields, pageOfFound } from "../../http/paging.ts";
import { readQuery } from "../../http/parameters.ts";
import { jsonTexts } from "../../http/respond.ts";
import { parseDid } from "../../ids/did.ts";
import type { IdentityDoc } from "../../identity/doc.ts";
import { sortRids } from "../../ids/rid.ts";
import { repoTexts } from "./repo_texts.ts";
import { MAX_PER_PAGE, type TodayRow } from "./requests.ts";

/** Routes of delegates. */
export const delegateRoutes: readonly TodayRow[] = [
  ["GET", "/api/v1/delegates/:did/repos", listRepos],
];

/** Choice: as on the real service, `sort` is read and has no effect. */
async function listRepos(call: Call): Promise<Answer> {
  const delegate = parseDid(call.param("did"));
  const { show, sort, page, perPage = DEFAULT_PER_PAGE } = readQuery(call.url, TodayReposQuery);
  const { profile, environment } = call.service;
  const isWanted = (doc: IdentityDoc) => doc.delegates.includes(delegate);
  const listed = show === "pinned"
    ? listedRepositories(
      call,
      sortRids(await profile.pinned()),
      ({ doc }) => Promise.resolve(doc !== undefined && isWanted(doc)),
    )
    : allRepositories(call, isWanted, delegate);
  const paging = { page, perPage: Math.min(perPage, MAX_PER_PAGE) };
  const { items, ...extent } = await pageOfFound(listed, paging);
  const answer = await jsonTexts(await repoTexts(call, items), environment.log, call.task);
  return withHeaders(answer, pageFields({ show, sort }, paging, extent));
}

/** Issues of a repository: list, open, show, change (4.3). */
import { matchingObjects } from "../browse/matching_objects.ts";
import { type Call, type RoutesOf, tableOf } from "./call.ts";
import { OF_PROJECT } from "../contract/traits.ts";
import { issueChanges, V1_CHANGES } from "./changes.ts";
import type { Issue as IssueView, issueEndpoints } from "../contract/issues.ts";
import { IssuesQuery } from "../contract/queries.ts";
import type { Issue } from "../cob/issue/issue.ts";
import { newestFirst } from "../cob/entry/newest_first.ts";
import { ApiError } from "../errors.ts";
import { type AnswerOf, withHeaders } from "../http/answer.ts";
import { extentOf, pageFields } from "../http/page_links.ts";
import { pageOf } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { jsonTexts } from "../http/respond.ts";
import { toIssueView } from "../views/issue.ts";
import { textsOfIssue } from "../views/whole_texts.ts";
import { wholeObject } from "./whole_object.ts";

const changes = issueChanges(V1_CHANGES);

/** Routes of issues. */
export const issueRoutes: RoutesOf<typeof issueEndpoints> = tableOf(OF_PROJECT, [
  ["GET", "/api/v1/projects/:project/issues", listIssues],
  ["POST", "/api/v1/projects/:project/issues", changes.open],
  ["GET", "/api/v1/projects/:project/issues/:id", showIssue],
  ["PATCH", "/api/v1/projects/:project/issues/:id", changes.change],
]);

async function listIssues(call: Call): Promise<AnswerOf<readonly IssueView[]>> {
  const rid = call.rid("project");
  const { state, page, perPage, ...filter } = readQuery(call.url, IssuesQuery);
  const paging = { page, perPage };
  const { objects, graph } = await call.repository(rid);
  const { summaries, states } = await call.service.cobs.issues.listed(objects, graph);
  const issues = await matchingObjects(newestFirst(summaries, state), filter);
  const texts = await issueTexts(call, await states(pageOf(issues, paging)));
  const answer = await jsonTexts<IssueView>(texts, call.service.environment.log);
  return withHeaders(answer, pageFields({ state, ...filter }, paging, extentOf(issues, paging)));
}

async function showIssue(call: Call): Promise<AnswerOf<IssueView>> {
  const [rid, id] = [call.rid("project"), call.oid("id")];
  const { objects, graph } = await call.repository(rid);
  const issue = await call.service.cobs.issues.get(objects, graph, id);
  if (issue === undefined) throw new ApiError("notFound", "Not Found");
  const { answers, cobs } = call.service;
  return await wholeObject(call, issue, {
    subject: issue.state,
    view: (whole) => (state, aliasOf) => toIssueView(state, { answers, aliasOf, whole }),
    groups: textsOfIssue(issue.state),
    read: (entry) => cobs.issues.actions(objects, entry),
  });
}

/** The JSON of issues. */
async function issueTexts({ service }: Call, issues: readonly Issue[]): Promise<readonly string[]> {
  const { answers, node, texts } = service;
  return await texts.of(node, issues, (issue, aliasOf) => toIssueView(issue, { answers, aliasOf }));
}

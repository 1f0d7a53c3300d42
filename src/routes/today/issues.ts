/** Issues of a repository: list, one. */
import { matchingObjects } from "../../browse/matching_objects.ts";
import { type Call, tableOf } from "../call.ts";
import { OF_REPO } from "../../contract/traits.ts";
import { memoize } from "../../cache/memoize.ts";
import { newestFirst } from "../../cob/entry/newest_first.ts";
import type { Issue } from "../../cob/issue/issue.ts";
import { TodayIssuesQuery } from "../../contract/queries.ts";
import { ApiError } from "../../errors.ts";
import { type Answer, withHeaders } from "../../http/answer.ts";
import { extentOf, pageFields } from "../../http/page_links.ts";
import { pageOf } from "../../http/paging.ts";
import { readQuery } from "../../http/query.ts";
import { jsonTexts } from "../../http/respond.ts";
import type { AliasOf } from "../../views/author.ts";
import { toTodayIssue } from "../../views/today/issue.ts";
import { textsOfIssue, type WholeTexts } from "../../views/whole_texts.ts";
import { wholeObject } from "../whole_object.ts";
import { requireRepo, requireRid, type TodayRow } from "./requests.ts";

/** Routes of issues. */
export const issueRoutes: readonly TodayRow[] = tableOf(OF_REPO, [
  ["GET", "/api/v1/repos/:rid/issues", listIssues],
  ["GET", "/api/v1/repos/:rid/issues/:id", showIssue],
]);

/** An issue to be shown: JSON is cached by its subject, and version 1 shows the issue itself. */
interface Shown {
  readonly issue: Issue;
}

const shownIssue: (issue: Issue) => Shown = memoize((issue) => ({ issue }));
const viewWith = (whole?: WholeTexts) => ({ issue }: Shown, aliasOf: AliasOf) =>
  toTodayIssue(issue, { aliasOf, whole });
const listView = viewWith();

async function listIssues(call: Call): Promise<Answer> {
  const { status, page, perPage, ...filter } = readQuery(call.url, TodayIssuesQuery);
  const paging = { page, perPage };
  const { objects, graph } = await requireRepo(call, requireRid(call));
  const { cobs, texts, node, environment } = call.service;
  const { summaries, states } = await cobs.issues.listed(objects, graph);
  const issues = await matchingObjects(newestFirst(summaries, status), filter);
  const shownIssues = await states(pageOf(issues, paging));
  const shown = await texts.of(node, shownIssues.map(shownIssue), listView);
  const fields = pageFields({ status, ...filter }, paging, extentOf(issues, paging));
  return withHeaders(await jsonTexts(shown, environment.log), fields);
}

async function showIssue(call: Call): Promise<Answer> {
  const id = call.oid("id");
  const { objects, graph } = await requireRepo(call, requireRid(call));
  const { issues } = call.service.cobs;
  const issue = await issues.get(objects, graph, id);
  if (issue === undefined) throw new ApiError("notFound", "Not Found");
  return await wholeObject(call, issue, {
    subject: shownIssue(issue.state),
    view: viewWith,
    groups: textsOfIssue(issue.state),
    read: (entry) => issues.actions(objects, entry),
  });
}

/** Issues of a repository: list, open, one, change (4.3). */
import * as v from "valibot";
import type { Call, Route } from "../call.ts";
import { toChange } from "../cob/change.ts";
import { type Issue, IssueAction } from "../cob/issue.ts";
import { checkIssueAction, checkNewIssue, checkReply, draftIssue, NewIssue } from "../cob/issue_request.ts";
import { newestFirst } from "../cob/newest_first.ts";
import { ApiError } from "../errors.ts";
import { readBearer } from "../http/bearer.ts";
import { MAX_PROJECT_BODY_BYTES, readJson } from "../http/body.ts";
import { pageOf, pagingEntries } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { json, jsonText } from "../http/respond.ts";
import { toIssueView } from "../views/issue.ts";

/** Routes of issues. */
export const issueRoutes: readonly Route[] = [
  ["GET", "/api/v1/projects/:project/issues", listIssues],
  ["POST", "/api/v1/projects/:project/issues", openIssue],
  ["GET", "/api/v1/projects/:project/issues/:id", showIssue],
  ["PATCH", "/api/v1/projects/:project/issues/:id", changeIssue],
];

/** Choice: `all` lists issues in any state; the other values and the default are those of the real service. */
const IssuesQuery = v.object({
  ...pagingEntries,
  state: v.optional(v.picklist(["open", "closed", "all"]), "open"),
});

async function listIssues(call: Call): Promise<Response> {
  const rid = call.rid("project");
  const { state, ...paging } = readQuery(call.url, IssuesQuery);
  const { objects, index } = await call.repository(rid);
  const issues = newestFirst(await call.service.cobs.issues.list(objects, index), state);
  return jsonText(`[${await issueTexts(call, pageOf(issues, paging))}]`);
}

async function openIssue(call: Call): Promise<Response> {
  const token = readBearer(call.request);
  const rid = call.rid("project");
  const issue = await readJson(call.request, NewIssue, MAX_PROJECT_BODY_BYTES);
  checkNewIssue(issue);
  const place = await call.place(token, rid);
  const { writer, cobs } = call.service;
  const id = await writer.create(cobs.issues, place, await draftIssue(place.repository, issue));
  return json({ success: true, id }, { status: 201 });
}

async function showIssue(call: Call): Promise<Response> {
  const [rid, id] = [call.rid("project"), call.oid("id")];
  const { objects, index } = await call.repository(rid);
  const issue = await call.service.cobs.issues.get(objects, index, id);
  if (issue === undefined) throw new ApiError("notFound", "Not Found");
  return jsonText(await issueTexts(call, [issue.state]));
}

async function changeIssue(call: Call): Promise<Response> {
  const token = readBearer(call.request);
  const [rid, id] = [call.rid("project"), call.oid("id")];
  const action = await readJson(call.request, IssueAction, MAX_PROJECT_BODY_BYTES);
  checkIssueAction(action);
  const place = await call.place(token, rid);
  const { writer, cobs } = call.service;
  const entry = await writer.update(cobs.issues, place, id, () => {
    checkReply(action);
    return toChange(place.repository, action);
  });
  return json({ success: true, id: entry });
}

/** The JSON of issues, with commas between. */
async function issueTexts({ service }: Call, issues: readonly Issue[]): Promise<string> {
  const { answers, node, texts } = service;
  const all = await texts.of(node, issues, (issue, aliasOf) => toIssueView(issue, { answers, aliasOf }));
  return all.join(",");
}

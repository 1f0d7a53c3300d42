/** Issues of a repository: list, open, show, change (4.3). */
import type { Call, RoutesOf } from "./call.ts";
import type { Changed, Issue as IssueView, issueEndpoints } from "../contract/issues.ts";
import { IssuesQuery } from "../contract/queries.ts";
import { toChange } from "../cob/write/change.ts";
import { type Issue, IssueAction } from "../cob/issue/issue.ts";
import {
  checkIssueAction,
  checkNewIssue,
  checkReply,
  draftIssue,
  NewIssue,
} from "../cob/write/issue_request.ts";
import { newestFirst } from "../cob/entry/newest_first.ts";
import { ApiError } from "../errors.ts";
import type { AnswerOf } from "../http/answer.ts";
import { readBearer } from "../http/bearer.ts";
import { MAX_PROJECT_BODY_BYTES, readJson } from "../http/body.ts";
import { pageOf } from "../http/paging.ts";
import { readQuery } from "../http/query.ts";
import { json, jsonPieces, jsonText, jsonTexts } from "../http/respond.ts";
import type { AliasOf } from "../views/author.ts";
import { STREAMED_TEXT_BYTES } from "../views/cached_texts.ts";
import { toIssueView } from "../views/issue.ts";
import { type ReadActions, textsOfIssue, WholeTexts } from "../views/whole_texts.ts";

/** Routes of issues. */
export const issueRoutes: RoutesOf<typeof issueEndpoints> = [
  ["GET", "/api/v1/projects/:project/issues", listIssues],
  ["POST", "/api/v1/projects/:project/issues", openIssue],
  ["GET", "/api/v1/projects/:project/issues/:id", showIssue],
  ["PATCH", "/api/v1/projects/:project/issues/:id", changeIssue],
];

async function listIssues(call: Call): Promise<AnswerOf<readonly IssueView[]>> {
  const rid = call.rid("project");
  const { state, ...paging } = readQuery(call.url, IssuesQuery);
  const { objects, index } = await call.repository(rid);
  const issues = newestFirst(await call.service.cobs.issues.list(objects, index), state);
  return await jsonTexts(await issueTexts(call, pageOf(issues, paging)), call.service.environment.log);
}

async function openIssue(call: Call): Promise<AnswerOf<Changed>> {
  const token = readBearer(call.request);
  const rid = call.rid("project");
  const issue = await readJson(call.request, NewIssue, MAX_PROJECT_BODY_BYTES);
  checkNewIssue(issue);
  const place = await call.place(token, rid);
  const { writer, cobs } = call.service;
  const id = await writer.create(cobs.issues, place, await draftIssue(place.repository, issue));
  return json({ success: true, id }, { status: 201 });
}

async function showIssue(call: Call): Promise<AnswerOf<IssueView>> {
  const [rid, id] = [call.rid("project"), call.oid("id")];
  const { objects, index } = await call.repository(rid);
  const issue = await call.service.cobs.issues.get(objects, index, id);
  if (issue === undefined) throw new ApiError("notFound", "Not Found");
  const { state, texts: { bytes } } = issue;
  const { truncated } = state;
  if (truncated === undefined && bytes <= STREAMED_TEXT_BYTES) {
    return jsonText((await issueTexts(call, [state]))[0]!);
  }
  const { answers, cobs, node, texts, environment } = call.service;
  const read: ReadActions = (entry) => cobs.issues.actions(objects, entry);
  const whole = truncated && new WholeTexts(textsOfIssue(state), read);
  if (whole !== undefined) await call.requireRoom(whole.heldBytes);
  const view = (issue: Issue, aliasOf: AliasOf) => toIssueView(issue, { answers, aliasOf, whole });
  return await jsonPieces(texts.pieces(node, state, view), environment.log, {
    heldBytes: whole?.heldBytes ?? 0,
  });
}

async function changeIssue(call: Call): Promise<AnswerOf<Changed>> {
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

/** The JSON of issues. */
async function issueTexts({ service }: Call, issues: readonly Issue[]): Promise<readonly string[]> {
  const { answers, node, texts } = service;
  return await texts.of(node, issues, (issue, aliasOf) => toIssueView(issue, { answers, aliasOf }));
}

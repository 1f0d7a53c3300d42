/** Issues of a repository: list, one. */
import type { Call, Route } from "../call.ts";
import { memoize } from "../../cache/memoize.ts";
import { newestFirst } from "../../cob/entry/newest_first.ts";
import type { Issue } from "../../cob/issue/issue.ts";
import { TodayIssuesQuery } from "../../contract/queries.ts";
import { ApiError } from "../../errors.ts";
import type { Answer } from "../../http/answer.ts";
import { pageOf } from "../../http/paging.ts";
import { readQuery } from "../../http/query.ts";
import { jsonPieces, jsonText, jsonTexts } from "../../http/respond.ts";
import type { AliasOf } from "../../views/author.ts";
import { STREAMED_TEXT_BYTES } from "../../views/cached_texts.ts";
import { toTodayIssue } from "../../views/today/issue.ts";
import { requireRepo, requireRid } from "./requests.ts";

/** Routes of issues. */
export const issueRoutes: readonly Route[] = [
  ["GET", "/api/v1/repos/:rid/issues", listIssues],
  ["GET", "/api/v1/repos/:rid/issues/:id", showIssue],
];

/** An issue to be shown: JSON is cached by its subject, and version 1 shows the issue itself. */
interface Shown {
  readonly issue: Issue;
}

const shownIssue: (issue: Issue) => Shown = memoize((issue) => ({ issue }));
const view = ({ issue }: Shown, aliasOf: AliasOf) => toTodayIssue(issue, aliasOf);

async function listIssues(call: Call): Promise<Answer> {
  const { status, ...paging } = readQuery(call.url, TodayIssuesQuery);
  const { objects, index } = await requireRepo(call, requireRid(call));
  const { cobs, texts, node, environment } = call.service;
  const issues = newestFirst(await cobs.issues.list(objects, index), status);
  return await jsonTexts(await texts.of(node, pageOf(issues, paging).map(shownIssue), view), environment.log);
}

async function showIssue(call: Call): Promise<Answer> {
  const id = call.oid("id");
  const { objects, index } = await requireRepo(call, requireRid(call));
  const { cobs, texts, node, environment } = call.service;
  const issue = await cobs.issues.get(objects, index, id);
  if (issue === undefined) throw new ApiError("notFound", "Not Found");
  const subject = shownIssue(issue.state);
  if (issue.texts.bytes <= STREAMED_TEXT_BYTES) return jsonText((await texts.of(node, [subject], view))[0]!);
  return await jsonPieces(texts.pieces(node, subject, view), environment.log);
}

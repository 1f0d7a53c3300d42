/** Issues of a repository: list, open, show, change (4.3). */
import { type RoutesOf, tableOf } from "./call.ts";
import { changeIssue, openIssue } from "./changes.ts";
import type { issueEndpoints } from "../contract/issues.ts";
import { IssuesQuery, TodayIssuesQuery } from "../contract/queries.ts";
import { OF_PROJECT } from "../contract/traits.ts";
import { toIssueView, toTodayIssue } from "../views/issue.ts";
import { textsOfIssue } from "../views/whole_texts.ts";
import { objectHandlers } from "./objects.ts";

/** Lists issues and shows one, in both dialects. */
export const issues = objectHandlers({
  storeOf: ({ cobs }) => cobs.issues,
  queries: { v1: IssuesQuery, today: TodayIssuesQuery },
  viewsOf: ({ dialect, service: { answers } }) => ({
    view: (issue, options) =>
      dialect === "v1" ? toIssueView(issue, { ...options, answers }) : toTodayIssue(issue, options),
  }),
  textsOf: textsOfIssue,
});

/** Routes of issues. */
export const issueRoutes: RoutesOf<typeof issueEndpoints> = tableOf(OF_PROJECT, [
  ["GET", "/api/v1/projects/:project/issues", issues.list],
  ["POST", "/api/v1/projects/:project/issues", openIssue],
  ["GET", "/api/v1/projects/:project/issues/:id", issues.show],
  ["PATCH", "/api/v1/projects/:project/issues/:id", changeIssue],
]);

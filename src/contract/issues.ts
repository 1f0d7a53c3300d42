/** Schemas and routes of issues (specification, 2.9, 4.3). */
import * as v from "valibot";
import { IssueRequest, IssueState } from "../cob/issue/issue.ts";
import { NewIssue } from "../cob/write/issue_request.ts";
import { change, type Endpoint, OF_ISSUE, read } from "./endpoint.ts";
import { IssuesQuery } from "./queries.ts";
import { Author, Comment } from "./thread.ts";
import { Did, list, Mark, Oid } from "./values.ts";

export const Issue = v.object({
  id: Oid,
  author: Author,
  title: v.string(),
  state: IssueState,
  assignees: list(Did),
  discussion: v.pipe(list(Comment), v.description("The first comment is the description.")),
  labels: list(v.string()),
  truncated: Mark,
});

/** The response to a change. `id` is the id of the entry that the change has written. */
export const Changed = v.object({ success: v.literal(true), id: Oid });

export type Issue = v.InferOutput<typeof Issue>;
export type Changed = v.InferOutput<typeof Changed>;

export const issueEndpoints = [
  read("4.3.1", "/projects/:project/issues", "listIssues", "Issues, the newest first.", list(Issue), {
    query: IssuesQuery,
  }),
  change("4.3.3", "POST /projects/:project/issues", "openIssue", "Opens an issue.", { 201: Changed }, {
    body: NewIssue,
  }),
  read("4.3.2", "/projects/:project/issues/:id", "showIssue", "One issue.", Issue, { parameters: OF_ISSUE }),
  change(
    "4.3.4",
    "PATCH /projects/:project/issues/:id",
    "changeIssue",
    "Changes an issue.",
    { 200: Changed },
    { parameters: OF_ISSUE, body: IssueRequest },
  ),
] as const satisfies readonly Endpoint[];

/** Issues (2.9, 4.3). */
import * as v from "valibot";
import { IssueAction, IssueState } from "../cob/issue/issue.ts";
import { NewIssue } from "../cob/write/issue_request.ts";
import type { Endpoint } from "./endpoint.ts";
import { OF_CHANGES, OF_READS } from "./errors.ts";
import { IssuesQuery } from "./queries.ts";
import { Author, Comment } from "./thread.ts";
import { Did, list, Mark, Oid } from "./values.ts";

/** An issue. */
export const Issue = v.object({
  id: Oid,
  author: Author,
  title: v.string(),
  state: IssueState,
  assignees: list(Did),
  discussion: v.pipe(list(Comment), v.description("The first one is the description.")),
  labels: list(v.string()),
  truncated: Mark,
});

/** A change was made; `id` is that of its entry. */
export const Changed = v.object({ success: v.literal(true), id: Oid });

/** The form of {@link Issue}. */
export type Issue = v.InferOutput<typeof Issue>;
/** The form of {@link Changed}. */
export type Changed = v.InferOutput<typeof Changed>;

/** Routes of issues. */
export const issueEndpoints = [
  {
    method: "GET",
    path: "/api/v1/projects/:project/issues",
    name: "listIssues",
    summary: "Issues, the newest first.",
    section: "4.3.1",
    query: IssuesQuery,
    answers: { 200: list(Issue) },
    errors: OF_READS,
  },
  {
    method: "POST",
    path: "/api/v1/projects/:project/issues",
    name: "openIssue",
    summary: "Opens an issue.",
    section: "4.3.3",
    body: NewIssue,
    needsSession: true,
    answers: { 201: Changed },
    errors: OF_CHANGES,
  },
  {
    method: "GET",
    path: "/api/v1/projects/:project/issues/:id",
    name: "showIssue",
    summary: "One issue.",
    section: "4.3.2",
    parameters: { id: "Object id of an issue." },
    answers: { 200: Issue },
    errors: OF_READS,
  },
  {
    method: "PATCH",
    path: "/api/v1/projects/:project/issues/:id",
    name: "changeIssue",
    summary: "Changes an issue.",
    section: "4.3.4",
    parameters: { id: "Object id of an issue." },
    body: IssueAction,
    needsSession: true,
    answers: { 200: Changed },
    errors: OF_CHANGES,
  },
] as const satisfies readonly Endpoint[];

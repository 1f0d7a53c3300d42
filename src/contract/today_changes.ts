/** Changes of issues and patches below `/repos`, with the bodies of version 1 and more actions (13.7). */
import { IssueAction } from "../cob/issue/issue.ts";
import { NewIssue } from "../cob/write/issue_request.ts";
import { LaterPatchRequest, NewPatch } from "../cob/write/patch_request.ts";
import type { Endpoint } from "./endpoint.ts";
import { OF_CHANGES } from "./errors.ts";
import { Changed } from "./issues.ts";

/** Routes of changes, which are served beside those of version 1 alone. */
export const todayChangeEndpoints = [
  {
    method: "POST",
    path: "/api/v1/repos/:rid/issues",
    name: "openRepoIssue",
    summary: "Opens an issue.",
    section: "today",
    body: NewIssue,
    needsSession: true,
    answers: { 201: Changed },
    errors: OF_CHANGES,
  },
  {
    method: "PATCH",
    path: "/api/v1/repos/:rid/issues/:id",
    name: "changeRepoIssue",
    summary: "Changes an issue.",
    section: "today",
    parameters: { id: "Object id of an issue." },
    body: IssueAction,
    needsSession: true,
    answers: { 200: Changed },
    errors: OF_CHANGES,
  },
  {
    method: "POST",
    path: "/api/v1/repos/:rid/patches",
    name: "openRepoPatch",
    summary: "Opens a patch.",
    section: "today",
    body: NewPatch,
    needsSession: true,
    answers: { 201: Changed },
    errors: OF_CHANGES,
  },
  {
    method: "PATCH",
    path: "/api/v1/repos/:rid/patches/:id",
    name: "changeRepoPatch",
    summary: "Changes a patch.",
    section: "today",
    parameters: { id: "Object id of a patch." },
    body: LaterPatchRequest,
    needsSession: true,
    answers: { 200: Changed },
    errors: OF_CHANGES,
  },
] as const satisfies readonly Endpoint[];

/** Changes of issues and patches below `/repos`, with the bodies of version 1 and more actions (13.7). */
import { IssueAction } from "../cob/issue/issue.ts";
import { NewIssue } from "../cob/write/issue_request.ts";
import { LaterPatchRequest, NewPatch } from "../cob/write/patch_request.ts";
import { change, type Endpoint, OF_ISSUE, OF_PATCH } from "./endpoint.ts";
import { Changed } from "./issues.ts";

/** Routes of changes, which are served beside those of version 1 alone. */
export const todayChangeEndpoints = [
  change("today", "POST /repos/:rid/issues", "openRepoIssue", "Opens an issue.", { 201: Changed }, {
    body: NewIssue,
  }),
  change("today", "PATCH /repos/:rid/issues/:id", "changeRepoIssue", "Changes an issue.", { 200: Changed }, {
    parameters: OF_ISSUE,
    body: IssueAction,
  }),
  change("today", "POST /repos/:rid/patches", "openRepoPatch", "Opens a patch.", { 201: Changed }, {
    body: NewPatch,
  }),
  change("today", "PATCH /repos/:rid/patches/:id", "changeRepoPatch", "Changes a patch.", { 200: Changed }, {
    parameters: OF_PATCH,
    body: LaterPatchRequest,
  }),
] as const satisfies readonly Endpoint[];

/** An issue as clients of today's service see it. */
import type { RepoIssue } from "../../contract/today_schemas.ts";
import type { Issue } from "../../cob/issue/issue.ts";
import { nidOfDid } from "../../ids/did.ts";
import { toAuthorView } from "../author.ts";
import { isShortened, type TextOptions, toTitle } from "../thread.ts";
import { toTodayComments } from "./thread.ts";

/** Shows an issue. */
export function toTodayIssue(issue: Issue, options: Omit<TextOptions, "truncated">): RepoIssue {
  const { id, state, assignees, labels, truncated } = issue;
  const { aliasOf } = options;
  return {
    id,
    author: toAuthorView(issue.author, aliasOf),
    title: toTitle(issue, options),
    state,
    assignees: assignees.map((did) => toAuthorView(nidOfDid(did), aliasOf)),
    discussion: toTodayComments(issue.thread, { ...options, truncated }),
    labels,
    ...isShortened(issue, options) && { truncated: true },
  };
}

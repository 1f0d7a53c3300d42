/** JSON of issues (specification, 2.9), in both dialects. */
import type { IssueCounts } from "../contract/projects.ts";
import type { Issue as IssueView } from "../contract/issues.ts";
import { memoize } from "../cache/memory.ts";
import type { ObjectSummary } from "../cob/evaluation/object_summary.ts";
import type { RepoIssue } from "../contract/today_schemas.ts";
import type { Issue } from "../cob/issue/issue.ts";
import { nidOfDid } from "../ids/nid.ts";
import { toAuthorView } from "./node.ts";
import {
  type TextOptions,
  type ThreadOptions,
  toIssueComments,
  toObjectMark,
  toTodayComments,
} from "./thread.ts";

export function toIssueView(issue: Issue, options: ThreadOptions): IssueView {
  const { truncated, assignees } = issue;
  return issueMembers(issue, options, assignees, toIssueComments(issue.thread, { ...options, truncated }));
}

export function toTodayIssue(issue: Issue, options: Omit<TextOptions, "truncated">): RepoIssue {
  const { truncated } = issue;
  const assignees = issue.assignees.map((did) => toAuthorView(nidOfDid(did), options.aliasOf));
  return issueMembers(issue, options, assignees, toTodayComments(issue.thread, { ...options, truncated }));
}

/** Returns the members of an issue. Members that depend on the dialect are parameters. */
function issueMembers<A, C>(issue: Issue, options: TextOptions, assignees: A, discussion: C) {
  const { id, state, labels } = issue;
  return {
    id,
    author: toAuthorView(issue.author, options.aliasOf),
    title: issue.title,
    state,
    assignees,
    discussion,
    labels,
    ...toObjectMark(issue),
  };
}

type Counted = Pick<ObjectSummary, "state">;

/** Returns the number of issues in each state, computed once per list of issues. */
export const countIssues: (issues: readonly Counted[]) => IssueCounts = memoize((issues) => {
  const open = issues.filter((issue) => issue.state.status === "open").length;
  return { open, closed: issues.length - open };
});

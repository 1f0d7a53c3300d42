/** An issue as clients see it (2.9). */
import type { IssueCounts } from "../contract/projects.ts";
import type { Issue as IssueView } from "../contract/issues.ts";
import { memoize } from "../cache/memoize.ts";
import type { ObjectSummary } from "../cob/evaluation/object_summary.ts";
import type { Issue } from "../cob/issue/issue.ts";
import { toAuthorView } from "./author.ts";
import { isShortened, type ThreadOptions, toIssueComments, toTitle } from "./thread.ts";

/** Shows an issue. */
export function toIssueView(issue: Issue, options: ThreadOptions): IssueView {
  const { id, state, assignees, labels, truncated } = issue;
  return {
    id,
    author: toAuthorView(issue.author, options.aliasOf),
    title: toTitle(issue, options),
    state,
    assignees,
    discussion: toIssueComments(issue.thread, { ...options, truncated }),
    labels,
    ...isShortened(issue, options) && { truncated: true },
  };
}

/** An object that is counted by its state. */
type Counted = Pick<ObjectSummary, "state">;

/** Counts issues by state, once per list: every project answer needs the counts. */
export const countIssues: (issues: readonly Counted[]) => IssueCounts = memoize((issues) => {
  const open = issues.filter((issue) => issue.state.status === "open").length;
  return { open, closed: issues.length - open };
});

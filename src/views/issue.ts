/** An issue as clients see it (2.9). */
import { memoize } from "../cache/memoize.ts";
import type { Issue, IssueState } from "../cob/issue/issue.ts";
import type { Did } from "../ids/did.ts";
import type { Oid } from "../ids/oid.ts";
import { type AuthorView, toAuthorView } from "./author.ts";
import { type CommentView, type ThreadOptions, toIssueComments } from "./thread.ts";

/** Wire form of an issue. */
export interface IssueView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly title: string;
  readonly state: IssueState;
  readonly assignees: readonly Did[];
  /** The description comes first. */
  readonly discussion: readonly CommentView[];
  readonly labels: readonly string[];
  /** Present when the texts of some comments are cut, because the issue or the list has too much text. */
  readonly truncated?: true;
}

/** How many issues there are in each state (2.2). */
export interface IssueCounts {
  readonly open: number;
  readonly closed: number;
}

/** Shows an issue. */
export function toIssueView(issue: Issue, options: ThreadOptions): IssueView {
  const { id, title, state, assignees, labels, truncated } = issue;
  return {
    id,
    author: toAuthorView(issue.author, options.aliasOf),
    title,
    state,
    assignees,
    discussion: toIssueComments(issue.thread, { ...options, truncated }),
    labels,
    ...truncated && { truncated: true },
  };
}

/** Counts issues by state, once per list: every project answer needs the counts. */
export const countIssues: (issues: readonly Issue[]) => IssueCounts = memoize((issues) => {
  const open = issues.filter((issue) => issue.state.status === "open").length;
  return { open, closed: issues.length - open };
});

/** An issue as clients see it (2.9). */
import type { Issue, IssueState } from "../cob/issue.ts";
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
}

/** How many issues there are in each state (2.2). */
export interface IssueCounts {
  readonly open: number;
  readonly closed: number;
}

/** Counts by the list, for as long as somebody has it: each look at a project needs them. */
const knownCounts = new WeakMap<readonly Issue[], IssueCounts>();

/** Shows an issue. */
export function toIssueView(issue: Issue, options: ThreadOptions): IssueView {
  const { id, title, state, assignees, labels } = issue;
  return {
    id,
    author: toAuthorView(issue.author, options.aliasOf),
    title,
    state,
    assignees,
    discussion: toIssueComments(issue.thread, options),
    labels,
  };
}

/** Counts issues by state. */
export function countIssues(issues: readonly Issue[]): IssueCounts {
  let counts = knownCounts.get(issues);
  if (counts === undefined) {
    const open = issues.filter((issue) => issue.state.status === "open").length;
    counts = { open, closed: issues.length - open };
    knownCounts.set(issues, counts);
  }
  return counts;
}

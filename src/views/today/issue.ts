/** An issue as clients of today's service see it. */
import type { Issue, IssueState } from "../../cob/issue/issue.ts";
import { nidOfDid } from "../../ids/did.ts";
import type { Oid } from "../../ids/oid.ts";
import type { Author as AuthorView } from "../../contract/thread.ts";
import { type AliasOf, toAuthorView } from "../author.ts";
import { type TodayCommentView, toTodayComments } from "./thread.ts";

/** Wire form of an issue. */
export interface TodayIssueView {
  readonly id: Oid;
  readonly author: AuthorView;
  readonly title: string;
  readonly state: IssueState;
  readonly assignees: readonly AuthorView[];
  /** The description comes first. */
  readonly discussion: readonly TodayCommentView[];
  readonly labels: readonly string[];
  /** Present when the texts of some comments are cut. */
  readonly truncated?: true;
}

/** Shows an issue. */
export function toTodayIssue(issue: Issue, aliasOf: AliasOf): TodayIssueView {
  const { id, title, state, assignees, labels, truncated } = issue;
  return {
    id,
    author: toAuthorView(issue.author, aliasOf),
    title,
    state,
    assignees: assignees.map((did) => toAuthorView(nidOfDid(did), aliasOf)),
    discussion: toTodayComments(issue.thread, { aliasOf, truncated }),
    labels,
    ...truncated && { truncated: true },
  };
}

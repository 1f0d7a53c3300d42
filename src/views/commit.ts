/** A commit as clients see it (2.3). */
import { type Commit, cutMessage, type Person } from "../git/commit.ts";
import type { Oid } from "../ids/oid.ts";

/** Wire form of a commit; `committer.time` in seconds. */
export interface CommitView {
  readonly id: Oid;
  readonly author: Person;
  readonly summary: string;
  readonly description: string;
  readonly parents: readonly Oid[];
  readonly committer: Person & { readonly time: number };
}

/** Shows a commit. */
export function toCommitView(id: Oid, commit: Commit): CommitView {
  const { summary, description } = cutMessage(commit.message);
  return {
    id,
    author: commit.author,
    summary,
    description,
    parents: commit.parents,
    committer: { ...commit.committer, time: commit.timeSeconds },
  };
}

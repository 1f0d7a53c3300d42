/** Which branches contain a commit, and how large a history is (2.5, 4.2). */
import type { Repository } from "../ports/storage.ts";
import type { CommitIndex } from "./commit_index.ts";
import { resolveRefs } from "./references.ts";

/** A repository's own branches with their tips loaded into the index. */
export interface Branches {
  /** Full names of the local heads, then of the remote branches, that contain a commit; each group in bytewise order. */
  containing(row: number): string[];
}

/** Statistics of a history (2.5). */
export interface HistoryStats {
  readonly commits: number;
  readonly branches: number;
  readonly contributors: number;
}

/** Loads the branches of a repository; those whose tip is no readable commit are left out. */
export async function loadBranches(repository: Repository, index: CommitIndex): Promise<Branches> {
  const tips: { name: string; row: number }[] = [];
  for (const prefix of ["refs/heads/", "refs/remotes/"]) {
    for (const { name, oid } of await resolveRefs(repository, prefix)) {
      const row = await index.load(repository, oid);
      if (row !== undefined) tips.push({ name, row });
    }
  }
  return { containing: (row) => tips.filter((tip) => index.contains(tip.row, row)).map((tip) => tip.name) };
}

/** Counts of the history that ends in a commit; `branches` counts the repository's local heads. */
export async function historyStats(
  repository: Repository,
  index: CommitIndex,
  tip: number,
): Promise<HistoryStats> {
  const { commits, contributors } = index.count(tip);
  return { commits, branches: (await repository.refs("refs/heads/")).length, contributors };
}

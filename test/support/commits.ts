/** Commits as they are parsed, at once. */
import { type Commit, parseCommitInSteps, type PersonTrimming } from "../../src/git/commit.ts";
import { runSync } from "../../src/scheduling/task.ts";

/** Parses a commit. */
export function parseCommit(bytes: Uint8Array, trimmed?: PersonTrimming): Commit {
  return runSync(parseCommitInSteps(bytes, trimmed));
}

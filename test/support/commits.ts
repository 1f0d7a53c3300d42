/** Parses commits synchronously. */
import { type Commit, parseCommitInSteps, type PersonTrimming } from "../../src/git/commit.ts";
import { runSync } from "../../src/scheduling/task.ts";

export function parseCommit(bytes: Uint8Array, trimmed?: PersonTrimming): Commit {
  return runSync(parseCommitInSteps(bytes, trimmed));
}

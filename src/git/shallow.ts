/**
 * Shallow commits. The history ends at a shallow commit, because the repository does not contain its parents
 * on purpose.
 */
import { sha1 } from "@noble/hashes/legacy.js";
import { memoize } from "../cache/memory.ts";
import { ifReadable } from "../errors.ts";
import { type Oid, oidFromBytes } from "../ids/oid.ts";
import type { Awaitable, Repository } from "../ports/storage.ts";

export const NONE_SHALLOW: ReadonlySet<Oid> = new Set();

/**
 * Returns a short text that changes with the shallow commits of a repository. The text is empty if the
 * repository has no shallow commits, or if they cannot be read. A caller that needs the shallow commits reads
 * them itself, and gets the error then.
 */
export function shallowState(repository: Repository): Awaitable<string> {
  const found = ifReadable(() => repository.shallowCommits?.());
  return found instanceof Promise ? found.then(stateOf) : stateOf(found);
}

function stateOf(commits: ReadonlySet<Oid> | undefined): string {
  return commits === undefined || commits.size === 0 ? "" : digestOf(commits);
}

const digestOf = memoize((commits: ReadonlySet<Oid>): string =>
  oidFromBytes(sha1(new TextEncoder().encode([...commits].sort().join())))
);

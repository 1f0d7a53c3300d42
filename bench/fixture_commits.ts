/** The commits of the stored fixture repositories, each with its first parent. */
import { parseCommit } from "../test/support/commits.ts";
import type { Oid } from "../src/ids/oid.ts";
import type { RepoId } from "../src/ids/rid.ts";
import type { Repository } from "../src/ports/storage.ts";
import { GitRepository } from "../test/support/git.ts";

/**
 * Repositories of the home `browse`: one with every kind of change, a packed one, a random one, and small
 * ones.
 */
export const REPOSITORIES: readonly RepoId[] = [
  "rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx",
  "rad:znfUeJyw5tcTtg8WrhWPfgidivEa",
  "rad:zG22EzZer4YACrx2Esgmpn9kRrTQ",
  "rad:z2aKCsWNSMix1koxytMq5eEXTwUJK",
];

export interface TreePair {
  readonly repository: Repository;
  readonly old: Oid | undefined;
  readonly new: Oid;
}

/** Every commit of the repository in the folder `path`, against its first parent. */
export function pairsOf(repository: Repository, path: string): TreePair[] {
  const objects = new Map(new GitRepository(path).objects().map((object) => [object.oid, object]));
  const pairs: TreePair[] = [];
  for (const { kind, bytes } of objects.values()) {
    if (kind !== "commit") continue;
    const { tree, parents: [parent] } = parseCommit(bytes);
    const before = parent === undefined ? undefined : objects.get(parent);
    if (parent !== undefined && before === undefined) continue;
    pairs.push({ repository, old: before && parseCommit(before.bytes).tree, new: tree });
  }
  return pairs;
}

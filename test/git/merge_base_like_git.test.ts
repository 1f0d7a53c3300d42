/** Merge bases of random histories, compared with what `git merge-base` says. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { findMergeBase } from "../../src/git/merge_base.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createHomeStorage } from "../../src/storage/home/storage.ts";
import { createRandom } from "../cob/random.ts";
import { GitRepository, makeFolder, removeFolder } from "../support/git.ts";
import { Task } from "../../src/scheduling/task.ts";

const RID = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const COMMITS = 60;
const PAIRS = 40;
const SEEDS = [1, 2, 3];
const START_SECONDS = 1_700_000_000;

/** A history for `git fast-import`: commits with up to three of the eight before them as parents, some with none; a branch for each. */
function drawHistory(seed: number, timeOf: (i: number) => number): string {
  const random = createRandom(seed);
  return Array.from({ length: COMMITS }, (_, i) => {
    const wanted = i === 0 || random.below(20) === 0 ? 0 : 1 + random.below(2) + random.below(2);
    const parents = Array.from({ length: wanted }, () => i - 1 - random.below(Math.min(i, 8)));
    const message = `commit ${i}`;
    return [
      `commit refs/heads/c${i}`,
      `mark :${i + 1}`,
      `committer Alice <alice@example.org> ${timeOf(i)} +0000`,
      `data ${message.length}\n${message}`,
      ...[...new Set(parents)].map((parent, n) => `${n === 0 ? "from" : "merge"} :${parent + 1}`),
      `M 100644 inline file\ndata ${message.length}\n${message}\n`,
    ].join("\n");
  }).join("\n");
}

/** What git says, the one that it prefers or all; nothing when there is none. */
function askGit(git: GitRepository, one: Oid, two: Oid, ...options: string[]): string[] {
  try {
    return git.text(["merge-base", ...options, one, two]).split("\n");
  } catch {
    return [];
  }
}

/** Compares random pairs of commits of a random history. */
async function compare(
  root: string,
  seed: number,
  timeOf: (i: number) => number,
  check: (git: GitRepository, one: Oid, two: Oid, base: Oid | undefined) => void,
): Promise<void> {
  const git = GitRepository.create(join(root, RID.slice("rad:".length)));
  git.run(["fast-import", "--quiet", "--date-format=raw"], drawHistory(seed, timeOf));
  const commits = git.refs().map((ref) => ref.oid!);
  const storage = createHomeStorage({ root, fileSystem });
  const repository = storage.repository(RID)!;
  const graph = new CommitGraph();
  const random = createRandom(seed);
  for (let pair = 0; pair < PAIRS; pair++) {
    const [one, two] = [random.pick(commits), random.pick(commits)];
    const row = await findMergeBase(
      graph,
      (await graph.load(repository, one, new Task()))!,
      (await graph.load(repository, two, new Task()))!,
      new Task(),
    );
    check(git, one, two, row === undefined ? undefined : graph.commits.oidOf(row));
  }
  storage.close();
}

describe("the merge base", () => {
  let folder: string;
  before(() => {
    folder = makeFolder();
  });
  after(() => removeFolder(folder));

  for (const seed of SEEDS) {
    it(`is the one that git prefers when all clocks are right (${seed})`, async () => {
      await compare(join(folder, `right-${seed}`), seed, (i) => START_SECONDS + i, (git, one, two, base) => {
        assert.equal(base, askGit(git, one, two)[0]);
      });
    });

    it(`is the one that git prefers when clocks are wrong (${seed})`, async () => {
      const random = createRandom(seed);
      const timeOf = () => START_SECONDS + random.below(1_000_000);
      await compare(join(folder, `wrong-${seed}`), seed, timeOf, (git, one, two, base) => {
        assert.equal(base, askGit(git, one, two)[0]);
      });
    });

    it(`is a merge base that git finds when all commits are of one second (${seed})`, async () => {
      await compare(join(folder, `same-${seed}`), seed, () => START_SECONDS, (git, one, two, base) => {
        const all = askGit(git, one, two, "--all");
        assert.ok(base === undefined ? all.length === 0 : all.includes(base));
      });
    });
  }
});

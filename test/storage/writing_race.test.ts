/** Several processes that change the same references: two of ours, and the real git. Nothing that anybody was promised gets lost. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, describe, it } from "node:test";
import { MAIN, ownRef, startWriting } from "../support/writing_children.ts";
import { WrittenHome } from "../support/written_home.ts";

const OUR_COMMITS = 40;
const GIT_COMMITS = 15;
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

describe("processes that write at the same time", () => {
  let home: WrittenHome;
  before(() => {
    home = new WrittenHome();
    home.git.run(["hash-object", "-w", "-t", "tree", "--stdin"]);
  });
  after(() => home.remove());

  /** Runs git without waiting for it; `undefined` when it fails. */
  const git = (...args: string[]) =>
    new Promise<string | undefined>((resolve) => {
      const person = ["-c", "user.name=git", "-c", "user.email=git@example.org", "-c", "safe.directory=*"];
      execFile("git", [...person, "--git-dir", home.path, ...args], (error, output) =>
        resolve(error ? undefined : output.trim()));
    });

  /**
   * Changes references with git, one command after the other: git 2.39 takes packed references for unchanged when they were packed twice within a
   * second and their file has got the same inode and size again, so that it may overwrite what it has not seen.
   */
  let turn: Promise<unknown> = Promise.resolve();
  const gitInTurn = (...args: string[]) => {
    const command = turn.then(() => git(...args));
    turn = command;
    return command;
  };

  /** Commits on top of the branch, as often as it was there where git believed it to be. */
  async function commitWithGit(): Promise<string[]> {
    const commits: string[] = [];
    for (let attempt = 0; commits.length < GIT_COMMITS; attempt++) {
      const from = await git("rev-parse", "--verify", "--quiet", MAIN);
      const parent = from === undefined ? [] : ["-p", from];
      const commit = await git("commit-tree", "-m", `git ${attempt}`, ...parent, EMPTY_TREE);
      const isDone = commit !== undefined &&
        await gitInTurn("update-ref", MAIN, commit, from ?? "0".repeat(40)) !== undefined;
      if (isDone) commits.push(commit);
    }
    return commits;
  }

  it("lose no commit, while git packs the references again and again", async () => {
    let isOver = false;
    const ours = ["a", "b"].map((name) => ({ name, child: startWriting(home.root, name, OUR_COMMITS) }));
    const packing = async () => {
      let packs = 0;
      while (!isOver) if (await gitInTurn("pack-refs", "--all", "--prune") !== undefined) packs++;
      return packs;
    };
    const everything = Promise.all([commitWithGit(), ...ours.map(({ child }) => child.ended)])
      .finally(() => isOver = true);
    const [[byGit, ...statuses], packs] = await Promise.all([everything, packing()]);

    assert.deepEqual(statuses, [0, 0], ours.map(({ child }) => child.errors()).join());
    assert.ok(packs > 0);
    const promised = [...byGit, ...ours.flatMap(({ child }) => child.commits)];
    assert.equal(promised.length, GIT_COMMITS + 2 * OUR_COMMITS);
    assert.deepEqual(home.git.text(["rev-list", MAIN]).split("\n").sort(), promised.sort());
    for (const { name, child } of ours) {
      for (const commit of child.commits) {
        assert.equal(home.git.text(["rev-parse", ownRef(name, commit)]), commit);
      }
    }
    assert.deepEqual(home.leftovers(), []);
    home.check();
  });
});

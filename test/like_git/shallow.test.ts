/** Shallow repositories: their histories end where they were fetched to, as git shows them. */
import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { MAX_SHALLOW_BYTES } from "../../src/storage/home/shallow_file.ts";
import { GitRepository } from "../support/git.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

const DEPTH = 2;

describe("a shallow repository", () => {
  let home: GitHome;
  let made: MadeRepository;
  /** The repository that has all commits, of which the shallow one is a clone. */
  let whole: GitRepository;
  let tip: string, end: string;
  before(() => {
    home = new GitHome("shallow");
    made = home.create("shallow");
    made.git.importHistory(6);
    made.git.setRef("refs/heads/master", made.git.text(["rev-parse", "main"]) as Oid);
    const path = join(home.folder, "whole");
    renameSync(made.git.path, path);
    whole = new GitRepository(path);
    whole.run([
      "-c",
      "protocol.file.allow=always",
      "clone",
      "--quiet",
      "--bare",
      "--depth",
      String(DEPTH),
      "--no-single-branch",
      `file://${path}`,
      made.git.path,
    ]);
    for (const { name, oid } of whole.refs()) {
      // The identity and the signed references.
      if (!/^refs\/(heads|tags)\//.test(name) && oid !== undefined) {
        made.git.run([
          "-c",
          "protocol.file.allow=always",
          "fetch",
          "--quiet",
          `file://${path}`,
          `+${name}:${name}`,
        ]);
      }
    }
    [tip = "", end = ""] = made.git.text(["rev-list", "main"]).split("\n");
    assert.equal(made.git.text(["rev-parse", "--is-shallow-repository"]), "true");
    assert.equal(made.git.text(["rev-list", "--count", "main"]), String(DEPTH));
  });
  after(() => home.remove());

  it("has the history that git shows", async () => {
    const { status, body } = await made.get(`/commits?parent=${tip}&diff=none`);
    assert.equal(status, 200, JSON.stringify(body));
    const shown = body.commits.map(({ commit }: { commit: { id: string } }) => commit.id);
    assert.deepEqual(shown, made.git.text(["rev-list", tip]).split("\n"));
    assert.equal(body.stats.commits, DEPTH);
    assert.equal((await made.get(`/tree/${tip}/`)).body.stats.commits, DEPTH);
    const files = made.git.text(["ls-tree", "-r", "--name-only", tip]).split("\n");
    for (const path of files) {
      const { body: blob } = await made.get(`today/blob/${tip}/${path}`);
      assert.equal(blob.lastCommit.id, made.git.text(["log", "-1", "--format=%H", tip, "--", path]), path);
    }
  });

  it("shows its last commit without parents, as the first of all", async () => {
    for (const path of [`/commits/${end}`, `today/commits/${end}`]) {
      const { status, body } = await made.get(path);
      assert.equal(status, 200);
      assert.deepEqual(body.commit.parents, []);
    }
    const { body } = await made.get(`/commits/${end}`);
    const names = made.git.text(["show", "--format=", "--name-status", "--root", end]).split("\n");
    assert.equal(body.diff.added.length, names.length);
    assert.deepEqual((await made.get(`/commits/${tip}`)).body.commit.parents, [end]);
  });

  it("has all of its parents once it is made whole, at the next request", async () => {
    made.git.run([
      "-c",
      "protocol.file.allow=always",
      "fetch",
      "--quiet",
      "--unshallow",
      `file://${whole.path}`,
      "refs/heads/main",
    ]);
    const expected = whole.text(["rev-list", tip]).split("\n");
    const { body } = await made.get(`today/commits?parent=${tip}`);
    assert.deepEqual(body.map(({ id }: { id: string }) => id), expected);
    assert.deepEqual((await made.get(`/commits/${end}`)).body.commit.parents, [expected[DEPTH]]);
    // And the other way round.
    writeFileSync(join(made.git.path, "shallow"), `${end.toUpperCase()}\n`);
    assert.deepEqual((await made.get(`/commits/${end}`)).body.commit.parents, []);
    assert.equal((await made.get(`today/commits?parent=${tip}`)).body.length, DEPTH);
  });

  const damaged: Record<string, string> = {
    "a short line": "1234\n",
    "another text": `${"x".repeat(40)}\n`,
    "an empty line": `${"1".repeat(40)}\n\n`,
    "too many lines": `${"1".repeat(40)}\n`.repeat(MAX_SHALLOW_BYTES / 41 + 1),
  };
  for (const [what, text] of Object.entries(damaged)) {
    it(`is damaged when its list has ${what}, and others are not`, async () => {
      const { git, head, get } = home.create(`damaged-${what}`);
      writeFileSync(join(git.path, "shallow"), text);
      if (what !== "too many lines") assert.throws(() => git.run(["log", head]), /bad shallow line/);
      for (const path of [`/commits?parent=${head}`, `/tree/${head}/`, `/commits/${head}`]) {
        assert.ok([404, 413].includes((await get(path)).status), path);
      }
      assert.equal((await home.get("/projects?perPage=100")).status, 200);
      rmSync(join(git.path, "shallow"));
      assert.equal((await get(`/commits/${head}`)).status, 200);
    });
  }

  it("is whole with an empty list, and with one of commits that are not there", async () => {
    const { git, head, get } = home.create("empty-list");
    for (const text of ["", `${"1".repeat(40)}\n`, "1".repeat(40), `${"1".repeat(40)} words\n`]) {
      writeFileSync(join(git.path, "shallow"), text);
      assert.equal(git.text(["rev-list", "--count", head]), "1");
      const { body } = await get(`/commits?parent=${head}&diff=none`);
      assert.equal(body.commits.length, 1);
    }
  });
});

/** Commits that no git of today writes, but reads, and those that it cannot read. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EMPTY_TREE } from "../../src/git/empty_tree.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

const PERSON = "A <a@b> 1700000000 +0000";
/** What git says of a commit: names, addresses and times of people, parents and subject. */
const FORMAT = "%an|%ae|%cn|%ce|%ct|%P|%s";

describe("a commit", () => {
  let home: GitHome;
  let made: MadeRepository;
  before(() => {
    home = new GitHome("commits");
    made = home.create("commits");
  });
  after(() => home.remove());

  const readable: Record<string, (head: string) => readonly string[]> = {
    "with ids in capital letters": (head) => [
      `tree ${EMPTY_TREE.toUpperCase()}`,
      `parent ${head.toUpperCase()}`,
      `author ${PERSON}`,
      `committer ${PERSON}`,
    ],
    "without an author": (head) => [`tree ${EMPTY_TREE}`, `parent ${head}`, `committer ${PERSON}`],
    "without a committer": (head) => [`tree ${EMPTY_TREE}`, `parent ${head}`, `author ${PERSON}`],
    "without both": () => [`tree ${EMPTY_TREE}`],
    "with both in another order": () => [`tree ${EMPTY_TREE}`, `committer ${PERSON}`, `author ${PERSON}`],
    "with two trees":
      () => [`tree ${EMPTY_TREE}`, `tree ${EMPTY_TREE}`, `author ${PERSON}`, `committer ${PERSON}`],
    "without times": () => [`tree ${EMPTY_TREE}`, "author A <a@b>", "committer A <a@b>"],
  };
  for (const [what, lines] of Object.entries(readable)) {
    it(`${what} is shown as git shows it`, async () => {
      const oid = made.git.put("commit", `${lines(made.head).join("\n")}\n\nSubject\n`);
      const { status, body } = await made.get(`/commits/${oid}`);
      assert.equal(status, 200, JSON.stringify(body));
      const { author, committer, parents, summary } = body.commit;
      const ours = [
        author.name,
        author.email,
        committer.name,
        committer.email,
        committer.time || "",
        parents.join(" "),
      ];
      assert.equal([...ours, summary].join("|"), made.git.text(["log", "-1", `--format=${FORMAT}`, oid]));
      const { body: { commits } } = await made.get(`/commits?parent=${oid}&diff=none`);
      const ids = commits.map(({ commit }: { commit: { id: string } }) => commit.id);
      assert.deepEqual(ids, made.git.text(["rev-list", oid]).split("\n"));
      assert.equal((await made.get(`/tree/${oid}/`)).status, 200);
    });
  }

  const damaged: Record<string, readonly string[]> = {
    "without a tree": [`author ${PERSON}`, `committer ${PERSON}`],
    "whose parent is no id": [`tree ${EMPTY_TREE}`, "parent x", `author ${PERSON}`, `committer ${PERSON}`],
    "whose parent has more digits": [`tree ${EMPTY_TREE}`, `parent ${EMPTY_TREE}0`, `author ${PERSON}`],
  };
  for (const [what, lines] of Object.entries(damaged)) {
    it(`${what} is damaged, as git says`, async () => {
      const oid = made.git.put("commit", `${lines.join("\n")}\n\nSubject\n`);
      assert.throws(() => made.git.run(["log", "-1", oid]), /bogus commit|bad parents/);
      for (const path of ["/commits/", "/tree/", "/commits?parent=", `today/commits/`, "/readme/"]) {
        const { status, body } = await made.get(`${path}${oid}${path === "/tree/" ? "/" : ""}`);
        assert.deepEqual([status, body.error], [404, "Repository data is damaged"], path);
      }
    });
  }

  it("that is not there is not found", async () => {
    const { status, body } = await made.get(`/commits/${"1".repeat(40)}`);
    assert.deepEqual([status, body.error], [404, `Commit ${"1".repeat(40)} was not found`]);
  });
});

/** The empty tree, which git has in every repository, whether it is stored or not. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EMPTY_TREE } from "../../src/git/empty_tree.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

describe("a tree that is empty and not stored", () => {
  let home: GitHome;
  let made: MadeRepository;
  let empty: string, full: string, next: string;
  before(() => {
    home = new GitHome("empty-tree");
    made = home.create("empty");
    empty = made.commit(EMPTY_TREE);
    full = made.commit(made.tree(`100644 blob ${made.git.put("blob", "x\n")}\ta`), empty);
    next = made.commit(EMPTY_TREE, full);
    made.git.setRef("refs/heads/master", next as typeof made.head);
    assert.throws(() => made.git.run(["ls-tree", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"]));
    assert.deepEqual(made.git.objects().filter(({ oid }) => oid === EMPTY_TREE), []);
  });
  after(() => home.remove());

  it("is shown as a folder without entries", async () => {
    for (const path of [`/tree/${empty}/`, `today/tree/${empty}/`]) {
      const { status, body } = await made.get(path);
      assert.equal(status, 200, path);
      assert.deepEqual(body.entries, []);
    }
  });

  it("can be one side of a diff", async () => {
    const filesOf = ({ diff }: { diff: Record<string, unknown> }) =>
      Object.entries(diff).filter(([, files]) => Array.isArray(files) && files.length > 0).map(([name]) =>
        name
      );
    assert.deepEqual(filesOf((await made.get(`/commits/${empty}`)).body), []);
    assert.deepEqual(filesOf((await made.get(`/commits/${full}`)).body), ["added"]);
    assert.deepEqual(filesOf((await made.get(`/diff/${full}/${next}`)).body), ["deleted"]);
    const { body } = await made.get(`/commits?parent=${next}`);
    assert.deepEqual(body.commits.map((item: never) => filesOf(item)), [["deleted"], ["added"], []]);
  });

  it("is part of histories of paths", async () => {
    const { body } = await made.get(`/commits?parent=${next}&path=a&diff=none`);
    const ids = body.commits.map(({ commit }: { commit: { id: string } }) => commit.id);
    assert.deepEqual(ids, made.git.text(["log", "--format=%H", next, "--", "a"]).split("\n"));
  });

  it("has no files, and no readme", async () => {
    for (const path of [`/blob/${empty}/a`, `/readme/${empty}`, `//raw/${made.rid}/${empty}/a`]) {
      const { status, text } = await (path.startsWith("//") ? home.get(path) : made.get(path));
      assert.equal(status, 404, path);
      assert.doesNotMatch(text, /damaged/, path);
    }
  });

  it("is an archive without files, and left out of other archives", async () => {
    const blob = made.git.put("blob", "x\n");
    const folder = made.tree(`040000 tree ${EMPTY_TREE}\tempty`, `100644 blob ${blob}\tfile`);
    for (const oid of [empty, made.commit(folder), made.commit(made.tree(`040000 tree ${folder}\tinner`))]) {
      const ours = await home.get(`//raw/${made.rid}/${oid}.tar`);
      const theirs = made.git.run(["archive", "--format=tar", `--prefix=empty-${oid}/`, oid]);
      assert.deepEqual(ours.bytes, new Uint8Array(theirs));
      assert.equal((await home.get(`//raw/${made.rid}/${oid}.zip`)).status, 200);
    }
    assert.equal((await home.get(`//raw/${made.rid}/${EMPTY_TREE}.tar`)).status, 200);
  });
});

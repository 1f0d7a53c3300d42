/** Histories with missing objects: as git, they are an error where they need one, and never a wrong list. */
import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

describe("a history", () => {
  let home: GitHome;
  let made: MadeRepository;
  /** Commits that change `f/g`, `h`, `f/g` and `h`, and the folder `f` of the second one. */
  let commits: readonly Oid[];
  let folder: string;
  before(() => {
    home = new GitHome("missing");
    made = home.create("missing");
    const line: Oid[] = [];
    for (const [g, h] of [["1", "1"], ["1", "2"], ["2", "2"], ["2", "3"]] as const) {
      const blob = (text: string) => made.git.put("blob", text);
      const inner = made.tree(`100644 blob ${blob(g)}\tg`);
      const tree = made.tree(`040000 tree ${inner}\tf`, `100644 blob ${blob(h)}\th`);
      line.push(made.commit(tree, ...line.slice(-1)));
    }
    commits = line;
    folder = made.git.text(["rev-parse", `${line[1]}:f`]);
  });
  after(() => home.remove());

  const pathOf = (oid: string) => join(made.git.path, "objects", oid.slice(0, 2), oid.slice(2));

  /** Does something while an object is missing, by a service that has not seen it. */
  async function without(oid: string, act: () => Promise<void>): Promise<void> {
    await home.restart();
    renameSync(pathOf(oid), `${pathOf(oid)}.aside`);
    try {
      await act();
    } finally {
      renameSync(`${pathOf(oid)}.aside`, pathOf(oid));
      await home.restart();
    }
  }

  async function isDamaged(path: string): Promise<void> {
    const { status, body } = await made.get(path);
    assert.deepEqual([status, body.error], [404, "Repository data is damaged"], path);
  }

  const idsOf = (body: { commits?: { commit: { id: string } }[] } & { id: string }[]) =>
    body.commits?.map(({ commit }) => commit.id) ?? body.map(({ id }) => id);

  it("of a path is an error where a tree is missing on the way", async () => {
    const [, , , tip] = commits;
    await without(folder, async () => {
      assert.throws(() => made.git.run(["log", tip!, "--", "f/g"]), /unable to read tree|Could not read/);
      await isDamaged(`/commits?parent=${tip}&path=f/g`);
      await isDamaged(`today/commits?parent=${tip}&path=f/g`);
      await isDamaged(`/blob/${commits[1]}/f/g`);
      await isDamaged(`/tree/${commits[1]}/f`);
      await isDamaged(`today/blob/${commits[1]}/f/g`);
      // Others do not need it.
      const { body } = await made.get(`/commits?parent=${tip}&path=h&diff=none`);
      assert.deepEqual(idsOf(body), made.git.text(["log", "--format=%H", tip!, "--", "h"]).split("\n"));
    });
    const { body } = await made.get(`/commits?parent=${tip}&path=f/g&diff=none`);
    assert.deepEqual(idsOf(body), made.git.text(["log", "--format=%H", tip!, "--", "f/g"]).split("\n"));
  });

  it("is an error where a commit is missing, as far as it is asked for", async () => {
    const [first, second, third, tip] = commits;
    await without(second!, async () => {
      assert.throws(() => made.git.run(["rev-list", tip!]), /missing|Failed to traverse|Could not read/);
      for (const path of [`/commits?parent=${tip}`, `/tree/${tip}/`, `/commits?parent=${tip}&path=f/g`]) {
        await isDamaged(path);
      }
      for (const path of [`today/commits?parent=${tip}`, `today/stats/tree/${tip}`]) await isDamaged(path);
      await isDamaged(`/diff/${first}/${tip}`);
      await isDamaged(`/commits/${third}`);
      // What does not need it is shown.
      assert.deepEqual(idsOf((await made.get(`today/commits?parent=${first}`)).body), [first]);
      assert.equal((await made.get(`/commits/${tip}`)).body.commit.id, tip);
      assert.equal((await made.get(`today/tree/${tip}/`)).status, 200);
      assert.equal((await made.get(`/commits/${second}`)).body.error, `Commit ${second} was not found`);
    });
    assert.deepEqual(idsOf((await made.get(`today/commits?parent=${tip}`)).body), [
      tip,
      third,
      second,
      first,
    ]);
  });

  it("is shown as far as a page goes that ends before it", async () => {
    const [first, second, third, tip] = commits;
    await without(first!, async () => {
      const shown = made.git.text(["log", "-2", "--format=%H", tip!]).split("\n");
      assert.deepEqual(idsOf((await made.get(`today/commits?parent=${tip}&perPage=1`)).body), [tip]);
      assert.deepEqual(shown, [tip, third]);
      await isDamaged(`today/commits?parent=${tip}&perPage=3`);
      await isDamaged(`today/commits?parent=${second}`);
    });
  });
});

/** References that lead over tags, and those that lead nowhere, compared with what git says. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { MAX_TAG_CHAIN } from "../../src/git/tags.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

describe("references", () => {
  let home: GitHome;
  let made: MadeRepository;
  before(() => {
    home = new GitHome("counts");
    made = home.create("counts");
  });
  after(() => home.remove());

  it("lead to the commit below all of the tags that are followed", async () => {
    let oid: Oid = made.head;
    for (let tags = 1; tags <= MAX_TAG_CHAIN; tags++) {
      const text = `object ${oid.toUpperCase()}\ntype ${
        tags === 1 ? "commit" : "tag"
      }\ntag t\ntagger A <a> 1 +0000\n\nx\n`;
      oid = made.git.put("tag", text);
      made.git.setRef(`refs/tags/t${tags}`, oid);
    }
    for (const tags of [1, MAX_TAG_CHAIN - 1, MAX_TAG_CHAIN]) {
      const expected = made.git.text(["rev-parse", `refs/tags/t${tags}^{commit}`]);
      const { status, body } = await made.get(`/commits/t${tags}`);
      assert.deepEqual([status, body.commit?.id], [200, expected], `${tags} tags`);
    }
  });

  it("count as branches when they lead to an object", async () => {
    const count = async () => (await made.get(`/tree/${made.head}/`)).body.stats.branches;
    assert.equal(await count(), 1);
    made.git.setRef("refs/heads/good", made.head);
    made.git.setSymbolicRef("refs/heads/symbolic", "refs/heads/good");
    made.git.setSymbolicRef("refs/heads/dangling", "refs/heads/none");
    made.git.setSymbolicRef("refs/heads/circle", "refs/heads/circle");
    writeFileSync(join(made.git.path, "refs/heads/zero"), `${"0".repeat(40)}\n`);
    assert.equal(await count(), made.git.text(["for-each-ref", "refs/heads/"]).split("\n").length);
    assert.equal(await count(), 3);
    writeFileSync(join(made.git.path, "refs/heads/missing"), `${"1".repeat(40)}\n`);
    assert.throws(() => made.git.run(["for-each-ref"]), /missing object/);
    assert.equal(await count(), 3);
    const { body } = await made.get(`/commits/${made.head}`);
    assert.deepEqual(body.branches, ["refs/heads/good", "refs/heads/master", "refs/heads/symbolic"]);
  });
});

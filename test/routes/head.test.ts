/** The head of a repository: what `HEAD` names, else what those agree on who decide about the default branch. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { didOfNid, type NodeId } from "../../src/ids/nid.ts";
import { ridFromOid } from "../../src/ids/rid.ts";
import { createTestApi } from "../support/api.ts";
import { ALICE, BOB, createWorld, putBlob, putCommit } from "../support/world.ts";

const PROJECT = { "xyz.radicle.project": { name: "p", description: "", defaultBranch: "main" } };

/** A repository of a document, where alice and bob have a commit of their own in `main`, and alice one in `trunk`. */
function createSetting(payload: object, delegates: readonly NodeId[] = [ALICE]) {
  const world = createWorld();
  const doc = JSON.stringify({ delegates: delegates.map(didOfNid), threshold: 1, payload });
  const repository = world.storage.create(ridFromOid(putBlob(world.hello, doc)));
  const identity = putCommit(repository, {
    folder: { embeds: { "radicle.json": doc } },
    message: "Identity\n",
  });
  repository.setRef("refs/rad/id", identity);
  const put = (nid: NodeId, branch: string) => {
    const commit = putCommit(repository, { folder: {}, message: `${nid} ${branch}` });
    repository.setRef(`refs/namespaces/${nid}/refs/heads/${branch}`, commit);
    return commit;
  };
  const heads = { aliceMain: put(ALICE, "main"), bobMain: put(BOB, "main"), aliceTrunk: put(ALICE, "trunk") };
  const { get } = createTestApi({ api: "both" }, world);
  /** The head that is shown of the project. */
  const head = async () => (await get(`/projects/${repository.rid}`)).body.head;
  /** The first commit of the history that today's clients get. */
  const first = async () => (await get(`/repos/${repository.rid}/commits`)).body[0]?.id;
  return { repository, heads, head, first };
}

describe("the head of a repository", () => {
  it("is what the delegates agree on in the project's branch", async () => {
    const alone = createSetting(PROJECT);
    assert.equal(await alone.head(), alone.heads.aliceMain);
    assert.equal(await createSetting(PROJECT, [ALICE, BOB]).head(), undefined);
    assert.equal(await createSetting({}).first(), undefined);
  });

  // The newest programs take the default branch and those who decide about it from the document's rules.
  it("follows the rules of the document, also without a project", async () => {
    const rules = { "refs/heads/trunk": { allow: "delegates", threshold: 1 } };
    const symbolic = { HEAD: "refs/heads/trunk" };
    const without = createSetting({ "xyz.radicle.crefs": { rules, symbolic } });
    assert.equal(await without.first(), without.heads.aliceTrunk);
    const bobs = { "refs/heads/main": { allow: [didOfNid(BOB)], threshold: 1 } };
    const { head, heads } = createSetting({ ...PROJECT, "xyz.radicle.crefs": { rules: bobs } });
    assert.equal(await head(), heads.bobMain);
  });

  it("is that of the project's branch where the rules are not valid, as for programs that know none", async () => {
    const { head, heads } = createSetting({ ...PROJECT, "xyz.radicle.crefs": { rules: 1 } });
    assert.equal(await head(), heads.aliceMain);
  });

  it("is what HEAD names first of all", async () => {
    const { head, heads, repository } = createSetting(PROJECT);
    repository.setRef("refs/heads/other", heads.bobMain);
    repository.setSymbolicRef("HEAD", "refs/heads/other");
    assert.equal(await head(), heads.bobMain);
  });
});

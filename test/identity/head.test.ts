/** The head of a repository: what `HEAD` names, else what those agree on who decide about the default branch. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { parseDoc, PROJECT_PAYLOAD } from "../../src/identity/doc.ts";
import { readHead } from "../../src/identity/head.ts";
import { didOfNid, type NodeId } from "../../src/ids/nid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { ALICE, BOB, putCommit } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";

const PROJECT = { name: "p", description: "", defaultBranch: "main" };

/** A repository where alice and bob have a commit of their own in `main`, and one in `trunk`. */
function createSetting() {
  const repository = createMemoryStorage().create("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp");
  const put = (nid: NodeId, branch: string) => {
    const commit = putCommit(repository, { folder: {}, message: `${nid} ${branch}` });
    repository.setRef(`refs/namespaces/${nid}/refs/heads/${branch}`, commit);
    return commit;
  };
  return {
    repository,
    heads: { aliceMain: put(ALICE, "main"), bobMain: put(BOB, "main"), aliceTrunk: put(ALICE, "trunk") },
    head: (payload: object, delegates: readonly NodeId[] = [ALICE]) => {
      const doc = { delegates: delegates.map(didOfNid), threshold: 1, payload };
      return readHead(
        { objects: repository, graph: new CommitGraph(), task: new Task() },
        parseDoc(new TextEncoder().encode(JSON.stringify(doc))),
      );
    },
  };
}

describe("readHead", () => {
  it("finds what the delegates agree on in the project's branch", async () => {
    const { head, heads } = createSetting();
    assert.equal(await head({ [PROJECT_PAYLOAD]: PROJECT }), heads.aliceMain);
    assert.equal(await head({ [PROJECT_PAYLOAD]: PROJECT }, [ALICE, BOB]), undefined);
    assert.equal(await head({}), undefined);
  });

  // The newest programs take the default branch and those who decide about it from the document's rules.
  it("follows the rules of the document, also without a project", async () => {
    const { head, heads } = createSetting();
    const rules = { "refs/heads/trunk": { allow: "delegates", threshold: 1 } };
    const symbolic = { HEAD: "refs/heads/trunk" };
    assert.equal(await head({ "xyz.radicle.crefs": { rules, symbolic } }), heads.aliceTrunk);
    const bobs = { "refs/heads/main": { allow: [didOfNid(BOB)], threshold: 1 } };
    const payload = { [PROJECT_PAYLOAD]: PROJECT, "xyz.radicle.crefs": { rules: bobs } };
    assert.equal(await head(payload), heads.bobMain);
  });

  it("takes the branch of the project where the rules are invalid, as programs that know no rules", async () => {
    const { head, heads } = createSetting();
    const payload = { [PROJECT_PAYLOAD]: PROJECT, "xyz.radicle.crefs": { rules: 1 } };
    assert.equal(await head(payload), heads.aliceMain);
  });

  it("believes HEAD first", async () => {
    const { head, heads, repository } = createSetting();
    repository.setRef("refs/heads/other", heads.bobMain);
    repository.setSymbolicRef("HEAD", "refs/heads/other");
    assert.equal(await head({ [PROJECT_PAYLOAD]: PROJECT }), heads.bobMain);
  });
});

/** References as clients of git get them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hiddenFolderOf, isHiddenRef } from "../../../src/git/references.ts";
import {
  findShownRef,
  headText,
  hiddenFolders,
  listShownRefs,
  shownTips,
} from "../../../extensions/git/shown_refs.ts";
import type { NodeId } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { ALICE, BOB, createWorld } from "../../support/world.ts";
import { Task } from "../../../src/scheduling/task.ts";

/** A node without references. */
const OTHER = "z6MkodJHzY8Bn6PycRu3pon7V3vzfk12nbndWcBz2mxMAsa2" as NodeId;

describe("hidden references", () => {
  it("are drafts and temporary ones, at the top and in namespaces", () => {
    for (
      const name of [
        "refs/drafts/x",
        "refs/tmp/heads/x",
        `refs/namespaces/${BOB}/refs/drafts/cobs/xyz.radicle.patch/x`,
        `refs/namespaces/${BOB}/refs/tmp/heads/x`,
      ]
    ) assert.ok(isHiddenRef(name), name);
  });

  it("are no branches of such names", () => {
    for (
      const name of [
        "refs/heads/refs/drafts/x",
        "refs/heads/drafts/x",
        "refs/draft/x",
        "refs/draftsman",
        `refs/namespaces/${BOB}/refs/heads/refs/tmp/x`,
        `refs/namespaces/${BOB}/x/refs/tmp/x`,
      ]
    ) assert.ok(!isHiddenRef(name), name);
  });

  it("have a folder that git gets", () => {
    const folder = `refs/namespaces/${BOB}/refs/drafts`;
    assert.equal(hiddenFolderOf(`${folder}/reviews/x`), folder);
  });
});

describe("shown references", () => {
  it("leave out hidden ones, in lists and in tips", async () => {
    const { hello, commits } = createWorld();
    const blob = hello.put("blob", new TextEncoder().encode("draft"));
    hello.setRef(`refs/namespaces/${BOB}/refs/drafts/x`, blob);
    const list = await listShownRefs(hello, undefined, new Task());
    assert.ok(list.includes(`${commits[2]}\trefs/heads/master\n`));
    assert.ok(!list.includes("drafts"));
    const tips = await shownTips(hello, new Task());
    assert.ok(tips.has(commits[2]));
    assert.ok(!tips.has(blob));
  });

  it("give git the folders of the local node, and the folders that exist", async () => {
    const { hello, commits } = createWorld();
    hello.setRef(`refs/namespaces/${BOB}/refs/tmp/x`, commits[0]);
    assert.deepEqual(await hiddenFolders(hello, ALICE, new Task()), [
      "refs/drafts",
      `refs/namespaces/${ALICE}/refs/drafts`,
      "refs/tmp",
      `refs/namespaces/${ALICE}/refs/tmp`,
      `refs/namespaces/${BOB}/refs/tmp`,
    ]);
  });

  it("of a namespace have their names in it", async () => {
    const { hello, commits } = createWorld();
    const list = await listShownRefs(hello, ALICE, new Task());
    assert.match(list, new RegExp(`^${commits[2]}\trefs/heads/master$`, "m"));
    assert.doesNotMatch(list, /namespaces/);
    assert.equal(await headText(hello, ALICE), "ref: refs/heads/master\n");
  });

  it("have the target of an annotated tag", async () => {
    const { hello, commits } = createWorld();
    const tag = hello.put(
      "tag",
      new TextEncoder().encode(
        `object ${commits[1]}\ntype commit\ntag v1\ntagger Alice <a@b.c> 1 +0000\n\nv1\n`,
      ),
    );
    hello.setRef("refs/tags/v1", tag);
    const list = await listShownRefs(hello, undefined, new Task());
    assert.ok(list.includes(`${tag}\trefs/tags/v1\n${commits[1]}\trefs/tags/v1^{}\n`));
  });

  it("begin at HEAD, by its name or by its commit", async () => {
    const { hello, commits } = createWorld();
    assert.equal(await headText(hello, undefined), "ref: refs/heads/master\n");
    hello.setRef("HEAD", commits[0]);
    assert.equal(await headText(hello, undefined), `${commits[0]}\n`);
  });

  it("begin in a namespace at the branch of the repository's HEAD, if the node has it", async () => {
    const { hello, commits } = createWorld();
    const space = `refs/namespaces/${ALICE}`, none = `refs/namespaces/${OTHER}`;
    hello.setRef(`${space}/refs/heads/master`, commits[1]);
    assert.equal(await headText(hello, ALICE), "ref: refs/heads/master\n");
    assert.equal(await findShownRef(hello, ALICE, "HEAD"), `${space}/refs/heads/master`);
    hello.setRef(`${none}/refs/heads/other`, commits[1]);
    assert.equal(await headText(hello, OTHER), "");
    assert.equal(await findShownRef(hello, OTHER, "HEAD"), undefined);
    hello.setRef(`${none}/refs/heads/master`, "0123456789012345678901234567890123456789" as Oid);
    assert.equal(await headText(hello, OTHER), "", "the object is missing");
    hello.setRef(`${space}/HEAD`, commits[0]);
    assert.equal(await headText(hello, ALICE), `${commits[0]}\n`);
  });
});

/** References as clients of git get them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { UploadPackRequest } from "../../../extensions/git/git_program.ts";
import { hiddenFolderOf, isHiddenRef } from "../../../src/git/references.ts";
import type { NodeId } from "../../../src/ids/nid.ts";
import type { Oid } from "../../../src/ids/oid.ts";
import { createTestApi, STRANGER } from "../../support/api.ts";
import { ALICE, BOB } from "../../support/world.ts";

/** A node without references. */
const OTHER = "z6MkodJHzY8Bn6PycRu3pon7V3vzfk12nbndWcBz2mxMAsa2" as NodeId;

/** The public repository of a world for clients of git, and what git itself is asked. */
function serve() {
  const asked: UploadPackRequest[] = [];
  const { get, world } = createTestApi({
    git: {
      uploadPack(request) {
        asked.push(request);
        return Promise.resolve({ start: new Uint8Array(), rest: undefined, failure: undefined });
      },
      commitsBeyondRefs: (_rid, commits) => Promise.resolve(new Set(commits)),
      unreachable: (_rid, oids) => Promise.resolve(oids),
    },
  });
  const root = (node?: NodeId) => `//${world.helloRid}${node === undefined ? "" : `/${node}`}`;
  const list = async (node?: NodeId) => (await get(`${root(node)}/info/refs`)).body;
  const head = async (node?: NodeId) => (await get(`${root(node)}/HEAD`)).body;
  /** Asks for objects. Lines are without the newline at their ends. */
  const fetch = async (lines: readonly string[], node?: NodeId) => {
    const framed = lines.map((line) => `${(line.length + 5).toString(16).padStart(4, "0")}${line}\n`);
    const { body } = await get(`${root(node)}/git-upload-pack`, STRANGER, {
      method: "POST",
      headers: { "content-type": "application/x-git-upload-pack-request" },
      body: `${framed.join("")}00000009done\n`,
    });
    return body.slice(4);
  };
  const { hello, commits } = world;
  return { hello, commits, asked, list, head, fetch };
}

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
  it("leave out hidden ones, in lists and in what may be fetched", async () => {
    const { hello, commits, list, fetch } = serve();
    const blob = hello.put("blob", new TextEncoder().encode("draft"));
    hello.setRef(`refs/namespaces/${BOB}/refs/drafts/x`, blob);
    const text = await list();
    assert.ok(text.includes(`${commits[2]}\trefs/heads/master`));
    assert.ok(!text.includes("drafts"));
    assert.equal(await fetch([`want ${commits[2]}`]), "");
    assert.equal(await fetch([`want ${blob}`]), `ERR upload-pack: not our ref ${blob}`);
  });

  it("give git the folders of the local node, and the folders that exist", async () => {
    const { hello, commits, asked, fetch } = serve();
    hello.setRef(`refs/namespaces/${BOB}/refs/tmp/x`, commits[0]);
    await fetch([`want ${commits[2]}`]);
    assert.deepEqual(asked[0]!.hidden, [
      "refs/drafts",
      `refs/namespaces/${ALICE}/refs/drafts`,
      "refs/tmp",
      `refs/namespaces/${ALICE}/refs/tmp`,
      `refs/namespaces/${BOB}/refs/tmp`,
    ]);
  });

  it("of a namespace have their names in it", async () => {
    const { commits, list, head } = serve();
    const text = await list(ALICE);
    assert.match(text, new RegExp(`^${commits[2]}\trefs/heads/master$`, "m"));
    assert.doesNotMatch(text, /namespaces/);
    assert.equal(await head(ALICE), "ref: refs/heads/master\n");
  });

  it("have the target of an annotated tag", async () => {
    const { hello, commits, list } = serve();
    const tag = hello.put(
      "tag",
      new TextEncoder().encode(
        `object ${commits[1]}\ntype commit\ntag v1\ntagger Alice <a@b.c> 1 +0000\n\nv1\n`,
      ),
    );
    hello.setRef("refs/tags/v1", tag);
    assert.ok((await list()).includes(`${tag}\trefs/tags/v1\n${commits[1]}\trefs/tags/v1^{}\n`));
  });

  it("begin at HEAD, by its name or by its commit", async () => {
    const { hello, commits, head } = serve();
    assert.equal(await head(), "ref: refs/heads/master\n");
    hello.setRef("HEAD", commits[0]);
    assert.equal(await head(), `${commits[0]}\n`);
  });

  it("begin in a namespace at the branch of the repository's HEAD, if the node has it", async () => {
    const { hello, commits, asked, head, fetch } = serve();
    const space = `refs/namespaces/${ALICE}`, none = `refs/namespaces/${OTHER}`;
    const withoutHead = [`want ${commits[2]}`, "deepen-not HEAD"];
    hello.setRef(`${space}/refs/heads/master`, commits[1]);
    assert.equal(await head(ALICE), "ref: refs/heads/master\n");
    await fetch(withoutHead, ALICE);
    assert.match(
      new TextDecoder().decode(asked[0]!.input),
      new RegExp(`deepen-not ${space}/refs/heads/master`),
    );
    hello.setRef(`${none}/refs/heads/other`, commits[1]);
    assert.equal(await head(OTHER), "");
    assert.equal(await fetch(withoutHead, OTHER), "ERR upload-pack: no such reference HEAD");
    hello.setRef(`${none}/refs/heads/master`, "0123456789012345678901234567890123456789" as Oid);
    assert.equal(await head(OTHER), "", "the object is missing");
    hello.setRef(`${space}/HEAD`, commits[0]);
    assert.equal(await head(ALICE), `${commits[0]}\n`);
  });
});

/** The root of an identity, found among the changes of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DamagedError } from "../../src/errors.ts";
import { encodeCommit } from "../../src/git/encode.ts";
import { findIdentityRoot, isIdentityRoot } from "../../src/identity/identity.ts";
import { type Oid, oidFromBytes } from "../../src/ids/oid.ts";
import { createMemoryStorage } from "../../src/storage/memory.ts";
import { createRepository, putBlob, putCommit } from "../support/world.ts";
import { changed, ZERO } from "./namespace.ts";
import { Task } from "../../src/scheduling/task.ts";

describe("the root of an identity", () => {
  const make = () => {
    const repository = createRepository(createMemoryStorage(), { name: "hello" });
    return { repository, root: repository.ref("refs/rad/id")!.oid! };
  };

  it("is the commit in force when there is no other", async () => {
    const { repository, root } = make();
    assert.equal(await findIdentityRoot(repository, new Task()), root);
    assert.equal(await isIdentityRoot(repository, root), true);
  });

  it("is found below changes, whatever else they lead to", async () => {
    const { repository, root } = make();
    const stray = putCommit(repository, { folder: { a: "b" }, message: "Stray\n" });
    const head = putCommit(repository, {
      folder: {},
      parents: [stray, root, ZERO],
      message: "Propose revision\n",
    });
    repository.setRef("refs/rad/id", head);
    assert.equal(await findIdentityRoot(repository, new Task()), root);
  });

  it("is found by what nodes know when the repository does not name it", async () => {
    const { repository, root } = make();
    repository.deleteRef("refs/rad/id");
    repository.setRef(
      `refs/namespaces/${"z6MktaNvN1KVFMkSRAiN4qK5yvX1zuEEaseeX5sffhzPZRZW"}/refs/rad/id`,
      root,
    );
    assert.equal(await findIdentityRoot(repository, new Task()), root);
  });

  it("is no commit of another repository, and nothing else", async () => {
    const { repository } = make();
    const other = putCommit(repository, {
      folder: { embeds: { "radicle.json": "{}" } },
      message: "Initialize identity\n",
    });
    for (const oid of [other, putBlob(repository, "blob"), ZERO]) {
      assert.equal(await isIdentityRoot(repository, oid), false);
      repository.setRef("refs/rad/id", oid);
      await assert.rejects(findIdentityRoot(repository, new Task()), DamagedError);
    }
    repository.deleteRef("refs/rad/id");
    await assert.rejects(findIdentityRoot(repository, new Task()), DamagedError);
  });

  it("is not searched endlessly", async () => {
    const { repository } = make();
    let commits = 0;
    const endless = changed(repository, {
      object() {
        const bytes = new Uint8Array(20);
        new DataView(bytes.buffer).setUint32(0, ++commits);
        const draft = {
          parents: [oidFromBytes(bytes)],
          author: { name: "a", email: "e" },
          timeSeconds: 0,
          message: "",
        };
        return { kind: "commit", bytes: encodeCommit({ ...draft, tree: ZERO as Oid }) };
      },
    });
    await assert.rejects(findIdentityRoot(endless, new Task()), DamagedError);
    assert.ok(commits <= 200_000, `${commits} commits read`);
  });
});

/** Bare repositories made in a home, as git and our own reader find them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { RepoId } from "../../../../src/ids/rid.ts";
import type { WritableFileSystem } from "../../../../src/ports/file_system.ts";
import { WriteError } from "../../../../src/ports/write_error.ts";
import { readCommitter } from "../../../../src/storage/home/committer.ts";
import {
  createHomeRepository,
  writeHomeRepositoryConfig,
} from "../../../../adapters/cli/demo/new_repository.ts";
import { createHomeStorage } from "../../../../src/storage/home/storage.ts";
import { fileSystem } from "../../../support/files.ts";
import { GitRepository, makeFolder, removeFolder } from "../../../support/git.ts";

const RID: RepoId = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
const NAMED = { "refs/namespaces/z6Mk/refs/rad/id": "refs/namespaces/z6Mk/refs/cobs/x/y" };
const DRAFT = { rid: RID, symbolicRefs: { HEAD: "refs/heads/main", ...NAMED } };

let root: string;
beforeEach(() => root = makeFolder());
afterEach(() => removeFolder(root));

const path = () => join(root, RID.slice("rad:".length));

describe("a new repository of a home", () => {
  it("is one for git and for our own reader", async () => {
    assert.equal(await createHomeRepository(fileSystem, root, DRAFT), true);
    const git = new GitRepository(path());
    assert.equal(git.text(["rev-parse", "--is-bare-repository"]), "true");
    assert.equal(git.text(["symbolic-ref", "HEAD"]), "refs/heads/main");
    const storage = createHomeStorage({ root, fileSystem });
    assert.deepEqual(storage.repositoryIds(), [RID]);
    const [[name, target] = []] = Object.entries(NAMED);
    assert.deepEqual(storage.repository(RID)?.ref(name!), { name, target });
    storage.close();
  });

  it("has nothing that nobody needs", async () => {
    await createHomeRepository(fileSystem, root, DRAFT);
    assert.deepEqual(readdirSync(root), [RID.slice("rad:".length)]);
    assert.deepEqual(readdirSync(path()).sort(), ["HEAD", "config", "objects", "refs"]);
  });

  it("leaves one that is there as it is", async () => {
    await createHomeRepository(fileSystem, root, DRAFT);
    const other = { rid: RID, symbolicRefs: { HEAD: "refs/heads/other" } };
    assert.equal(await createHomeRepository(fileSystem, root, other), false);
    assert.equal(readFileSync(join(path(), "HEAD"), "utf8"), "ref: refs/heads/main\n");
    assert.equal(readdirSync(root).length, 1);
  });

  it("is not there at all when it cannot be finished", async () => {
    const full: WritableFileSystem = {
      ...fileSystem,
      create(path, mode) {
        const file = fileSystem.create(path, mode);
        if (typeof file !== "object" || readdirSync(join(path, ".."), "utf8").length < 4) return file;
        return { ...file, write: refuse, sync: () => file.sync(), close: () => file.close() };
      },
    };
    const refuse = () => {
      throw new WriteError("full", "No room left");
    };
    await assert.rejects(createHomeRepository(full, root, DRAFT), { obstacle: "full" });
    assert.deepEqual(readdirSync(root), []);
  });

  it("takes no names that git would not", async () => {
    for (const symbolicRefs of [{ HEAD: "refs/heads/a..b" }, { "../HEAD": "refs/heads/main" }]) {
      await assert.rejects(createHomeRepository(fileSystem, root, { rid: RID, symbolicRefs }), TypeError);
    }
    assert.deepEqual(readdirSync(root), []);
  });

  it("needs the folder that it shall be in", async () => {
    await assert.rejects(createHomeRepository(fileSystem, join(root, "none"), DRAFT), {
      obstacle: "conflict",
    });
  });
});

describe("the configuration of a repository", () => {
  const people = [
    { name: "alice", email: "alice@z6MknSLrJoTcukLrE435hVNQT4JUhbvWLX4kUzqkEStBU8Vi" },
    { name: 'a"b\\c', email: "x;y#z" },
    { name: " zoë ", email: "a\tb" },
  ];
  for (const committer of people) {
    it(`says in whose name commits are made: ${JSON.stringify(committer.name)}`, async () => {
      await createHomeRepository(fileSystem, root, { ...DRAFT, committer });
      assert.deepEqual(readCommitter(fileSystem, path()), committer);
      const git = new GitRepository(path());
      const read = (key: string) => new TextDecoder().decode(git.run(["config", "-z", key])).slice(0, -1);
      assert.deepEqual({ name: read("user.name"), email: read("user.email") }, committer);
    });
  }

  it("can be written anew", async () => {
    await createHomeRepository(fileSystem, root, DRAFT);
    assert.equal(readCommitter(fileSystem, path()), undefined);
    await writeHomeRepositoryConfig(fileSystem, path(), people[0]);
    assert.deepEqual(readCommitter(fileSystem, path()), people[0]);
    await writeHomeRepositoryConfig(fileSystem, path(), undefined);
    assert.equal(readCommitter(fileSystem, path()), undefined);
  });
});

/** The number that tells when references may have changed. */
import assert from "node:assert/strict";
import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { fileSystem } from "../../support/files.ts";
import { GitRepository, makeFolder, removeFolder } from "../../support/git.ts";
import { RID } from "../suite.ts";
import { FakeHome } from "./fake_home.ts";

const [ONE, TWO] = ["1", "2"].map((digit) => `${digit.repeat(40)}\n`) as [string, string];
const OLD_SECONDS = 1_000_000_000;
const ISSUES = "refs/namespaces/a/refs/cobs/xyz.radicle.issue";

describe("the version of a repository's references", () => {
  let nowMs = 0;
  let home: FakeHome;
  const version = () => home.repository.refsVersion();

  beforeEach(() => {
    nowMs = 1_800_000_000_000;
    home = new FakeHome(() => nowMs);
    home.put("refs/namespaces/a/refs/heads/main", ONE);
    home.put(`${ISSUES}/1`, ONE);
    home.put(`${ISSUES}/2`, ONE);
    home.put("packed-refs", `${TWO.trim()} refs/heads/packed\n`);
  });

  it("stays the same while nothing changes, and checks only folders", async () => {
    const before = await version();
    home.files.calls.stat =
      home.files.calls.list =
      home.files.calls.open =
      home.files.calls.read =
        0;
    for (let i = 0; i < 3; i++) assert.equal(await version(), before);
    // The repository, when it is opened and for `HEAD`; `refs`, `heads`, `namespaces`, and five of the node.
    assert.deepEqual(home.files.calls, { read: 0, list: 0, stat: 3 * 10, open: 0 });
  });

  const changes: Record<string, () => void> = {
    "a file is replaced": () => home.put(`${ISSUES}/2`, TWO),
    "a file is replaced by the same content": () => home.put(`${ISSUES}/2`, ONE),
    "a file is added": () => home.put(`${ISSUES}/3`, TWO),
    "a file is removed": () => home.files.remove(`${home.path}/${ISSUES}/1`),
    "a type of objects comes": () => home.put("refs/namespaces/a/refs/cobs/xyz.radicle.patch/1", ONE),
    "a node comes": () => home.put("refs/namespaces/b/refs/heads/main", ONE),
    "a node goes": () => home.files.remove(`${home.path}/refs/namespaces/a`),
    "references are packed": () => {
      home.put("packed-refs", `${ONE.trim()} ${ISSUES}/1\n`);
      home.files.remove(`${home.path}/${ISSUES}/1`);
    },
    "a packed reference is removed": () => home.put("packed-refs", ""),
    "the packed references go": () => home.files.remove(`${home.path}/packed-refs`),
    "HEAD points elsewhere": () => home.put("HEAD", "ref: refs/heads/other\n"),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`is another one as soon as ${what}`, async () => {
      const before = await version();
      change();
      const changed = await version();
      assert.notEqual(changed, before);
      assert.equal(await version(), changed);
    });
  }

  it("is another one each time while a change may be hidden by an equal stamp", async () => {
    home.files.nowMs = nowMs;
    home.files.tickMs = 0;
    home.put(`${ISSUES}/1`, TWO);
    const seen = new Set<number>();
    for (const oid of [ONE, TWO, ONE]) {
      seen.add(await version());
      home.put(`${ISSUES}/1`, oid);
    }
    // Younger than the coarsest stamps.
    nowMs += 2000;
    seen.add(await version());
    assert.equal(seen.size, 4);
    nowMs += 60_000;
    const settled = await version();
    assert.equal(seen.has(settled), false);
    assert.equal(await version(), settled);
  });

  it("is never used twice, also when the repository is opened again", async () => {
    const before = await version();
    home.storage.close();
    assert.notEqual(await version(), before);
  });
});

describe("the version of references that git writes", () => {
  let root: string;
  let path: string;
  let git: GitRepository;
  /** Gives all folders an old stamp: the next change gives another one, however soon it comes. */
  const age = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) age(join(folder, entry.name));
    }
    utimesSync(folder, OLD_SECONDS, OLD_SECONDS);
  };

  before(() => {
    root = makeFolder();
    path = join(root, RID.slice("rad:".length));
    git = GitRepository.create(path);
  });
  after(() => removeFolder(root));

  it("is another one after each command", async () => {
    const one = git.put("blob", "one");
    const two = git.put("blob", "two");
    const ref = `${ISSUES}/${one}`;
    git.setRef(ref, one);
    const storage = createHomeStorage({ root, fileSystem });
    const version = async () => await storage.repository(RID)!.refsVersion();
    const commands: Record<string, () => void> = {
      replace: () => git.setRef(ref, two),
      add: () => git.setRef("refs/namespaces/b/refs/heads/main", one),
      pack: () => git.run(["pack-refs", "--all"]),
      "replace a packed one": () => git.setRef(ref, one),
      "pack again": () => git.run(["pack-refs", "--all"]),
      "remove a packed one": () => git.run(["update-ref", "-d", ref]),
      "move HEAD": () => git.setSymbolicRef("HEAD", "refs/heads/elsewhere"),
    };
    for (const [command, change] of Object.entries(commands)) {
      age(path);
      const before = await version();
      assert.equal(await version(), before, command);
      change();
      assert.notEqual(await version(), before, command);
    }
    storage.close();
  });
});

/** Selections of references that are kept: the same array for as long as nothing has changed, another one in the very next moment. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { Memory } from "../../../src/cache/memory.ts";
import { createHomeStorage, type HomeStorage } from "../../../src/storage/home/storage.ts";
import { compareUtf8 } from "../../../src/text/utf8.ts";
import { fileSystem } from "../../support/files.ts";
import { GitRepository, makeFolder, removeFolder } from "../../support/git.ts";
import { RID } from "../suite.ts";
import { FakeHome } from "./fake_home.ts";
import { atOnce } from "./at_once.ts";

const [ONE, TWO] = ["1", "2"].map((digit) => `${digit.repeat(40)}\n`) as [string, string];
const ISSUES = "refs/namespaces/*/refs/cobs/xyz.radicle.issue/";
const folderOf = (node: string) => `refs/namespaces/${node}/refs/cobs/xyz.radicle.issue`;

describe("a selection of references", () => {
  let nowMs = 0;
  let home: FakeHome;
  const select = (prefix = ISSUES) => home.repository.refs(prefix);
  const names = (prefix = ISSUES) => select(prefix).map(({ name, oid }) => `${name} ${oid?.[0]}`);

  beforeEach(() => {
    nowMs = 1_800_000_000_000;
    home = new FakeHome(() => nowMs);
    for (const node of ["a", "b"]) {
      for (const issue of ["1", "2", "3"]) home.put(`${folderOf(node)}/${issue}`, ONE);
    }
    home.put("packed-refs", `${TWO.trim()} ${folderOf("b")}/9\n`);
  });

  it("is the same array, without reading any file, while nothing changes", () => {
    const before = select();
    assert.equal(before.length, 7);
    home.files.calls.stat = home.files.calls.list = home.files.calls.open = 0;
    assert.equal(select(), before);
    // The repository, `refs`, `namespaces`, three folders of each node, the packed references.
    assert.deepEqual(home.files.calls, { read: 1, list: 0, stat: 10, open: 0 });
  });

  it("stays as it was given out when references change", () => {
    const before = select();
    const copy = structuredClone(before);
    home.put(`${folderOf("a")}/1`, TWO);
    assert.notEqual(select(), before);
    assert.deepEqual(before, copy);
  });

  const changes: Record<string, [change: () => void, expected: readonly string[]]> = {
    "a file is replaced": [
      () => home.put(`${folderOf("b")}/2`, TWO),
      ["a1 1", "a2 1", "a3 1", "b1 1", "b2 2", "b3 1", "b9 2"],
    ],
    "a file is added": [
      () => home.put(`${folderOf("a")}/4`, TWO),
      ["a1 1", "a2 1", "a3 1", "a4 2", "b1 1", "b2 1", "b3 1", "b9 2"],
    ],
    "a file is removed": [
      () => home.files.remove(`${home.path}/${folderOf("a")}/2`),
      ["a1 1", "a3 1", "b1 1", "b2 1", "b3 1", "b9 2"],
    ],
    "a file becomes no reference": [
      () => home.put(`${folderOf("b")}/1`, "nothing\n"),
      ["a1 1", "a2 1", "a3 1", "b2 1", "b3 1", "b9 2"],
    ],
    "a file becomes a link": [
      () => home.files.put(`${home.path}/${folderOf("b")}/1`, ONE, "link"),
      ["a1 1", "a2 1", "a3 1", "b2 1", "b3 1", "b9 2"],
    ],
    "a file takes the place of a packed reference": [
      () => home.put(`${folderOf("b")}/9`, ONE),
      ["a1 1", "a2 1", "a3 1", "b1 1", "b2 1", "b3 1", "b9 1"],
    ],
    "a node comes": [
      () => home.put(`${folderOf("aa")}/1`, ONE),
      ["a1 1", "a2 1", "a3 1", "aa1 1", "b1 1", "b2 1", "b3 1", "b9 2"],
    ],
    "a node goes": [
      () => home.files.remove(`${home.path}/refs/namespaces/a`),
      ["b1 1", "b2 1", "b3 1", "b9 2"],
    ],
    "a folder between becomes a link": [
      () => {
        home.files.remove(`${home.path}/refs/namespaces/a/refs/cobs`);
        home.files.put(`${home.path}/refs/namespaces/a/refs/cobs`, "", "link");
      },
      ["b1 1", "b2 1", "b3 1", "b9 2"],
    ],
    "references are packed": [
      () => {
        home.put("packed-refs", `${TWO.trim()} ${folderOf("a")}/1\n`);
        home.files.remove(`${home.path}/${folderOf("a")}`);
      },
      ["a1 2", "b1 1", "b2 1", "b3 1"],
    ],
    "the packed references go": [
      () => home.files.remove(`${home.path}/packed-refs`),
      ["a1 1", "a2 1", "a3 1", "b1 1", "b2 1", "b3 1"],
    ],
  };
  for (const [what, [change, expected]] of Object.entries(changes)) {
    it(`is another one as soon as ${what}`, () => {
      select();
      change();
      assert.deepEqual(
        names().map((line) => line.replace(/refs\/namespaces\/(\w+)\/.*\/(?=\d )/, "$1")),
        expected,
      );
    });
  }

  it("is another one a moment after a program has written into a file", () => {
    select();
    const stat = home.files.stat.bind(home.files);
    const folder = `${home.path}/${folderOf("a")}`;
    const { modifiedMs } = stat(folder)!;
    home.put(`${folderOf("a")}/1`, TWO);
    home.files.stat = (path) => path === folder ? { ...stat(path)!, modifiedMs } : stat(path);
    nowMs += 1000;
    assert.ok(names().includes(`${folderOf("a")}/1 2`));
  });

  it("does not outlive a clock that is put back", () => {
    const before = select();
    nowMs -= 1;
    assert.notEqual(select(), before);
  });

  it("is made again while a folder could change with the same metadata", () => {
    home.files.nowMs = nowMs - 2000;
    home.put(`${folderOf("a")}/1`, ONE);
    home.files.tickMs = 0;
    for (const oid of [TWO, ONE, TWO]) {
      home.put(`${folderOf("a")}/1`, oid);
      assert.ok(names().includes(`${folderOf("a")}/1 ${oid[0]}`));
    }
    nowMs += 60_000;
    assert.equal(select(), select());
  });

  it("is not confused with another folder of the same metadata", () => {
    select();
    const stat = home.files.stat.bind(home.files);
    const folder = `${home.path}/${folderOf("a")}`;
    const { modifiedMs } = stat(folder)!;
    home.put(`${folderOf("a")}/1`, TWO);
    home.files.stat = (path) => path === folder ? { ...stat(path)!, modifiedMs, inode: 99 } : stat(path);
    assert.ok(names().includes(`${folderOf("a")}/1 2`));
  });

  it("is in order of the bytes of names, whatever stands around the slash", () => {
    for (const name of ["a-b", "a/x", "a0", "a!/y", "a\u{ffee}", "a\u{1f600}/z", "a.b/c"]) {
      home.put(`refs/heads/${name}`, ONE);
    }
    home.put(
      "packed-refs",
      ["a/b", "a1", "a-b", "zz"].map((name) => `${TWO.trim()} refs/heads/${name}\n`).join(""),
    );
    const found = select("refs/heads/").map(({ name }) => name);
    assert.deepEqual(found, [...new Set(found)].sort(compareUtf8));
    assert.equal(found.length, 11);
    assert.equal(select("refs/heads/").find(({ name }) => name.endsWith("/a-b"))?.oid, ONE.trim());
  });

  it("that is larger than the cache is found all the same", () => {
    const memory = new Memory();
    const many = Math.ceil(memory.share("references") / 100);
    const { list } = home.files;
    const entries = Array.from({ length: many }, (_, i) => ({ name: `n${i}`, kind: "other" as const }));
    const path = `${home.path}/${folderOf("a")}`;
    home.files.list = (asked) => asked === path ? entries : list.call(home.files, asked);
    assert.equal(select().length, 4);
    assert.equal(select().length, 4);
  });
});

describe("a selection of references on the disk", () => {
  let root = "";
  let git: GitRepository;
  let storage: HomeStorage;
  const TIME = new Date(Date.now() - 60_000);
  const settle = (folder: string) => utimesSync(folder, TIME, TIME);
  const select = () => atOnce(storage.repository(RID)!).refs("refs/cobs/");

  beforeEach(() => {
    root = makeFolder();
    const path = join(root, RID.slice("rad:".length));
    execFileSync("git", ["init", "--quiet", "--bare", path]);
    git = new GitRepository(path);
    storage = createHomeStorage({ root, fileSystem });
    mkdirSync(join(path, "refs/cobs"));
    for (const name of ["a", "b", "c"]) writeFileSync(join(path, "refs/cobs", name), ONE);
    settle(join(path, "refs/cobs"));
  });

  afterEach(() => {
    storage.close();
    removeFolder(root);
  });

  it("is another one as soon as git has moved, made, packed or deleted a reference", () => {
    const blob = git.text(["hash-object", "-w", "-t", "blob", "/dev/null"]);
    const told = () => select().map(({ name, oid }) => `${oid} ${name}`);
    const expected = () =>
      git.text(["for-each-ref", "--format=%(objectname) %(refname)", "refs/cobs/"]).split("\n")
        .filter((line) => line !== "");
    for (const name of ["a", "b", "c"]) git.run(["update-ref", `refs/cobs/${name}`, blob]);
    settle(join(git.path, "refs/cobs"));
    for (const name of ["a", "b", "c"]) utimesSync(join(git.path, "refs/cobs", name), TIME, TIME);
    assert.equal(select(), select());
    const other = git.text(["hash-object", "-w", "-t", "blob", "--stdin"], "other");
    const steps = [
      ["update-ref", "refs/cobs/b", other],
      ["update-ref", "refs/cobs/d/e", blob],
      ["pack-refs", "--all"],
      ["update-ref", "refs/cobs/a", other],
      ["update-ref", "-d", "refs/cobs/c"],
      ["update-ref", "-d", "refs/cobs/a"],
    ];
    for (const step of steps) {
      select();
      git.run(step);
      assert.deepEqual(told(), expected());
    }
  });

  it("is another one as soon as its folder is another one, or a link", () => {
    const cobs = join(git.path, "refs/cobs");
    assert.equal(select(), select());
    renameSync(cobs, join(root, "kept"));
    mkdirSync(cobs);
    writeFileSync(join(cobs, "a"), TWO);
    writeFileSync(join(cobs, "b"), ONE);
    writeFileSync(join(cobs, "c"), ONE);
    settle(cobs);
    assert.equal(select()[0]?.oid, TWO.trim());
    rmSync(cobs, { recursive: true });
    symlinkSync(join(root, "kept"), cobs);
    assert.deepEqual(select(), []);
  });
});

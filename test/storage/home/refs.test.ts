/** References that are odd, broken, or lead out of the repository. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileSystem } from "../../support/files.ts";
import { DamagedError, TooLargeError } from "../../../src/errors.ts";
import type { FileKind } from "../../../src/ports/file_system.ts";
import type { Repository } from "../../../src/ports/storage.ts";
import { createHomeStorage } from "../../../src/storage/home/storage.ts";
import { compareUtf8 } from "../../../src/text/utf8.ts";
import { GitRepository, makeFolder, removeFolder } from "../../support/git.ts";
import { RID } from "../suite.ts";
import { FakeHome } from "./fake_home.ts";

const [ONE, TWO] = ["1", "2"].map((digit) => digit.repeat(40)) as [string, string];

const listed = (home: FakeHome, prefix = "refs/") =>
  home.repository.refs(prefix).map(({ name, oid, target }) => `${name} ${oid ?? target}`);

describe("a loose reference", () => {
  const readable = {
    [`${ONE}\n`]: ONE,
    [ONE]: ONE,
    [`${ONE} \r\n`]: ONE,
    [`${"AB".repeat(20)}\n`]: "ab".repeat(20),
    "ref: refs/heads/other\n": "refs/heads/other",
    "ref:refs/heads/other": "refs/heads/other",
    "ref: \trefs/heads/other \n\n": "refs/heads/other",
    "ref: HEAD\n": "HEAD",
    "ref:\nrefs/heads/other\0more": "refs/heads/other",
    [`${ONE} main\n`]: ONE,
    [`${ONE}\tmain\nmore`]: ONE,
    [`${ONE}\0more`]: ONE,
  };
  for (const [content, expected] of Object.entries(readable)) {
    it(`is read from ${JSON.stringify(content)}`, () => {
      const home = new FakeHome();
      home.put("refs/heads/main", content);
      const ref = home.repository.ref("refs/heads/main");
      assert.equal(ref?.oid ?? ref?.target, expected);
      assert.deepEqual(listed(home), [`refs/heads/main ${expected}`]);
    });
  }

  const broken = {
    "empty": "",
    "of NUL bytes": "\0".repeat(41),
    "with too short an id": ONE.slice(1),
    "with too long an id": `${ONE}1\n`,
    "with no hexadecimal id": "x".repeat(40),
    "with a vertical tabulator behind its id": `${ONE}\v\n`,
    "with a blank before its id": ` ${ONE}\n`,
    "of a symbolic reference with a blank before a NUL": "ref: refs/heads/main \0",
    "of a symbolic reference and a second line": "ref: refs/heads/main\nmain\n",
    "of a symbolic reference to nothing": "ref: \n",
    "of a symbolic reference to a file elsewhere": "ref: ../../../etc/passwd\n",
    "of a symbolic reference to several names": "ref: refs/heads/a refs/heads/b\n",
    "that is huge": "1".repeat(1_000_000),
  };
  for (const [what, content] of Object.entries(broken)) {
    it(`is absent, with one warning, from a file ${what}`, () => {
      const home = new FakeHome();
      home.put("refs/heads/broken", content);
      assert.deepEqual(listed(home), ["refs/heads/main ce013625030ba8dba906f756967f9e9ca394464a"]);
      assert.equal(home.repository.ref("refs/heads/broken"), undefined);
      assert.deepEqual(home.warnings, [`${home.path}/refs/heads/broken is not a reference`]);
    });
  }

  it("is absent from what is not a file", () => {
    const home = new FakeHome();
    home.files.put(`${home.path}/refs/heads/main`, `${ONE}\n`, "other");
    assert.deepEqual(listed(home), []);
    assert.equal(home.repository.ref("refs/heads/main"), undefined);
  });

  for (
    const [link, target] of [
      ["refs/heads/other", "refs/heads/other"],
      ["other", "refs/heads/other"],
      ["../tags/v1", "refs/tags/v1"],
      ["../../refs/heads/other", "refs/heads/other"],
      ["../../HEAD", undefined],
      ["../../../other/refs/heads/main", undefined],
      ["../../../../../../../../refs/heads/main", undefined],
      ["/home/storage/refs/heads/main", undefined],
      ["refs/../HEAD", "refs/heads/HEAD"],
      ["", undefined],
    ]
  ) {
    it(`is ${target ? "symbolic" : "absent"} from a symbolic link to ${JSON.stringify(link)}`, () => {
      const home = new FakeHome();
      home.files.put(`${home.path}/refs/heads/main`, link!, "link");
      assert.deepEqual(listed(home), target === undefined ? [] : [`refs/heads/main ${target}`]);
      assert.equal(home.repository.ref("refs/heads/main")?.target, target);
    });
  }

  it("is not read from a lock, a temporary file or under a name that git refuses", () => {
    const home = new FakeHome();
    for (const name of ["main.lock", "a b", ".hidden", "x..y", "-\u0007"]) {
      home.put(`refs/heads/${name}`, `${ONE}\n`);
    }
    home.put("refs/heads/folder.lock/main", `${ONE}\n`);
    assert.deepEqual(listed(home, "refs/heads/"), [
      "refs/heads/main ce013625030ba8dba906f756967f9e9ca394464a",
    ]);
    assert.equal(home.repository.ref("refs/heads/main.lock"), undefined);
    assert.deepEqual(home.warnings, []);
  });

  it("leaves no file open", () => {
    const home = new FakeHome();
    listed(home);
    home.repository.ref("HEAD");
    assert.equal(home.files.openCount, 0);
  });

  it("shows its present state without delay", () => {
    const home = new FakeHome();
    const { repository } = home;
    for (const oid of [ONE, TWO, ONE]) {
      home.put("refs/heads/main", `${oid}\n`);
      assert.equal(repository.ref("refs/heads/main")?.oid, oid);
      assert.equal(repository.refs("refs/heads/")[0]?.oid, oid);
    }
  });
});

describe("files and folders of references", () => {
  const FILES = ["refs/heads/a", "refs/heads/b/c", "refs/namespaces/x/refs/heads/a"];

  it("are not read again while their stamps are the same", () => {
    const home = new FakeHome();
    for (const name of FILES) home.put(name, `${ONE}\n`);
    const before = [listed(home), home.repository.ref(FILES[1]!)];
    const { open, list } = home.files.calls;
    assert.deepEqual([listed(home), home.repository.ref(FILES[1]!)], before);
    assert.deepEqual([home.files.calls.open, home.files.calls.list], [open, list]);
  });

  it("are read again when they have changed, one by one", () => {
    const home = new FakeHome();
    for (const name of FILES) home.put(name, `${ONE}\n`);
    listed(home);
    const { open } = home.files.calls;
    home.put(FILES[1]!, `${TWO}\n`);
    assert.ok(listed(home).includes(`${FILES[1]} ${TWO}`));
    assert.equal(home.files.calls.open, open + 1);
    home.put("refs/heads/b/d", `${TWO}\n`);
    assert.ok(listed(home).includes(`refs/heads/b/d ${TWO}`));
    home.files.remove(`${home.path}/refs/heads/b`);
    assert.deepEqual(listed(home, "refs/heads/b/"), []);
    assert.equal(home.repository.ref("refs/heads/b/c"), undefined);
  });

  it("are checked again when their folder has changed, or after a moment", () => {
    let nowMs = 1_800_000_000_000;
    const home = new FakeHome(() => nowMs);
    for (const name of FILES) home.put(name, `${ONE}\n`);
    const looks = () => {
      const before = home.files.calls.stat;
      assert.equal(listed(home, "refs/heads/").length, 3);
      return home.files.calls.stat - before;
    };
    looks();
    const known = looks();
    nowMs += 1000;
    assert.equal(looks(), known + 3);
    assert.equal(looks(), known);
    home.put(FILES[0]!, `${TWO}\n`);
    assert.ok(listed(home).includes(`${FILES[0]} ${TWO}`));
  });

  it("are read again as long as they may change within one tick of their clock", () => {
    const home = new FakeHome();
    home.files.nowMs = Date.now();
    home.files.tickMs = 0;
    const stat = home.files.stat.bind(home.files);
    home.files.stat = (path) => {
      const found = stat(path);
      return found && { ...found, inode: 1 };
    };
    for (const oid of [ONE, TWO]) {
      home.put("refs/heads/a", `${oid}\n`);
      home.put(`refs/heads/${oid}`, `${oid}\n`);
      assert.equal(home.repository.ref("refs/heads/a")?.oid, oid);
      assert.ok(listed(home).includes(`refs/heads/${oid} ${oid}`));
    }
  });
});

describe("packed references", () => {
  const HEADER = "# pack-refs with: peeled fully-peeled sorted \n";

  it("are read without comments and peeled lines", () => {
    const home = new FakeHome();
    home.files.remove(`${home.path}/refs/heads/main`);
    home.put("refs/heads/folder/.keep", "");
    home.put("packed-refs", `${HEADER}${ONE} refs/heads/a\n${ONE} refs/tags/v1\n^${TWO}\n`);
    assert.deepEqual(listed(home), [`refs/heads/a ${ONE}`, `refs/tags/v1 ${ONE}`]);
    assert.equal(home.repository.ref("refs/tags/v1")?.oid, ONE);
  });

  it("are sorted even if the file is not", () => {
    const home = new FakeHome();
    home.put("packed-refs", `${ONE} refs/heads/z\n${ONE} refs/heads/n\n${ONE} refs/heads/a\n`);
    assert.deepEqual(home.repository.refs("refs/heads/").map((ref) => ref.name.at(-1)), ["a", "n", "n", "z"]);
    assert.equal(home.repository.ref("refs/heads/a")?.oid, ONE);
  });

  it("give way to loose ones", () => {
    const home = new FakeHome();
    home.put("packed-refs", `${ONE} refs/heads/a\n${ONE} refs/heads/main\n${ONE} refs/heads/z\n`);
    home.put("refs/heads/main", `${TWO}\n`);
    assert.deepEqual(listed(home), [`refs/heads/a ${ONE}`, `refs/heads/main ${TWO}`, `refs/heads/z ${ONE}`]);
    assert.equal(home.repository.ref("refs/heads/main")?.oid, TWO);
  });

  it("give way to broken loose ones, as they are outdated", () => {
    const home = new FakeHome();
    home.put("packed-refs", `${ONE} refs/heads/main\n`);
    home.put("refs/heads/main", "");
    assert.deepEqual(listed(home), []);
    assert.equal(home.repository.ref("refs/heads/main"), undefined);
  });

  it("are found where an empty folder has their name", () => {
    const home = new FakeHome();
    home.put("packed-refs", `${ONE} refs/heads/topic\n`);
    home.put("refs/heads/topic/.left", "");
    assert.equal(home.repository.ref("refs/heads/topic")?.oid, ONE);
    assert.equal(home.repository.refs("refs/heads/topic")[0]?.oid, ONE);
  });

  it("are read around malformed lines, with a warning", () => {
    const home = new FakeHome();
    const lines = [
      "x",
      `${ONE}`,
      `${ONE} `,
      `${ONE} main`,
      `${ONE} refs/../x`,
      `${ONE.slice(1)} refs/heads/b`,
      `${ONE}\vrefs/heads/c`,
      `${ONE} refs/heads/d\r`,
    ];
    home.put("packed-refs", `${HEADER}${lines.join("\n")}\n${ONE} refs/heads/z\n`);
    assert.deepEqual(listed(home, "refs/heads/z"), [`refs/heads/z ${ONE}`]);
    assert.equal(home.warnings.length, lines.length);
  });

  it("are selected as their names say, whatever characters sort around the slash", () => {
    const home = new FakeHome();
    const words = ["a", "a-", "a.b", "a0", "b", "\u{e000}", "\u{1f600}"];
    const names = words.flatMap((x) => [
      `refs/${x}`,
      ...words.flatMap((y) => [`refs/${x}/${y}`, `refs/${x}/${y}/a`, `refs/${x}/${y}/a/b`]),
    ]);
    home.put("packed-refs", names.map((name) => `${ONE} ${name}\n`).join(""));
    const sorted = [...names, "refs/heads/main"].sort(compareUtf8);
    const patterns = ["refs/", "refs/a", "refs/a/", "refs/*", "refs/*/", "refs/*/a", "refs/*/*", "refs/*/*/"];
    patterns.push(
      "refs/*/b/",
      "refs/a/*",
      "refs/a/*/a",
      "refs/*/*/a/",
      "refs/*/*/a/*",
      "refs/*/\u{e000}/*",
      "refs/c/*",
    );
    for (const pattern of patterns) {
      const parts = pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]+");
      const matching = new RegExp(`^${parts}${pattern.endsWith("/") ? ".+" : ""}$`, "u");
      assert.deepEqual(
        home.repository.refs(pattern).map(({ name }) => name),
        sorted.filter((name) => matching.test(name)),
        pattern,
      );
    }
  });

  it("are parsed once per change of the file", () => {
    const home = new FakeHome();
    home.put("packed-refs", `${ONE} refs/heads/a\n`);
    const { repository } = home;
    for (let i = 0; i < 10; i++) repository.ref("refs/heads/a");
    assert.equal(home.files.calls.read, 1);
    home.put("packed-refs", `${TWO} refs/heads/a\n`);
    assert.equal(repository.ref("refs/heads/a")?.oid, TWO);
    home.files.remove(`${home.path}/packed-refs`);
    assert.equal(repository.ref("refs/heads/a"), undefined);
  });

  it("are parsed again as long as the file may change within one tick of its clock", () => {
    const home = new FakeHome();
    const packedRefs = `${home.path}/packed-refs`;
    const { repository } = home;
    // The same length and time, and even the same inode: only the content tells.
    const stat = { kind: "file", size: 54, modifiedMs: Date.now(), inode: 1, links: 1 } as const;
    const original = home.files.stat.bind(home.files);
    home.files.stat = (path) => path === packedRefs ? stat : original(path);
    for (const oid of [ONE, TWO]) {
      home.put("packed-refs", `${oid} refs/heads/a\n`);
      assert.equal(repository.ref("refs/heads/a")?.oid, oid);
    }
  });

  it("are refused when there are too many to be held in memory", () => {
    const home = new FakeHome();
    home.put("packed-refs", `${ONE} refs/heads/a\n`);
    const original = home.files.stat.bind(home.files);
    home.files.stat = (path) => {
      const stat = original(path);
      return stat && path.endsWith("packed-refs") ? { ...stat, size: 2 ** 40 } : stat;
    };
    assert.throws(() => home.repository.ref("refs/heads/a"), TooLargeError);
    assert.throws(() => home.repository.refs("refs/"), TooLargeError);
  });

  it("may have ids in capital letters, and a tabulator or a return behind them", () => {
    const home = new FakeHome();
    home.put("packed-refs", `${ONE.toUpperCase()}\trefs/heads/a\n${TWO}\rrefs/heads/b\n`);
    assert.equal(home.repository.ref("refs/heads/a")?.oid, ONE);
    assert.equal(home.repository.ref("refs/heads/b")?.oid, TWO);
  });

  it("are damaged when their file is cut off, or is no file", () => {
    const home = new FakeHome();
    const text = `${HEADER}${ONE} refs/heads/a\n${ONE} refs/heads/b\n`;
    for (let length = 1; length < text.length; length++) {
      home.put("packed-refs", text.slice(0, length));
      const refs = () => home.repository.refs("refs/heads/").map(({ name }) => name.at(-1));
      if (text[length - 1] !== "\n") assert.throws(refs, DamagedError, `length ${length}`);
      else assert.deepEqual(refs(), length === HEADER.length ? ["n"] : ["a", "n"]);
    }
    for (const kind of ["link", "other"] satisfies FileKind[]) {
      home.files.put(`${home.path}/packed-refs`, `${ONE} refs/heads/a\n`, kind);
      assert.throws(() => home.repository.ref("refs/heads/a"), DamagedError);
    }
  });
});

describe("references on a real file system", () => {
  let root: string;
  let path: string;
  let repository: Repository;

  before(() => {
    root = makeFolder();
    path = join(root, RID.slice("rad:".length));
    GitRepository.create(path);
    mkdirSync(join(root, "outside/deep"), { recursive: true });
    writeFileSync(join(root, "outside/secret"), `${ONE}\n`);
    writeFileSync(join(root, "outside/deep/secret"), `${ONE}\n`);
    writeFileSync(join(path, "refs/heads/main"), `${TWO}\n`);
    symlinkSync(join(root, "outside/secret"), join(path, "refs/heads/linked"));
    symlinkSync(join(root, "outside"), join(path, "refs/heads/folder"));
    symlinkSync(join(path, "refs"), join(path, "refs/heads/loop"));
    symlinkSync(join(root, "outside"), join(path, "refs/namespaces"));
    symlinkSync(join(path, "refs/heads/nothing"), join(path, "refs/heads/dangling"));
    execFileSync("mkfifo", [join(path, "refs/heads/pipe")]);
    repository = createHomeStorage({ root, fileSystem }).repository(RID)!;
  });
  after(() => removeFolder(root));

  it("are listed without following links or waiting for pipes", async () => {
    assert.deepEqual(await repository.refs("refs/"), [{ name: "refs/heads/main", oid: TWO }]);
    for (
      const prefix of [
        "refs/heads/folder/",
        "refs/heads/folder/deep/",
        "refs/namespaces/",
        "refs/namespaces/*/secret",
        "refs/heads/*/secret",
      ]
    ) {
      assert.deepEqual(await repository.refs(prefix), [], prefix);
    }
  });

  it("are looked up without following links or waiting for pipes", async () => {
    const names = [
      "linked",
      "folder",
      "folder/secret",
      "folder/deep/secret",
      "loop/heads/main",
      "dangling",
      "pipe",
      "pipe/x",
      "main/x",
    ];
    for (const name of names) assert.equal(await repository.ref(`refs/heads/${name}`), undefined, name);
    assert.equal(await repository.ref("refs/namespaces/secret"), undefined);
    assert.deepEqual(await repository.refs("refs/heads/linked"), []);
  });

  it("are absent under names that are too long for a file", async () => {
    assert.equal(await repository.ref(`refs/heads/${"x".repeat(5000)}`), undefined);
    assert.equal(await repository.ref(`refs/heads/${"x/".repeat(5000)}x`), undefined);
    assert.deepEqual(await repository.refs(`refs/heads/${"x".repeat(5000)}/`), []);
  });
});

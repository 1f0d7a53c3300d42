/** Object directories that borrow from others. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zlibSync } from "fflate";
import { readAlternates } from "../../../src/storage/home/alternates.ts";
import { FakeFiles } from "./fake_files.ts";
import { FakeHome } from "./fake_home.ts";
import { blobId, buildPack } from "./pack_builder.ts";

/** Files with these lists of alternates, by the path of the object directory. */
function borrowing(lists: Record<string, string>): FakeFiles {
  const files = new FakeFiles();
  for (const [directory, list] of Object.entries(lists)) files.put(`${directory}/info/alternates`, list);
  return files;
}

describe("readAlternates", () => {
  it("is empty without a list", () => assert.deepEqual(readAlternates(new FakeFiles(), "/a"), []));

  it("reads absolute and relative paths, and skips comments and empty lines", () => {
    const files = borrowing({ "/x/a": "# a comment\n\n/y/b\n../c\n../../z/./d/\nC:/e\n\\f\n" });
    assert.deepEqual(readAlternates(files, "/x/a"), ["/y/b", "/x/c", "/z/d", "/x/a/C:/e", "/x/a/\\f"]);
  });

  it("knows paths of Windows in a home on Windows", () => {
    const files = borrowing({ "C:/x/a": "C:/e\n../b\n" });
    assert.deepEqual(readAlternates(files, "C:/x/a"), ["C:/e", "C:/x/b"]);
  });

  it("reads paths in quotes", () => {
    const quoted: Record<string, readonly string[]> = {
      '"/y/b"\n/y/c\n': ["/y/b", "/y/c"],
      '"/y/\\"\\\\\\t\\303\\274 #"\n': ['/y/"\\\tü #'],
      '"/y/a\nb"': ["/y/a\nb"],
      '"/y/b"x/y/c\n': ["/y/b", "/y/c"],
      '""\n/y/c': ["/y/c"],
      '"/y/b\n': ['/x/a/"/y/b'],
      '"/y/\\x"\n': ['/x/a/"/y/\\x"'],
      '"/y/\\400"\n': ['/x/a/"/y/\\400"'],
      '"/y/\\30': ['/x/a/"/y/\\30'],
      '"\\': ['/x/a/"\\'],
      '"': ['/x/a/"'],
    };
    for (const [list, paths] of Object.entries(quoted)) {
      assert.deepEqual(readAlternates(borrowing({ "/x/a": list }), "/x/a"), paths, list);
    }
  });

  it("takes time linear in the list, whatever is in quotes", () => {
    for (const part of ['"\n', '"\\\n', '"\\x\n', '"\\"\n', '\\"', '"a"', "#\n", "\n"]) {
      const startMs = performance.now();
      readAlternates(borrowing({ "/x/a": part.repeat(2 ** 20 / part.length) }), "/x/a");
      assert.ok(performance.now() - startMs < 5000, JSON.stringify(part));
    }
  });

  it("follows alternates of alternates, each once", () => {
    const files = borrowing({ "/x/a": "../b\n../c\n", "/x/b": "../c\n../d", "/x/d": "/x/e/../b\n" });
    assert.deepEqual(readAlternates(files, "/x/a"), ["/x/b", "/x/c", "/x/d"]);
  });

  it("ends in a circle", () => {
    const files = borrowing({ "/x/a": "/x/b\n/x/a\n", "/x/b": "../a\n../b/\n" });
    assert.deepEqual(readAlternates(files, "/x/a"), ["/x/b"]);
  });

  it("goes no deeper than git, five levels", () => {
    const lists = Array.from({ length: 20 }, (_, i) => [`/${i}`, `/${i + 1}`]);
    assert.equal(readAlternates(borrowing(Object.fromEntries(lists)), "/0").length, 5);
  });

  it("follows a bounded number", () => {
    const list = Array.from({ length: 1000 }, (_, i) => `/${i}`).join("\n");
    const followed = readAlternates(borrowing({ "/a": list }), "/a").length;
    assert.ok(followed > 10 && followed < 1000, `${followed} followed`);
  });
});

describe("a repository with alternates", () => {
  const LOOSE = blobId("loose");
  const PACKED = blobId("packed");
  const content = (text: string) => new TextEncoder().encode(text);

  function lenders(): FakeHome {
    const home = new FakeHome();
    home.files.put(`/lender/${LOOSE.slice(0, 2)}/${LOOSE.slice(2)}`, zlibSync(content("blob 5\0loose")));
    const { pack, index } = buildPack([{ oid: PACKED, kind: "blob", data: content("packed") }]);
    home.files.put("/other/pack/pack-1.pack", pack);
    home.files.put("/other/pack/pack-1.idx", index);
    return home;
  }

  const kinds = async (home: FakeHome) =>
    (await home.repository.objects([LOOSE, PACKED])).map((object) => object?.kind);

  it("has their objects", async () => {
    const home = lenders();
    home.put("objects/info/alternates", "/lender\n/other\n");
    assert.deepEqual(await kinds(home), ["blob", "blob"]);
    assert.deepEqual(home.repository.header(PACKED), { kind: "blob", size: 6 });
  });

  it("notices when they come and go", async () => {
    const home = lenders();
    const { repository } = home;
    assert.equal(await repository.object(PACKED), undefined);
    home.put("objects/info/alternates", "/other\n");
    assert.equal((await repository.object(PACKED))?.kind, "blob");
    home.put("objects/info/alternates", "/lender\n");
    assert.deepEqual(await kinds(home), ["blob", undefined]);
    assert.equal(home.files.openCount, 0);
  });

  it("does without those that are not there", async () => {
    const home = lenders();
    home.put("objects/info/alternates", "/none\n/lender\n");
    assert.deepEqual(await kinds(home), ["blob", undefined]);
  });

  it("takes a sound object from them instead of a damaged one", async () => {
    const home = lenders();
    home.putLoose(LOOSE, content("damaged"));
    home.put("objects/info/alternates", "/lender\n");
    assert.deepEqual(await home.repository.object(LOOSE), { kind: "blob", bytes: content("loose") });
  });
});

/** Archives of repositories in memory: names, limits, and trees that would do harm. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync, unzipSync } from "fflate";
import { unpackTar } from "modern-tar";
import { archiveEntries, MAX_ARCHIVE_ENTRIES, measureArchive } from "../../../extensions/archives/entries.ts";
import {
  checkZipSize,
  MAX_ZIP_BYTES,
  MAX_ZIP_DIRECTORY_BYTES,
  MAX_ZIP_ENTRIES,
} from "../../../extensions/archives/zip.ts";
import { type Oid, oidToBytes } from "../../../src/ids/oid.ts";
import { joinBytes } from "../../../src/bytes/bytes.ts";
import type { Client } from "../../../mod.ts";
import { createTestApi as createApi, OWNER, STRANGER } from "../../support/api.ts";
import { ALICE, createWorld, type Folder, putBlob, putCommit, putTree } from "../../support/world.ts";
import { createRandom } from "../../cob/random.ts";
import { sha256Of } from "../../../extensions/replicas/format/keys.ts";
import { askChecked } from "../../support/contract.ts";
import { Task } from "../../../src/scheduling/task.ts";

/** An API whose answers are read as bytes. */
function createTestApi() {
  const { api, world } = createApi({ api: "both" });
  const get = async (path: string, client: Client = STRANGER, init: RequestInit = {}) => {
    const request = new Request(`http://localhost${path}`, init);
    const response = await askChecked(api, request, client, { api: "both" });
    const { status, headers } = response;
    return { status, headers, bytes: new Uint8Array(await response.arrayBuffer()) };
  };
  return { get, world };
}

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

/** A tree of entries as they are given, in whatever order. */
function rawTree(
  entries: readonly (readonly [mode: string, name: string | Uint8Array, oid: Oid])[],
): Uint8Array {
  const encoder = new TextEncoder();
  return joinBytes(entries.flatMap(([mode, name, oid]) => [
    encoder.encode(`${mode} `),
    typeof name === "string" ? encoder.encode(name) : name,
    new Uint8Array(1),
    oidToBytes(oid),
  ]));
}

describe("archives", () => {
  it("have a file's content, in tar, packed tar and zip", async () => {
    const { get, world: { helloRid, commits } } = createTestApi();
    const [, , head] = commits;
    const name = `hello-world-${head}/dir1/README`;
    const tar = await get(`/raw/${helloRid}/${head}.tar`);
    const packed = await get(`/raw/${helloRid}/${head}.tar.gz`);
    const zip = await get(`/raw/${helloRid}/${head}.zip`);
    for (const bytes of [tar.bytes, gunzipSync(packed.bytes)]) {
      const files = await unpackTar(new Uint8Array(bytes), { strict: true });
      const file = files.find(({ header }) => header.name === name);
      assert.equal(text(file?.data), "Hello World from dir1!\n");
      assert.equal(file?.header.mtime?.getTime(), 1_673_003_014_000);
    }
    assert.equal(text(unzipSync(zip.bytes)[name]), "Hello World from dir1!\n");
    assert.equal(tar.headers.get("cache-control"), "public, max-age=604800, immutable");
  });

  it("have the same bytes on every runtime, at any time", async () => {
    const { get, world: { hello, helloRid } } = createTestApi();
    const random = createRandom(11);
    const words = Array.from({ length: 40_000 }, () => random.below(5000).toString(36)).join(" ");
    const folder = { empty: "", small: "x".repeat(100), large: words, run: { executable: "#!/bin/sh\n" } };
    const commit = putCommit(hello, { folder, message: "Files\n" });
    const tree = putTree(hello, folder);
    const digests: Record<string, string> = {};
    for (const [of, oid] of Object.entries({ commit, tree })) {
      for (const form of ["tar", "tar.gz", "zip"]) {
        const { bytes } = await get(`/raw/${helloRid}/${oid}.${form}`);
        digests[`${of}.${form}`] = sha256Of(bytes);
        const files = form === "zip"
          ? unzipSync(bytes)
          : await unpackTar(form === "tar" ? bytes : new Uint8Array(gunzipSync(bytes))).then((entries) =>
            Object.fromEntries(entries.map(({ header, data }) => [header.name, data!]))
          );
        assert.equal(text(files[`hello-world-${oid}/large`]), words);
      }
    }
    assert.deepEqual(digests, {
      "commit.tar": "fffa0ecae3a103270d3d5f999bfb4d3da5217a81108915ddbc345f81d970304d",
      "commit.tar.gz": "6419d0a029e32325162c33f926e742d4f9b9edb92d2183bf1a6ca7977715b44d",
      "commit.zip": "c60f5e50dbb90b127b1bc242b90595fcc80057eadb12d716ad0a0acb1a642936",
      "tree.tar": "08f1af201df07b4e01aeac184f13d8c5832dcc89abba0a3269fd36af17209c92",
      "tree.tar.gz": "f7ce77c3789cf2e2798980e688aee74c01e00730d51ec86900e43082101ba4e5",
      "tree.zip": "ee2561c09def8cd2f462dd2363467f6ccd7262548bea3ac2c472ab75f97fd4f0",
    });
  });

  it("are found by HEAD, branches, tags, peers' branches and ids", async () => {
    const { get, world: { hello, helloRid, commits: [first, , head] } } = createTestApi();
    hello.setRef("refs/tags/v1.0", first);
    const tag = new TextEncoder().encode(
      `object ${first}\ntype commit\ntag v2\ntagger A <a@b.c> 1 +0000\n\nv2\n`,
    );
    hello.setRef("refs/tags/v2", hello.put("tag", tag));
    const commitOf = async (name: string) => {
      const { status, bytes } = await get(`/raw/${helloRid}/archive/${name}.tar`);
      return status === 200 ? /comment=(\w+)/.exec(text(bytes.subarray(512, 1024)))?.[1] : status;
    };
    for (const name of ["HEAD", "master", "heads/master", "refs/heads/master", `${ALICE}/master`, head]) {
      assert.equal(await commitOf(name), head, name);
    }
    for (const name of ["v1.0", "tags/v1.0", "v2", first, first.toUpperCase()]) {
      assert.equal(await commitOf(name), first, name);
    }
    for (const name of ["head", "none", "abc", "master~1", "-x", "a..b"]) {
      assert.equal(await commitOf(name), 404, name);
    }
  });

  it("are named after the repository and the name, and asked again by it", async () => {
    const { get, world: { helloRid } } = createTestApi();
    const path = `/raw/${helloRid}/archive/refs/heads/master`;
    const { headers } = await get(path);
    assert.equal(
      headers.get("content-disposition"),
      'attachment; filename="hello-world-refs-heads-master.tar.gz"',
    );
    assert.equal(headers.get("cache-control"), "no-cache");
    const etag = headers.get("etag")!;
    assert.equal((await get(path, STRANGER, { headers: { "if-none-match": etag } })).status, 304);
  });

  it("have no folder around them on request", async () => {
    const { get, world: { helloRid } } = createTestApi();
    const { bytes } = await get(`/raw/${helloRid}/archive/master.zip?prefix=false`);
    assert.deepEqual(Object.keys(unzipSync(bytes)), ["README", "dir1/", "dir1/README"]);
    assert.equal((await get(`/raw/${helloRid}/archive/master?prefix=x`)).status, 400);
  });

  it("are not there for unknown objects, other endings and drafts", async () => {
    const { get, world: { hello, helloRid, commits: [first] } } = createTestApi();
    const blob = putBlob(hello, "x");
    hello.setRef("refs/drafts/x", first);
    for (
      const path of [
        `${"f".repeat(40)}.tar`,
        `${blob}.tar`,
        `${first}.x`,
        first,
        "archive/drafts/x",
        "archive/refs/drafts/x.zip",
      ]
    ) assert.equal((await get(`/raw/${helloRid}/${path}`)).status, 404, path);
    assert.equal((await get(`/raw/${helloRid}/x.tar`)).status, 404);
    assert.equal((await get(`/raw/${helloRid}/${"f".repeat(41)}.tar`)).status, 400);
  });

  it("of private repositories are only for the owner, and no cache may store them", async () => {
    const { get, world: { secretRid } } = createTestApi();
    const path = `/raw/${secretRid}/archive/HEAD`;
    assert.equal((await get(path)).status, 404);
    const shown = await get(path, OWNER);
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get("cache-control"), "private, no-store");
  });

  it("answer HEAD without being made", async () => {
    const { get, world: { hello, helloRid } } = createTestApi();
    const missing = "1".repeat(40) as Oid;
    const tree = hello.put("tree", rawTree([["100644", "gone", missing]]));
    const { status, headers } = await get(`/raw/${helloRid}/${tree}.zip`, STRANGER, { method: "HEAD" });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/zip");
    assert.equal((await get(`/raw/${helloRid}/${tree}.zip`)).status, 404);
  });

  it("keep long and odd names, links, executables and submodules", async () => {
    const { get, world: { hello, helloRid, commits: [first] } } = createTestApi();
    const long = `${"folder/".repeat(30)}${"n".repeat(200)}`;
    const nested = long.split("/").reduceRight<Record<string, unknown>>(
      (inner, name) => ({ [name]: Object.keys(inner).length === 0 ? "deep" : inner }),
      {},
    );
    const folder = { "ü* {\u200b": "odd", link: { link: "../x" }, sub: { submodule: first }, ...nested };
    const tree = putTree(hello, folder as Parameters<typeof putTree>[1]);
    const files = await unpackTar((await get(`/raw/${helloRid}/${tree}.tar?prefix=false`)).bytes);
    const found = new Map(files.map(({ header, data }) => [header.name, { ...header, data }]));
    assert.equal(text(found.get(long)?.data), "deep");
    assert.equal(text(found.get("ü* {\u200b")?.data), "odd");
    assert.equal(found.get("link")?.linkname, "../x");
    assert.equal(found.get("sub/")?.type, "directory");
    const zip = unzipSync((await get(`/raw/${helloRid}/${tree}.zip?prefix=false`)).bytes);
    assert.equal(text(zip[long]), "deep");
    assert.equal(text(zip["link"]), "../x");
  });
});

describe("archives of many small files", () => {
  const forms = {
    tar: async (bytes: Uint8Array<ArrayBuffer>) => (await unpackTar(bytes, { strict: true })).length,
    zip: (bytes: Uint8Array) => Object.keys(unzipSync(bytes)).length,
  };
  const files = 5000;
  for (const [form, count] of Object.entries(forms)) {
    it(`leave in pieces that are neither tiny nor large: ${form}`, async () => {
      const { api, world: { hello, helloRid } } = createApi({ api: "both" });
      const names = Array.from({ length: files }, (_, i) => `${"n".repeat(150)}${i}`);
      const tree = putTree(hello, Object.fromEntries(names.map((name, i) => [name, `${i}`])));
      const answer = await api.fetch(
        new Request(`http://localhost/raw/${helloRid}/${tree}.${form}?prefix=false`),
        STRANGER,
      );
      const pieces = await Array.fromAsync(answer.body!);
      assert.equal(await count(joinBytes(pieces)), files);
      const sizes = pieces.map(({ length }) => length);
      assert.ok(Math.max(...sizes) <= 2 ** 17, String(Math.max(...sizes)));
      assert.ok(pieces.length < files / 20, String(pieces.length));
    });
  }
});

describe("a zip archive", () => {
  it("has the checksum, the sizes and the mode of a file in both of its records", async () => {
    const { get, world: { hello, helloRid } } = createTestApi();
    const tree = hello.put("tree", rawTree([["100755", "é", putBlob(hello, "123456789")]]));
    const { bytes: zip } = await get(`/raw/${helloRid}/${tree}.zip?prefix=false`);
    const view = new DataView(zip.buffer);
    const end = zip.length - 22;
    assert.equal(view.getUint32(end, true), 0x06054b50);
    const central = view.getUint32(end + 16, true);
    assert.equal(view.getUint32(central, true), 0x02014b50);
    // The check value of CRC-32.
    assert.equal(view.getUint32(14, true), 0xcbf43926);
    assert.deepEqual(zip.subarray(4, 4 + 26), zip.subarray(central + 6, central + 6 + 26));
    assert.deepEqual([view.getUint32(18, true), view.getUint32(22, true)], [9, 9]);
    assert.equal(view.getUint32(central + 38, true) >>> 16, 0o100755);
    assert.equal(text(unzipSync(zip)["é"]), "123456789");
  });

  it("packs what becomes smaller, in this thread or by the runtime's stream", async () => {
    const { get, world: { hello, helloRid } } = createTestApi();
    const contents = { none: "", small: "abc".repeat(4000), large: "abc".repeat(40_000), odd: "x" };
    const { bytes: zip } = await get(`/raw/${helloRid}/${putTree(hello, contents)}.zip?prefix=false`);
    assert.ok(zip.length < 2000, String(zip.length));
    const unpacked = Object.entries(unzipSync(zip)).map(([path, bytes]) => [path, text(bytes)]);
    assert.deepEqual(Object.fromEntries(unpacked), contents);
  });
});

describe("trees that would do harm", () => {
  /** Statuses and texts of a tree's archives in all forms. */
  async function archivesOf(content: (blob: Oid) => Uint8Array) {
    const { api, log, world: { hello, helloRid } } = createApi({ api: "both" });
    const tree = hello.put("tree", content(putBlob(hello, "/etc")));
    const answers = await Promise.all(["tar", "tar.gz", "zip"].map(async (form) => {
      const answer = await api.fetch(new Request(`http://localhost/raw/${helloRid}/${tree}.${form}`));
      return answer.status === 200 ? 200 : `${answer.status} ${(await answer.json()).error}`;
    }));
    assert.equal(new Set(answers).size, 1);
    return { answer: answers[0], log };
  }

  const DAMAGED = "404 Repository data is damaged: a tree has the name";
  const HARMFUL = "404 An archive cannot have the name";
  const names: Record<string, string> = {
    "../x": `${DAMAGED} "../x"`,
    "..": `${DAMAGED} ".."`,
    ".": `${DAMAGED} "."`,
    ".GIT": `${DAMAGED} ".GIT"`,
    "git~1": `${DAMAGED} "git~1"`,
    ".git ": `${DAMAGED} ".git "`,
    ".git::$INDEX_ALLOCATION": `${DAMAGED} ".git::$INDEX_ALLOCATION"`,
    ".g\u200cit": `${DAMAGED} ".g\\u{200c}it"`,
    "..\\..\\x": `${HARMFUL} "..\\\\..\\\\x": it may lead elsewhere`,
    "a\\..\\..\\x": `${HARMFUL} "a\\\\..\\\\..\\\\x": it may lead elsewhere`,
    "\\x": `${HARMFUL} "\\\\x": it may lead elsewhere`,
    "\\\x1b": `${HARMFUL} "\\\\\\u{1b}": it may lead elsewhere`,
    "a\\..": `${HARMFUL} "a\\\\..": it may lead elsewhere`,
    "C:x": `${HARMFUL} "C:x": it may lead elsewhere`,
  };
  for (const [name, expected] of Object.entries(names)) {
    it(`are refused before the first byte: a file ${JSON.stringify(name)}`, async () => {
      const { answer, log } = await archivesOf((blob) => rawTree([["100644", name, blob]]));
      assert.equal(answer, expected);
      // Whoever asks for it fills no log.
      assert.deepEqual(log, []);
    });
  }

  it("are refused before the first byte: a link and a folder of one name", async () => {
    const { answer } = await archivesOf((blob) => rawTree([["120000", "a", blob], ["40000", "a", blob]]));
    assert.equal(answer, "404 Repository data is damaged");
  });

  it("show no more than the start of a long name", async () => {
    const { answer } = await archivesOf((blob) => rawTree([["100644", `C:${"\n".repeat(4000)}`, blob]]));
    assert.match(String(answer), /may lead elsewhere/);
    assert.ok(String(answer).length < 1500);
  });

  it("are refused for a name longer than a path, before it is decoded", async () => {
    const { answer } = await archivesOf((blob) => rawTree([["100644", "\n".repeat(5000), blob]]));
    assert.equal(answer, "413 The archive has a path longer than 4096 bytes");
  });

  it("may have names that cannot harm", async () => {
    const harmless = [
      "CON",
      "NUL",
      "aux.txt",
      "git~2",
      ".gitignore",
      "...x",
      "ab:c",
      "...",
      ".. ",
      "a\\b",
      "a\n\x1b[31m\x85",
      "x ",
      "é",
      "README",
      "readme",
    ];
    const { answer } = await archivesOf((blob) => rawTree(harmless.map((name) => ["100644", name, blob])));
    assert.equal(answer, 200);
  });

  it("are refused for a link longer than a path, from its size alone", async () => {
    const { api, world: { hello, helloRid } } = createApi({ api: "both" });
    const statusOf = async (bytes: number) => {
      const link = putBlob(hello, "x".repeat(bytes));
      const tree = hello.put("tree", rawTree([["120000", "link", link]]));
      const { object } = hello;
      hello.object = (oid) => {
        assert.ok(bytes <= 4096 || oid !== link);
        return object.call(hello, oid);
      };
      return await Promise.all(["tar", "tar.gz", "zip"].map(async (form) => {
        const answer = await api.fetch(new Request(`http://localhost/raw/${helloRid}/${tree}.${form}`));
        const body = await answer.text();
        return answer.status === 200 ? 200 : `${answer.status} ${JSON.parse(body).error}`;
      }));
    };
    assert.deepEqual(await statusOf(4096), [200, 200, 200]);
    assert.deepEqual(
      await statusOf(4097),
      Array(3).fill("413 The archive has a symbolic link larger than 4096 bytes"),
    );
  });

  it("of ever more equal folders are counted at once, and refused", async () => {
    const { get, world: { hello, helloRid } } = createTestApi();
    let tree = putTree(hello, { file: "x" });
    for (let level = 0; level < 17; level++) {
      tree = hello.put(
        "tree",
        rawTree(Array.from({ length: 10 }, (_, i) => ["40000", `f${i}`, tree] as const)),
      );
    }
    const { status, bytes } = await get(`/raw/${helloRid}/${tree}.tar`);
    assert.equal(status, 413);
    assert.match(text(bytes), new RegExp(`more than ${MAX_ARCHIVE_ENTRIES} entries`));
  });

  it("of very deep folders are refused", async () => {
    const { get, world: { hello, helloRid } } = createTestApi();
    let tree = putTree(hello, { file: "x" });
    for (let level = 0; level < 2100; level++) tree = hello.put("tree", rawTree([["40000", "d", tree]]));
    assert.equal((await get(`/raw/${helloRid}/${tree}.tar`)).status, 413);
  });
});

describe("a link next to names that some file system treats as the same", () => {
  const link = { link: "/etc" };
  const refused: Record<string, Folder> = {
    "a folder": { A: link, a: { x: "1" } },
    "a folder, the other way": { A: { x: "1" }, a: link },
    "a file": { A: link, a: "1" },
    "a submodule": { A: link, a: { submodule: "1".repeat(40) as Oid } },
    "another form of an accent": { "\u00e9": link, "e\u0301": { x: "1" } },
    "a character that HFS+ ignores": { a: link, "a\u200c": { x: "1" } },
    "dots and spaces at the end": { a: link, "a. .": { x: "1" } },
    "a stream of a file": { ab: link, "ab:c": "1" },
    "letters of one capital": { "\u00df": link, "SS": { x: "1" } },
    "the sign for Kelvin": { "\u212a": link, "k": { x: "1" } },
    "below a folder": { f: { g: { A: link, a: { x: "1" } } } },
    "below folders that become one": { f: { X: link }, F: { x: { y: "1" } } },
    "below folders that become one, twice": { f: { g: { X: link } }, F: { G: { x: { y: "1" } } } },
    "below three folders that become one": { FF: { a: "1" }, Ff: { x: { y: "1" } }, ff: { X: link } },
  };
  for (const [name, folder] of Object.entries(refused)) {
    it(`is refused: ${name}`, async () => {
      const { get, world: { hello, helloRid } } = createTestApi();
      const tree = putTree(hello, folder);
      for (const form of ["tar", "tar.gz", "zip"]) {
        const { status, bytes } = await get(`/raw/${helloRid}/${tree}.${form}`);
        assert.equal(status, 404);
        assert.match(JSON.parse(text(bytes)).error, /^An archive cannot have the link "/);
      }
    });
  }

  const taken: Record<string, Folder> = {
    "files that differ in case": { README: "1", readme: "2", link },
    "folders that differ in case": { Docs: { a: "1", link }, docs: { b: link } },
    "links that differ in case": { A: link, a: link },
    "names of another folder": { f: { A: link }, g: { a: { x: "1" } } },
    "the start of a name": { A: link, ab: { x: "1" } },
    "a shared folder": { f: { X: link, y: { z: "1" } }, F: { X: link, y: { z: "1" } } },
  };
  for (const [name, folder] of Object.entries(taken)) {
    it(`is taken: ${name}`, async () => {
      const { hello } = createWorld();
      assert.ok((await measureArchive(hello, putTree(hello, folder), new Task())).links > 0);
    });
  }

  it("is found in time linear in the entries", async () => {
    const { hello } = createWorld();
    // Folders of one name for macOS, with such folders in each, which differ in their last file.
    let trees = Array.from({ length: 2 }, (_, i) => putTree(hello, { link, [`f${i}`]: "1" }));
    for (let level = 0; level < 40; level++) {
      const [one, two] = trees as [Oid, Oid];
      trees = [0, 1].map((i) =>
        hello.put(
          "tree",
          rawTree([["40000", "A", one], ["40000", "a", two], ["100644", `f${i}`, putBlob(hello, "x")]]),
        )
      );
    }
    const error = { name: "TooLargeError" };
    await assert.rejects(measureArchive(hello, trees[0]!, new Task()), error);
    let read = 0;
    const { object } = hello;
    hello.object = (oid) => {
      read++;
      return object.call(hello, oid);
    };
    // 17 levels have 2 ** 17 folders with links, among some 20 pairs of trees.
    trees = Array.from({ length: 2 }, (_, i) => putTree(hello, { link, [`f${i}`]: "1" }));
    for (let level = 0; level < 16; level++) {
      const [one, two] = trees as [Oid, Oid];
      trees = [hello.put("tree", rawTree([["40000", "A", one], ["40000", "a", two]])), one];
    }
    await measureArchive(hello, trees[0]!, new Task());
    assert.ok(read < 200, String(read));
  });
});

describe("an archive", () => {
  it("is read as far as it is taken", async () => {
    const { hello } = createWorld();
    const read: Oid[] = [];
    const watched = new Proxy(hello, {
      get(target, name) {
        if (name !== "object") return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
        return (oid: Oid) => {
          read.push(oid);
          return target.object(oid);
        };
      },
    });
    const tree = putTree(hello, { a: "1", b: "2", c: "3" });
    const entries = archiveEntries(watched, tree, "", new Task());
    assert.equal(text((await entries.next()).value?.path), "a");
    assert.equal(read.length, 2);
    await entries.return();
  });

  it("counts equal folders as often as they are there", async () => {
    const { hello } = createWorld();
    const folder = { one: "12", two: "345" };
    const tree = putTree(hello, { a: folder, b: folder, c: "6" });
    assert.deepEqual(await measureArchive(hello, tree, new Task()), {
      entries: 7,
      bytes: 11,
      largest: 3,
      pathBytes: "a/a/one/a/two/b/b/one/b/two/c/".length,
      longestPath: "a/one/".length,
      links: 0,
    });
  });

  it("is refused as zip when zip cannot hold it", () => {
    const one = { largest: 1, longestPath: 1, links: 0 };
    const size = { entries: MAX_ZIP_ENTRIES - 1, bytes: MAX_ZIP_BYTES, pathBytes: 2 ** 24, ...one };
    assert.equal(checkZipSize(size, "é/"), 2 ** 24 + MAX_ZIP_ENTRIES * (46 + 9 + 3));
    const error = { name: "TooLargeError" };
    assert.throws(() => checkZipSize({ ...size, entries: MAX_ZIP_ENTRIES }, ""), error);
    assert.throws(() => checkZipSize({ ...size, bytes: MAX_ZIP_BYTES + 1 }, ""), error);
    assert.throws(() => checkZipSize({ ...size, pathBytes: MAX_ZIP_DIRECTORY_BYTES }, ""), error);
    assert.throws(() => checkZipSize(size, "x".repeat(1000)), error);
  });
});

describe("an archive that breaks off", () => {
  const urlOf = (rid: string, tree: Oid, form: string) => `http://localhost/raw/${rid}/${tree}.${form}`;

  for (const form of ["tar", "tar.gz", "zip"]) {
    it(`is not logged when its client has left: ${form}`, async () => {
      const { api, log, world: { hello, helloRid } } = createApi({ api: "both" });
      const tree = putTree(hello, { a: { b: "1".repeat(100_000) }, c: "2".repeat(100_000) });
      for (let pieces = 0; pieces < 4; pieces++) {
        const { body } = await api.fetch(new Request(urlOf(helloRid, tree, form)));
        const reader = body!.getReader();
        for (let i = 0; i < pieces; i++) await reader.read();
        // The next piece is being made.
        const next = reader.read();
        await reader.cancel();
        await next;
      }
      assert.deepEqual(log, []);
    });
  }

  it("is logged in a line without a stack", async () => {
    const lines: unknown[][] = [];
    const environment = { log: (...line: unknown[]) => void lines.push(line) };
    const { api, world: { hello, helloRid } } = createApi({ api: "both", environment });
    const tree = putTree(hello, { a: "1" });
    const { body } = await api.fetch(new Request(urlOf(helloRid, tree, "tar")));
    hello.object = () => {
      throw new Error("The disk is gone");
    };
    await assert.rejects(new Response(body).arrayBuffer(), { message: "An archive was cut off" });
    assert.deepEqual(lines.map(([level, message, cause]) => [level, message, String(cause)]), [
      ["warn", "An archive was cut off", "Error: The disk is gone"],
    ]);
  });
});

describe("a service of version 1 alone", () => {
  it("has no archives", async () => {
    const { api, world: { helloRid, commits: [first] } } = createApi({ api: "v1" });
    const response = await api.fetch(new Request(`http://localhost/raw/${helloRid}/${first}.tar`));
    assert.equal(response.status, 404);
  });
});

/** Archives of repositories in memory: names, limits, and trees that would do harm. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync, unzipSync } from "fflate";
import { unpackTar } from "modern-tar";
import { archiveEntries, MAX_ARCHIVE_ENTRIES, measureArchive } from "../../src/archive/entries.ts";
import { checkZipSize, MAX_ZIP_BYTES, MAX_ZIP_ENTRIES } from "../../src/archive/zip.ts";
import { type Oid, oidToBytes } from "../../src/ids/oid.ts";
import { joinBytes } from "../../src/bytes/join.ts";
import type { Client } from "../../mod.ts";
import { createTestApi as createApi, OWNER, STRANGER } from "../support/api.ts";
import { ALICE, createWorld, putBlob, putCommit, putTree } from "../support/world.ts";
import { askChecked } from "../support/contract.ts";

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

  it("have no folder around them when nobody wants it", async () => {
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

  it("of private repositories are the owner's, and nobody may store them", async () => {
    const { get, world: { secretRid } } = createTestApi();
    const path = `/raw/${secretRid}/archive/HEAD`;
    assert.equal((await get(path)).status, 404);
    const shown = await get(path, OWNER);
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get("cache-control"), "private, no-store");
  });

  it("are told of without being made", async () => {
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
    const folder = { "ü\\ \n": "odd", link: { link: "../x" }, sub: { submodule: first }, ...nested };
    const tree = putTree(hello, folder as Parameters<typeof putTree>[1]);
    const files = await unpackTar((await get(`/raw/${helloRid}/${tree}.tar?prefix=false`)).bytes);
    const found = new Map(files.map(({ header, data }) => [header.name, { ...header, data }]));
    assert.equal(text(found.get(long)?.data), "deep");
    assert.equal(text(found.get("ü\\ \n")?.data), "odd");
    assert.equal(found.get("link")?.linkname, "../x");
    assert.equal(found.get("sub/")?.type, "directory");
    const zip = unzipSync((await get(`/raw/${helloRid}/${tree}.zip?prefix=false`)).bytes);
    assert.equal(text(zip[long]), "deep");
    assert.equal(text(zip["link"]), "../x");
  });
});

describe("trees that would do harm", () => {
  const refusals: Record<string, (blob: Oid) => Uint8Array> = {
    "a name that leads out": (blob) => rawTree([["100644", "../x", blob]]),
    "the parent folder": (blob) => rawTree([["100644", "..", blob]]),
    "a repository's own folder": (blob) => rawTree([["40000", ".GIT", blob]]),
    "a link and a folder of one name": (blob) => rawTree([["120000", "a", blob], ["40000", "a", blob]]),
  };
  for (const [name, treeOf] of Object.entries(refusals)) {
    it(`are refused before the first byte: ${name}`, async () => {
      const { get, world: { hello, helloRid } } = createTestApi();
      const blob = putBlob(hello, "/etc");
      const tree = hello.put("tree", treeOf(blob));
      const commit = putCommit(hello, { folder: {}, message: "x" });
      assert.ok(commit !== tree);
      for (const form of ["tar", "tar.gz", "zip"]) {
        const { status, bytes } = await get(`/raw/${helloRid}/${tree}.${form}`);
        assert.equal(status, 404);
        assert.match(text(bytes), /Repository data is damaged/);
      }
    });
  }

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
    const entries = archiveEntries(watched, tree, "");
    assert.equal((await entries.next()).value?.path, "a");
    assert.equal(read.length, 2);
    await entries.return();
  });

  it("counts equal folders as often as they are there", async () => {
    const { hello } = createWorld();
    const folder = { one: "12", two: "345" };
    const tree = putTree(hello, { a: folder, b: folder, c: "6" });
    assert.deepEqual(await measureArchive(hello, tree), {
      entries: 7,
      bytes: 11,
      largest: 3,
      longestPath: "a/one/".length,
    });
  });

  it("is refused as zip when zip cannot hold it", () => {
    const size = { entries: MAX_ZIP_ENTRIES - 1, bytes: MAX_ZIP_BYTES, largest: 1, longestPath: 1 };
    checkZipSize(size);
    assert.throws(() => checkZipSize({ ...size, entries: MAX_ZIP_ENTRIES }), { name: "TooLargeError" });
    assert.throws(() => checkZipSize({ ...size, bytes: MAX_ZIP_BYTES + 1 }), { name: "TooLargeError" });
  });
});

describe("an archive that breaks off", () => {
  const urlOf = (rid: string, tree: Oid, form: string) => `http://localhost/raw/${rid}/${tree}.${form}`;

  for (const form of ["tar", "tar.gz", "zip"]) {
    it(`is nothing to tell of when its client has left: ${form}`, async () => {
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

  it("is told of in a line without a stack", async () => {
    const lines: unknown[][] = [];
    const environment = { log: (...line: unknown[]) => void lines.push(line) };
    const { api, world: { hello, helloRid } } = createApi({ api: "both", environment });
    const tree = putTree(hello, { a: "1" });
    const { body } = await api.fetch(new Request(urlOf(helloRid, tree, "tar")));
    hello.object = () => {
      throw new Error("The disk is gone");
    };
    await assert.rejects(new Response(body).arrayBuffer(), { message: "Archive broke off" });
    assert.deepEqual(lines.map(([level, message, cause]) => [level, message, String(cause)]), [
      ["warn", "Archive broke off", "Error: The disk is gone"],
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

/** Folders, files, readmes, remotes, activity and raw files of a repository. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { joinBytes } from "../../src/bytes/bytes.ts";
import { oidToBytes } from "../../src/ids/oid.ts";
import { MAX_RAW_BYTES } from "../../src/routes/raw.ts";
import { createTestApi, STRANGER } from "../support/api.ts";
import { askChecked } from "../support/contract.ts";
import {
  ALICE,
  ALICE_SEED,
  BOB,
  BOB_SEED,
  createWorld,
  publish,
  putBlob,
  putCommit,
  putTree,
  START_SECONDS,
} from "../support/world.ts";

const PERSON = { name: "Alice Liddell", email: "alice@radicle.xyz" };
const WORLD = createWorld();
const [FIRST, SECOND, THIRD] = WORLD.commits;
const PROJECT = `/projects/${WORLD.helloRid}`;
const THIRD_VIEW = {
  id: THIRD,
  author: PERSON,
  summary: "Add another folder",
  description: "",
  parents: [SECOND],
  committer: { ...PERSON, time: START_SECONDS + 2000 },
};

describe("GET /tree", () => {
  it("shows the root, folders first (2.6)", async () => {
    const { body } = await createTestApi({}, WORLD).get(`${PROJECT}/tree/${THIRD}/`);
    assert.deepEqual(body, {
      entries: [{ path: "dir1", name: "dir1", kind: "tree" }, {
        path: "README",
        name: "README",
        kind: "blob",
      }],
      lastCommit: THIRD_VIEW,
      name: "",
      path: "",
      stats: { commits: 3, branches: 1, contributors: 1 },
    });
  });

  /** The API of a world with a commit of a folder, and the path of the folder. */
  function folderOf(entries: readonly (readonly [mode: string, name: string])[], path = "x/y") {
    const world = createWorld();
    const blob = oidToBytes(putBlob(world.hello, "x"));
    const encoder = new TextEncoder();
    const bytes = joinBytes(entries.flatMap(([mode, name]) => [encoder.encode(`${mode} ${name}\0`), blob]));
    let tree = world.hello.put("tree", bytes);
    for (const name of path.split("/").filter((name) => name !== "").reverse()) {
      tree = world.hello.put("tree", joinBytes([encoder.encode(`40000 ${name}\0`), oidToBytes(tree)]));
    }
    const lines = [`tree ${tree}`, "author A <a@b.c> 1 +0000", "committer A <a@b.c> 1 +0000", "", "x\n"];
    const commit = world.hello.put("commit", encoder.encode(lines.join("\n")));
    const { get, api } = createTestApi({}, world);
    const place = `${PROJECT}/tree/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`;
    return { get, api, place };
  }

  it("lists folders and submodules first, then files, each in the order of their names' bytes", async () => {
    const { get, place } = folderOf([
      ["40000", "a-b"],
      ["40000", "a"],
      ["100644", "😀"],
      ["120000", "ｚ"],
      ["160000", "a.c"],
      ["100755", "A"],
      ["100644", "b"],
    ]);
    const { body } = await get(place);
    assert.deepEqual(
      body.entries.map(({ path, name, kind }: Record<string, string>) => `${kind} ${path} ${name}`),
      [
        "tree x/y/a a",
        "tree x/y/a-b a-b",
        "submodule x/y/a.c a.c",
        "blob x/y/A A",
        "blob x/y/b b",
        "blob x/y/ｚ ｚ",
        "blob x/y/😀 😀",
      ],
    );
    assert.deepEqual([body.name, body.path], ["y", "x/y"]);
  });

  it("writes paths with characters that JSON escapes", async () => {
    for (
      const [path, expected] of [["", 'q"\\\u0001'], ["é", 'é/q"\\\u0001'], ['"', '"/q"\\\u0001']] as const
    ) {
      const { get, place } = folderOf([["100644", 'q"\\\u0001']], path);
      const [entry] = (await get(place)).body.entries;
      assert.deepEqual([entry.path, entry.name], [expected, 'q"\\\u0001']);
    }
  });

  it("is 404 for a damaged folder", async () => {
    const world = createWorld();
    const whole = world.hello.object(putTree(world.hello, { a: "x", b: "y" }))!;
    const tree = world.hello.put("tree", whole.bytes.slice(0, -1));
    const lines = [`tree ${tree}`, "author A <a@b.c> 1 +0000", "committer A <a@b.c> 1 +0000", "", "x\n"];
    const commit = world.hello.put("commit", new TextEncoder().encode(lines.join("\n")));
    const { status, body } = await createTestApi({}, world).get(`${PROJECT}/tree/${commit}/`);
    assert.deepEqual([status, body.error], [404, "Repository data is damaged"]);
  });

  it("shows an empty folder", async () => {
    const { get, place } = folderOf([]);
    assert.deepEqual((await get(place)).body.entries, []);
  });

  it("shows hundreds of thousands of names in no order, in small pieces", async () => {
    const names = Array.from({ length: 200_000 }, (_, i) => (Math.imul(i, 7919) >>> 0).toString(36));
    const { api, place } = folderOf(names.map((name) => ["100644", name]));
    const answer = await api.fetch(new Request(`http://localhost/api/v1${place}`), STRANGER);
    const pieces = await Array.fromAsync(answer.body!);
    const { entries } = JSON.parse(new TextDecoder().decode(joinBytes(pieces)));
    assert.deepEqual(entries.map(({ name }: { name: string }) => name), [...names].sort());
    assert.ok(pieces.every((piece) => piece.length < 2 ** 17));
  });

  it("shows object ids when they are asked for, and the commits of submodules", async () => {
    const world = createWorld();
    const folder = { dir: { file: "x" }, file: "y", link: { link: "file" }, sub: { submodule: FIRST } };
    const commit = putCommit(world.hello, { folder, message: "All kinds\n" });
    const { get } = createTestApi({ api: "both" }, world);
    const entriesOf = async (path: string) => (await get(path)).body.entries;
    const today = await entriesOf(`/repos/${world.helloRid}/tree/${commit}/`);
    const tree = `${PROJECT}/tree/${commit}/`;
    const ids = await entriesOf(`${tree}?oids=true`);
    assert.deepEqual(ids, today);
    const oidOf = (name: string) => ids.find((entry: { name: string }) => entry.name === name).oid;
    assert.deepEqual(["file", "sub"].map(oidOf), [putBlob(world.hello, "y"), FIRST]);
    const plain = today.map(({ oid: _, ...entry }: { oid: string }) => entry);
    for (const query of ["", "?oids=false"]) assert.deepEqual(await entriesOf(tree + query), plain);
    assert.deepEqual((await entriesOf(`${tree}dir?oids=true`))[0].oid, putBlob(world.hello, "x"));
    for (const query of ["?oids=", "?oids=1", "?oids=true&oids=true"]) {
      assert.equal((await get(tree + query)).status, 400, query);
    }
  });

  it("shows a folder, with and without a slash at its end", async () => {
    const { get } = createTestApi({}, WORLD);
    const { body } = await get(`${PROJECT}/tree/${THIRD}/dir1`);
    assert.deepEqual([body.name, body.path, body.entries], ["dir1", "dir1", [{
      path: "dir1/README",
      name: "README",
      kind: "blob",
    }]]);
    const slashed = (await get(`${PROJECT}/tree/${THIRD}/dir1/`)).body;
    assert.deepEqual([slashed.name, slashed.path, slashed.entries], ["", "dir1/", body.entries]);
  });

  it("takes names literally, whatever their characters", async () => {
    const world = createWorld();
    const names = ["[slug]", "a*b", "back\\slash", "end ", "line\nfeed", "ünï", "100%", "?", "#", "..."];
    const commit = putCommit(world.hello, {
      folder: {
        odd: Object.fromEntries(names.map((name) => [name, { [name]: name }])),
        "a*b": "1",
        axb: "2",
      },
      message: "Odd names\n",
    });
    const later = putCommit(world.hello, {
      folder: {
        odd: Object.fromEntries(names.map((name) => [name, { [name]: name }])),
        "a*b": "1",
        axb: "3",
      },
      parents: [commit],
      message: "Touch axb\n",
      timeSeconds: START_SECONDS + 1,
    });
    const { get } = createTestApi({}, world);
    const { body } = await get(`${PROJECT}/tree/${later}/odd`);
    assert.deepEqual(body.entries.map((entry: { name: string }) => entry.name).sort(), names.sort());
    for (const name of names) {
      const path = `odd/${name}/${name}`.split("/").map(encodeURIComponent).join("/");
      assert.equal((await get(`${PROJECT}/blob/${later}/${path}`)).body.content, name);
      assert.equal((await get(`//raw/${world.helloRid}/${later}/${path}`)).body, name);
    }
    assert.equal((await get(`${PROJECT}/blob/${later}/a*b`)).body.lastCommit.id, commit);
  });

  it("lists submodules and links without following them", async () => {
    const world = createWorld();
    const commit = putCommit(world.hello, {
      folder: { z: {}, lib: { submodule: FIRST }, link: { link: "../../etc/passwd" }, file: "x" },
      message: "Kinds\n",
    });
    const { get } = createTestApi({}, world);
    const { body } = await get(`${PROJECT}/tree/${commit}/`);
    assert.deepEqual(
      body.entries.map((entry: { name: string; kind: string }) => `${entry.kind} ${entry.name}`),
      [
        "submodule lib",
        "tree z",
        "blob file",
        "blob link",
      ],
    );
    assert.equal((await get(`${PROJECT}/blob/${commit}/link`)).body.content, "../../etc/passwd");
    for (const path of ["tree/:sha/lib", "blob/:sha/lib", "tree/:sha/link/x", "blob/:sha/lib/x"]) {
      assert.equal((await get(`${PROJECT}/${path.replace(":sha", commit)}`)).status, 404);
    }
  });

  for (
    const path of [
      "README",
      "nothing",
      "dir1/nothing",
      "/",
      "//",
      "dir1//",
      "/dir1",
      "%00",
      "dir1%2F%2F",
      "README/",
      "dir1/README/x",
    ]
  ) {
    it(`answers 404 for ${path}`, async () => {
      assert.equal((await createTestApi({}, WORLD).get(`${PROJECT}/tree/${THIRD}/${path}`)).status, 404);
    });
  }
});

describe("GET /blob", () => {
  it("shows a file with the last commit that touched it (2.7)", async () => {
    const { get } = createTestApi({}, WORLD);
    const { body } = await get(`${PROJECT}/blob/${THIRD}/dir1/README`);
    assert.deepEqual(body, {
      binary: false,
      name: "README",
      content: "Hello World from dir1!\n",
      path: "dir1/README",
      lastCommit: THIRD_VIEW,
    });
  });

  it("takes an encoded slash for a slash", async () => {
    assert.equal(
      (await createTestApi({}, WORLD).get(`${PROJECT}/blob/${THIRD}/dir1%2FREADME`)).body.path,
      "dir1/README",
    );
  });

  it("shows bytes that are no text as base64, and says by another rule whether they are binary", async () => {
    const world = createWorld();
    const commit = putCommit(world.hello, {
      folder: {
        latin1: Uint8Array.of(0xe9, 0x0a),
        nul: "a\0b",
        control: "\x01",
        empty: "",
        utf16: Uint8Array.of(0xff, 0xfe, 0x61, 0),
      },
      message: "Bytes\n",
    });
    const { get } = createTestApi({}, world);
    const show = async (name: string) => {
      const { body } = await get(`${PROJECT}/blob/${commit}/${name}`);
      return [body.binary, body.content];
    };
    assert.deepEqual(await show("latin1"), [false, "6Qo="]);
    assert.deepEqual(await show("nul"), [true, "a\0b"]);
    assert.deepEqual(await show("control"), [true, "\x01"]);
    assert.deepEqual(await show("empty"), [false, ""]);
    assert.deepEqual(await show("utf16"), [true, "//5hAA=="]);
  });

  for (
    const path of [
      "dir1",
      "dir1/",
      "nothing",
      "/README",
      "README/",
      "%00",
      "x".repeat(100_000),
      "a/".repeat(10_000) + "b",
    ]
  ) {
    it(`answers 404 for ${path.slice(0, 20)}`, async () => {
      assert.equal((await createTestApi({}, WORLD).get(`${PROJECT}/blob/${THIRD}/${path}`)).status, 404);
    });
  }

  it("resolves dot segments by the URL standard, never out of the repository", async () => {
    const { get } = createTestApi({}, WORLD);
    assert.equal((await get(`${PROJECT}/blob/${THIRD}/dir1/../README`)).body.path, "README");
    assert.equal((await get(`${PROJECT}/blob/${THIRD}/dir1/%2e%2e/README`)).body.path, "README");
    assert.equal((await get(`${PROJECT}/blob/${THIRD}/..%2f..%2fconfig`)).status, 404);
    assert.equal((await get(`//raw/${WORLD.helloRid}/${THIRD}/..%2f..%2f..%2fkeys%2fradicle`)).status, 404);
  });

  it("answers 404 for an unknown commit and 400 for what is no object id and no name", async () => {
    const { get } = createTestApi({}, WORLD);
    for (const sha of ["0".repeat(40), "abc", putBlob(WORLD.hello, "Hello World!\n")]) {
      for (
        const route of [
          `blob/${sha}/README`,
          `tree/${sha}/`,
          `readme/${sha}`,
          `commits/${sha}`,
          `commits?parent=${sha}`,
          `diff/${sha}/${THIRD}`,
          `diff/${THIRD}/${sha}`,
        ]
      ) {
        assert.equal((await get(`${PROJECT}/${route}`)).status, 404, route);
      }
    }
    for (const sha of ["HEAD~", "master^{}", "g.lock", THIRD + "0", "%20", "%ff"]) {
      for (
        const route of [
          `blob/${sha}/README`,
          `tree/${sha}/`,
          `readme/${sha}`,
          `commits/${sha}`,
          `commits?parent=${sha}`,
        ]
      ) {
        const { status, body } = await get(`${PROJECT}/${route}`);
        assert.deepEqual([status, body.code, body.success], [400, 400, false], route);
      }
    }
  });
});

describe("GET /readme", () => {
  it("takes the first name there is, in the specified order (4.2.8)", async () => {
    const world = createWorld();
    const { get } = createTestApi({}, world);
    const readme = async (folder: Parameters<typeof putCommit>[1]["folder"]) => {
      const { status, body } = await get(
        `${PROJECT}/readme/${putCommit(world.hello, { folder, message: "Readme\n" })}`,
      );
      return status === 200 ? body.path : status;
    };
    assert.equal(await readme({ "readme.md": "", "README.txt": "", "README.md": "" }), "README.md");
    assert.equal(await readme({ "readme.md": "", "Readme.md": "" }), "Readme.md");
    assert.equal(await readme({ README: { x: "" }, "readme.rst": "" }), "readme.rst");
    assert.equal(await readme({ "ReadMe.md": "" }), 404);
  });
});

describe("GET /activity", () => {
  it("keeps 52 weeks and may be cached for an hour (4.2.5)", async () => {
    const windowMs = 31_449_600_000;
    const ask = (nowMs: number) =>
      createTestApi({ environment: { now: () => nowMs } }, WORLD).get(`${PROJECT}/activity`);
    const { body, headers } = await ask((START_SECONDS + 1000) * 1000 + windowMs - 1);
    assert.deepEqual(body, { activity: [START_SECONDS + 2000, START_SECONDS + 1000] });
    assert.equal(headers.get("cache-control"), "public, max-age=3600, must-revalidate");
    assert.deepEqual((await ask((START_SECONDS + 1000) * 1000 + windowMs)).body, {
      activity: [START_SECONDS + 2000],
    });
  });

  it("loses commits as time goes by", async () => {
    let nowMs = (START_SECONDS + 1000) * 1000 + 31_449_600_000 - 1;
    const api = createTestApi({ environment: { now: () => nowMs } }, WORLD);
    const counts: number[] = [];
    for (; counts.length < 4; nowMs += 1) {
      counts.push((await api.get(`${PROJECT}/activity`)).body.activity.length);
    }
    assert.deepEqual(counts, [2, 1, 1, 1]);
  });
});

describe("GET /remotes", () => {
  it("shows what each node signed, in order of the node ids (4.2.7)", async () => {
    const world = createWorld();
    publish(world.hello, BOB_SEED, { master: FIRST, "feature/x": SECOND });
    const { get } = createTestApi({}, world);
    const alice = { id: ALICE, heads: { master: THIRD }, delegate: true };
    const bob = { id: BOB, heads: { "feature/x": SECOND, master: FIRST }, delegate: false };
    assert.deepEqual(
      (await get(`${PROJECT}/remotes`)).body,
      [alice, bob].sort((a, b) => a.id < b.id ? -1 : 1),
    );
    assert.deepEqual((await get(`${PROJECT}/remotes/${BOB}`)).body, bob);
  });

  it("believes signatures, not references", async () => {
    const world = createWorld();
    world.hello.setRef(`refs/namespaces/${ALICE}/refs/heads/master`, FIRST);
    const forged = putCommit(world.hello, {
      folder: { refs: `${FIRST} refs/heads/master\n`, signature: new Uint8Array(64) },
      message: "Forged\n",
    });
    world.hello.setRef(`refs/namespaces/${BOB}/refs/rad/sigrefs`, forged);
    const { get } = createTestApi({}, world);
    assert.deepEqual((await get(`${PROJECT}/remotes`)).body, [{
      id: ALICE,
      heads: { master: THIRD },
      delegate: true,
    }]);
    assert.equal((await get(`${PROJECT}/remotes/${BOB}`)).status, 404);
  });

  it("answers 404 for a node without signed references and 400 for what is no node", async () => {
    const { get } = createTestApi({}, WORLD);
    assert.equal((await get(`${PROJECT}/remotes/${BOB}`)).status, 404);
    assert.equal((await get(`${PROJECT}/remotes/bob`)).status, 400);
  });

  it("sees a push without delay", async () => {
    const world = createWorld();
    const { get } = createTestApi({}, world);
    await get(`${PROJECT}/remotes`);
    publish(world.hello, ALICE_SEED, { master: SECOND });
    assert.deepEqual((await get(`${PROJECT}/remotes/${ALICE}`)).body.heads, { master: SECOND });
  });
});

describe("GET /raw", () => {
  it("serves bytes that nothing may run", async () => {
    const world = createWorld();
    const commit = putCommit(world.hello, {
      folder: { "page.html": "<script>alert(1)</script>" },
      message: "Page\n",
    });
    const { headers, body } = await createTestApi({}, world).get(
      `//raw/${world.helloRid}/${commit}/page.html`,
    );
    assert.equal(body, "<script>alert(1)</script>");
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /^sandbox/);
    assert.equal(headers.get("access-control-allow-origin"), "*");
  });

  it("serves the head and single blobs, of the type asked for", async () => {
    const { get } = createTestApi({}, WORLD);
    const blob = putBlob(WORLD.hello, "Hello World!\n");
    assert.equal((await get(`//raw/${WORLD.helloRid}/head/dir1/README`)).body, "Hello World from dir1!\n");
    const types: Record<string, string> = {
      "": "application/octet-stream",
      "?mime=": "application/octet-stream",
      "?mime=a%20b": "application/octet-stream",
      "?mime=text/html%0d%0ax:y": "application/octet-stream",
      "?mime=image/png": "image/png",
      "?mime=text/plain;%20charset=utf-8;": "text/plain; charset=utf-8;",
      "?mime=image/png;x=%22a,%20b%22": 'image/png;x="a, b"',
      // A browser takes the last type of a list.
      "?mime=image/png,multipart/x-mixed-replace;boundary=x": "application/octet-stream",
      "?mime=image/png;x=y,multipart/x-mixed-replace;boundary=x": "application/octet-stream",
    };
    for (const [query, type] of Object.entries(types)) {
      const { body, headers } = await get(`//raw/${WORLD.helloRid}/blobs/${blob}${query}`);
      assert.deepEqual([body, headers.get("content-type")], ["Hello World!\n", type], query);
    }
  });

  it("refuses types of bodies that bring header fields of their own", async () => {
    const types = [
      ...["multipart/x-mixed-replace;boundary=x", "multipart/related", "Multipart/Mixed", "multipart/"],
      ...["message/rfc822", "MESSAGE/http", "application/http", "application/HTTP;version=1.1"],
      ...["application/signed-exchange;v=b3", "application/webbundle"],
      ...["application/x-mimearchive", "application/x-webarchive"],
    ];
    const blob = putBlob(WORLD.hello, "Hello World!\n");
    for (const api of ["v1", "both", "today"] as const) {
      const { get } = createTestApi({ api }, WORLD);
      for (const type of types) {
        const path = `//raw/${WORLD.helloRid}/blobs/${blob}?mime=${encodeURIComponent(type)}`;
        const { status, headers } = await get(path);
        assert.deepEqual([status, headers.get("content-type")], [400, "application/json"], `${api} ${type}`);
      }
      for (const type of ["application/http-problem", "application/multipart", "image/message"]) {
        const { headers } = await get(`//raw/${WORLD.helloRid}/blobs/${blob}?mime=${type}`);
        assert.equal(headers.get("content-type"), type);
      }
    }
  });

  it("serves parts of files, by commit, at the head and by id, again and again", async () => {
    const { api } = createTestApi({}, WORLD);
    const blob = putBlob(WORLD.hello, "Hello World!\n");
    const paths = [`${THIRD}/dir1/README`, "head/dir1/README", `blobs/${blob}`];
    for (const path of [...paths, ...paths]) {
      const ask = async (fields: Record<string, string>) => {
        const url = `http://localhost/raw/${WORLD.helloRid}/${path}`;
        const response = await askChecked(api, new Request(url, { headers: fields }), STRANGER);
        return { response, text: await response.text() };
      };
      const whole = await ask({});
      assert.equal(whole.response.headers.get("accept-ranges"), "bytes");
      const etag = whole.response.headers.get("etag")!;
      const { response, text } = await ask({ range: "bytes=6-10", "if-range": etag });
      assert.deepEqual([response.status, text], [206, "World"]);
      assert.equal(response.headers.get("etag"), etag);
      assert.equal(response.headers.get("content-type"), whole.response.headers.get("content-type"));
      assert.equal(response.headers.get("content-range"), `bytes 6-10/${whole.text.length}`);
      assert.equal((await ask({ range: "bytes=6-", "if-none-match": etag })).response.status, 304);
      const beyond = await ask({ range: "bytes=1000-" });
      assert.deepEqual([beyond.response.status, JSON.parse(beyond.text)], [416, {
        error: `File has ${whole.text.length} bytes`,
        code: 416,
      }]);
      assert.equal(beyond.response.headers.get("content-range"), `bytes */${whole.text.length}`);
    }
  });

  it("answers 404 for what is not there and 413 above its limit", async () => {
    const world = createWorld();
    const { get } = createTestApi({}, world);
    const [fits, large] = [MAX_RAW_BYTES, MAX_RAW_BYTES + 1].map((size) =>
      putBlob(world.hello, new Uint8Array(size))
    );
    assert.equal((await get(`//raw/${world.helloRid}/blobs/${fits}`)).status, 200);
    assert.equal((await get(`//raw/${world.helloRid}/blobs/${large}`)).status, 413);
    for (
      const path of [
        `${THIRD}/nothing`,
        `${THIRD}/dir1`,
        `blobs/${THIRD}`,
        "head/nothing",
        `${"0".repeat(40)}/README`,
      ]
    ) {
      assert.equal((await get(`//raw/${world.helloRid}/${path}`)).status, 404, path);
    }
  });
});

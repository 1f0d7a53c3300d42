/** Routes of git on repositories in memory, with a program that is not the real one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GitProgram, UploadPackRequest } from "../../../extensions/git/git_program.ts";
import type { Client } from "../../../mod.ts";
import { createTestApi as createApi, OWNER, STRANGER } from "../../support/api.ts";
import { ALICE } from "../../support/world.ts";
import { askChecked } from "../../support/contract.ts";

/** The start of every output. */
const START = "000eversion 2\n0010object-info\n";

/** Notes what it is asked, and its output begins as given; everything but what was wanted is reachable. */
function noting(start = START): { git: GitProgram; asked: UploadPackRequest[] } {
  const asked: UploadPackRequest[] = [];
  return {
    asked,
    git: {
      uploadPack(request) {
        asked.push(request);
        return Promise.resolve({
          start: new TextEncoder().encode(start),
          rest: new Blob(["output of git"]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
          failure: undefined,
        });
      },
      commitsBeyondRefs: (_rid, commits) => Promise.resolve(new Set(commits)),
      unreachable: (_rid, oids) => Promise.resolve(oids),
    },
  };
}

/** An API whose answers are read as they are. */
function createTestApi(options: Parameters<typeof createApi>[0] = {}) {
  const { api, world } = createApi(options);
  const get = async (path: string, client: Client = STRANGER, init: RequestInit = {}) => {
    const response = await askChecked(api, new Request(`http://localhost${path}`, init), client, {
      api: "v1",
    });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return { get, world };
}

const TYPE = { "content-type": "application/x-git-upload-pack-request" };

describe("routes of git", () => {
  it("advertise what git says, after a line of their own in versions 0 and 1", async () => {
    const { git, asked } = noting();
    const { get, world } = createTestApi({ git });
    const path = `/${world.helloRid}.git/info/refs?service=git-upload-pack`;
    const { status, body, headers } = await get(path);
    assert.equal(status, 200);
    assert.equal(body, `001e# service=git-upload-pack\n0000${START}output of git`);
    assert.equal(headers.get("content-type"), "application/x-git-upload-pack-advertisement");
    assert.equal(headers.get("cache-control"), "no-cache, max-age=0, must-revalidate");
    assert.equal(
      (await get(path, STRANGER, { headers: { "git-protocol": "version=2" } })).body,
      "000eversion 2\noutput of git",
    );
    await get(`/${world.helloRid}/${ALICE}/info/refs?service=git-upload-pack`, STRANGER, {
      headers: { "git-protocol": "x:version=1:version=9" },
    });
    assert.deepEqual(asked.map(({ protocol, namespace, input }) => [protocol, namespace, input]), [
      [0, undefined, undefined],
      [2, undefined, undefined],
      [1, ALICE, undefined],
    ]);
  });

  it("offer in version 2 what is served, and nothing else that git has", async () => {
    const lines = (...names: readonly string[]) => {
      const framed = names.map((name) => `${(name.length + 5).toString(16).padStart(4, "0")}${name}\n`);
      return `${framed.join("")}0000`;
    };
    const served = [
      "version 2",
      "agent=git/2.39.5",
      "ls-refs=unborn",
      "fetch=shallow filter",
      "server-option",
    ];
    const others = ["object-info", "bundle-uri", "promisor-remote=x"];
    const { get, world } = createTestApi(noting(lines(...served, "object-format=sha1", ...others)));
    const { body } = await get(`/${world.helloRid}.git/info/refs?service=git-upload-pack`, STRANGER, {
      headers: { "git-protocol": "version=2" },
    });
    assert.equal(body, `${lines(...served, "object-format=sha1")}output of git`);
  });

  it("start no process for HEAD requests", async () => {
    const { git, asked } = noting();
    const { get, world } = createTestApi({ git });
    const path = `/${world.helloRid}.git/info/refs?service=git-upload-pack`;
    assert.equal((await get(path, STRANGER, { method: "HEAD" })).status, 200);
    assert.deepEqual(asked, []);
  });

  it("hand on what shown references lead to, and refuse the rest", async () => {
    const { git, asked } = noting();
    const { get, world: { helloRid, commits } } = createTestApi({ git });
    const want = (oid: string) => ({
      method: "POST",
      headers: TYPE,
      body: `0032want ${oid}\n00000009done\n`,
    });
    const path = `/${helloRid}.git/git-upload-pack`;
    assert.equal((await get(path, STRANGER, want(commits[2]))).body, `${START}output of git`);
    assert.equal(asked.length, 1);
    assert.equal(
      (await get(path, STRANGER, want(commits[0]))).body,
      `0049ERR upload-pack: not our ref ${commits[0]}`,
    );
    assert.equal(asked.length, 1);
  });

  it("answer 501 without git, but list references", async () => {
    const { get, world: { helloRid } } = createTestApi();
    const advertised = await get(`/${helloRid}/info/refs?service=git-upload-pack`);
    assert.equal(advertised.status, 501);
    assert.equal(advertised.body, "This service has no git to serve clones with\n");
    assert.equal((await get(`/${helloRid}/info/refs`)).status, 200);
    assert.equal((await get(`/${helloRid}/HEAD`)).body, "ref: refs/heads/master\n");
  });

  it("refuse pushes and other services", async () => {
    const { get, world: { helloRid } } = createTestApi();
    const push = /^This service takes no pushes/;
    for (const path of ["info/refs?service=git-receive-pack", "git-receive-pack"]) {
      const { status, body } = await get(`/${helloRid}.git/${path}`);
      assert.equal(status, 403);
      assert.match(body, push);
    }
    const sent = await get(`/${helloRid}.git/git-receive-pack`, STRANGER, { method: "POST", body: "0000" });
    assert.equal(sent.status, 403);
    for (const service of ["git-upload-archive", ""]) {
      assert.equal((await get(`/${helloRid}/info/refs?service=${service}`)).status, 403);
    }
    assert.equal((await get(`/${helloRid}/git-upload-pack`, STRANGER, { method: "POST" })).status, 415);
  });

  it("serve neither objects nor other files", async () => {
    const { get, world: { helloRid, commits: [first] } } = createTestApi();
    const object = `objects/${first.slice(0, 2)}/${first.slice(2)}`;
    for (const path of ["objects/info/packs", object, "config", "refs/heads/master", "", "x/info/refs"]) {
      assert.equal((await get(`/${helloRid}.git/${path}`, OWNER)).status, 404, path);
    }
  });

  it("show private repositories only to the owner, and no cache may store them", async () => {
    const { git } = noting();
    const { get, world: { secretRid } } = createTestApi({ git });
    const path = `/${secretRid}.git/info/refs?service=git-upload-pack`;
    assert.equal((await get(path)).status, 404);
    const shown = await get(path, OWNER);
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get("cache-control"), "private, no-store");
  });

  it("let pages of any origin clone", async () => {
    const { get, world: { helloRid } } = createTestApi();
    const { status, headers } = await get(`/${helloRid}.git/git-upload-pack`, STRANGER, {
      method: "OPTIONS",
    });
    assert.equal(status, 200);
    assert.equal(headers.get("access-control-allow-methods"), "GET,POST");
    assert.equal(headers.get("access-control-allow-headers"), "content-type,git-protocol");
  });
});

/** What holds for every route: shapes of errors, methods, cross-origin headers, limits, mounting. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { leastMemoryBytes } from "../../src/cache/memory.ts";
import { MAX_BODY_BYTES } from "../../src/http/body.ts";
import { createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { createWorld } from "../support/world.ts";

const RID = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
const HEAD = "e8c676b9e3b42308dc9d218b70faa5408f8e58ca";

describe("a path that is no route", () => {
  for (
    const path of [
      "//api/v2",
      "/nothing",
      "/projects/",
      `/projects/${RID}/`,
      `/projects/${RID}/tree/${HEAD}`,
      "//raw",
      `//raw/${RID}/${HEAD}/`,
      `/projects/${RID}/commits/${HEAD}/`,
    ]
  ) {
    it(`answers 404 as JSON with cross-origin headers: ${path}`, async () => {
      for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
        const { status, headers, body } = await createTestApi().get(path, STRANGER, { method });
        assert.equal(status, 404);
        assert.deepEqual(body, { error: "Not Found", code: 404 });
        assert.equal(headers.get("access-control-allow-origin"), "*");
      }
    });
  }
});

describe("methods", () => {
  it("that a path does not take answer 405 and say which it takes", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"]) {
      const { status, headers, body } = await createTestApi().get("/projects", STRANGER, { method });
      assert.equal(status, 405);
      assert.deepEqual(body, { error: "Method Not Allowed", code: 405 });
      assert.equal(headers.get("allow"), "GET,HEAD");
      assert.equal(headers.get("access-control-allow-origin"), "*");
    }
  });

  it("HEAD has the status and headers of GET and no body", async () => {
    const { get } = createTestApi();
    for (
      const path of [
        "/projects",
        "/projects/nothing",
        `/projects/${RID}/tree/${HEAD}/`,
        `//raw/${RID}/${HEAD}/README`,
      ]
    ) {
      const [head, full] = [await get(path, STRANGER, { method: "HEAD" }), await get(path)];
      assert.equal(head.status, full.status);
      assert.deepEqual([...head.headers], [...full.headers]);
      assert.equal(head.body, "");
    }
  });

  it("OPTIONS shows other origins what they may do, without checking the names in the path", async () => {
    const { status, headers, body } = await createTestApi().get("/projects/nothing", STRANGER, {
      method: "OPTIONS",
    });
    assert.equal(status, 200);
    assert.equal(body, "");
    assert.equal(headers.get("allow"), "GET,HEAD");
    assert.equal(headers.get("access-control-allow-methods"), "GET,POST,PATCH,PUT,DELETE");
    assert.equal(headers.get("access-control-allow-headers"), "content-type,authorization");
    assert.equal(headers.get("access-control-max-age"), "86400");
  });

  it("OPTIONS allows the consistency token where a page asks for it, with what the real service allows", async () => {
    const { get } = createTestApi();
    const allowed = async (asked: string, path = "/projects/nothing") => {
      const headers = { "access-control-request-headers": asked };
      const answer = await get(path, STRANGER, { method: "OPTIONS", headers });
      return answer.headers.get("access-control-allow-headers");
    };
    const both = "content-type,authorization,xylem-consistency-token";
    assert.equal(await allowed("authorization, Xylem-Consistency-Token"), both);
    assert.equal(await allowed("xylem-consistency-token"), both);
    assert.equal(await allowed("x-xylem-consistency-token,"), "content-type,authorization");
    const ofFiles = await allowed("xylem-consistency-token", `//raw/${RID}/head/README`);
    assert.equal(ofFiles, "content-type,xylem-consistency-token");
  });

  it("OPTIONS on raw files allows reading alone", async () => {
    const { headers } = await createTestApi().get(`//raw/${RID}/head/README`, STRANGER, {
      method: "OPTIONS",
    });
    assert.equal(headers.get("access-control-allow-methods"), "GET");
  });
});

describe("limits", () => {
  it("of the body are inclusive: 2 MiB for sessions", async () => {
    const { get } = createTestApi();
    const ask = async (length: number) => {
      const headers = { "content-type": "application/json" };
      return (await get("/sessions/unknown", STRANGER, { method: "PUT", headers, body: " ".repeat(length) }))
        .status;
    };
    assert.equal(await ask(MAX_BODY_BYTES), 400);
    assert.equal(await ask(MAX_BODY_BYTES + 1), 413);
  });
});

describe("the root", () => {
  it("shows where the API is, also with a final slash", async () => {
    const { get } = createTestApi();
    assert.equal((await get("//")).body.links[0].href, "/api");
    assert.equal((await get("//api/")).body.path, "/api");
    assert.equal((await get("//api/v1/")).body.path, "/api/v1");
    for (const path of ["//", "//api/", "//api/v1/"]) {
      assert.equal((await get(path, STRANGER, { method: "HEAD" })).status, 200);
    }
  });

  it("answers by Accept one day, and says so to caches; the API does not", async () => {
    const { api } = createTestApi();
    const fields = async (path: string) => {
      const { headers } = await api.fetch(new Request(`http://localhost${path}`));
      return (headers.get("vary") ?? "").split(", ");
    };
    assert.deepEqual(await fields("/"), ["accept", ...await fields("/api")]);
    assert.ok(!(await fields("/api")).includes("accept"));
  });
});

describe("mounting", () => {
  it("below a base path serves nothing outside it", async () => {
    const { get } = createTestApi({ basePath: "/radicle/" });
    assert.equal((await get("//radicle/api/v1/projects")).body.length, 1);
    assert.equal((await get("//api/v1/projects")).status, 404);
    assert.equal((await get("//radicleapi/v1/projects")).status, 404);
  });

  it("takes a base path in every spelling", async () => {
    for (const basePath of ["radicle", "/radicle", "radicle/", "/radicle//"]) {
      const { get } = createTestApi({ basePath });
      assert.equal((await get("//radicle/api/v1/projects")).status, 200, basePath);
    }
    for (const basePath of ["/ä/b c", "ä/b%20c", "/%c3%a4/b c/"]) {
      const { get } = createTestApi({ basePath });
      assert.equal((await get("//%C3%A4/b%20c/api/v1/projects")).status, 200, basePath);
      assert.equal((await get("//ä/b c/api/v1/projects")).status, 200, basePath);
    }
    for (const basePath of ["", "/"]) {
      assert.equal((await createTestApi({ basePath }).get("/projects")).status, 200);
    }
  });

  it("refuses a base path that no URL can begin with", () => {
    for (
      const basePath of [
        "/a?b",
        "/a#b",
        "//a",
        "/a//b",
        "/a/../b",
        "/.",
        "/a\\b",
        "/a\n",
        "/%ff",
        "/a%2fb",
        "/%2e%2e",
      ]
    ) {
      assert.throws(() => createTestApi({ basePath }), {
        name: "TypeError",
        message: /^Cannot mount the API at /,
      }, basePath);
    }
  });

  it("without a client never counts a request as the owner's", async () => {
    const { api } = createTestApi();
    const response = await api.fetch(new Request("http://localhost/api/v1/projects"));
    assert.equal((await response.json()).length, 1);
  });
});

describe("a storage that fails", () => {
  it("answers 500 without telling why, and goes on", async () => {
    const world = createWorld();
    let isBroken = true;
    const storage = {
      repositoryIds: () => world.storage.repositoryIds(),
      repository: (rid: Parameters<typeof world.storage.repository>[0]) => {
        if (isBroken) throw new Error("ENOSPC: /home/alice/.radicle/storage");
        return world.storage.repository(rid);
      },
    };
    const { get, log } = createTestApi({ storage }, world);
    const { status, body } = await get(`/projects/${RID}`, OWNER);
    assert.equal(status, 500);
    assert.deepEqual(body, { error: "Internal Server Error", code: 500 });
    assert.deepEqual(log, ["Request failed"]);
    isBroken = false;
    assert.equal((await get(`/projects/${RID}`, OWNER)).status, 200);
  });

  it("may answer with promises", async () => {
    const world = createWorld();
    const later = <T>(value: T) => new Promise<T>((resolve) => setTimeout(resolve, 0, value));
    const storage = {
      repositoryIds: () => later(world.storage.repositoryIds()),
      repository: async (rid: Parameters<typeof world.storage.repository>[0]) => {
        const found = world.storage.repository(rid);
        return found && await later({
          rid,
          ref: (name: string) => later(found.ref(name)),
          refs: (prefix: string) => later(found.refs(prefix)),
          header: (oid: Parameters<typeof found.header>[0]) => later(found.header(oid)),
          object: (oid: Parameters<typeof found.object>[0]) => later(found.object(oid)),
          objects: (oids: Parameters<typeof found.objects>[0]) => later(found.objects(oids)),
        });
      },
    };
    const { get } = createTestApi({ storage }, world);
    assert.equal((await get("/projects", OWNER)).body.length, 2);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => get(`/projects/${RID}/tree/${HEAD}/dir1`)),
    );
    for (const { body } of answers) assert.equal(body.lastCommit.id, HEAD);
  });
});

describe("an API that is closed", () => {
  it("answers 503, which pages of any origin may read, and reveals nothing", async () => {
    const { api, get } = createTestApi();
    assert.equal((await get("/projects")).status, 200);
    await Promise.all([api.close(), api.close()]);
    for (const path of ["/projects", "//", "/sessions"]) {
      const { status, body, headers } = await get(path, OWNER);
      assert.deepEqual([status, body], [503, { error: "Service Unavailable", code: 503 }]);
      assert.equal(headers.get("access-control-allow-origin"), "*");
      assert.equal(headers.get("cache-control"), "no-store");
    }
  });

  it("finishes requests under way", async () => {
    const { api, get } = createTestApi();
    const answers = Promise.all([get("/projects"), get(`/projects/${RID}/tree/${HEAD}/`)]);
    await api.close();
    assert.deepEqual((await answers).map(({ status }) => status), [200, 200]);
  });
});

describe("the memory of all caches", () => {
  const paths = [
    "/projects",
    `/projects/${RID}`,
    `/projects/${RID}/commits`,
    `/projects/${RID}/tree/${HEAD}/`,
  ];

  it("changes no answer, however small it is", async () => {
    const [usual, small] = [
      createTestApi(),
      createTestApi({ memory: { totalBytes: leastMemoryBytes(), answersBytes: 0 } }),
    ];
    for (const path of [...paths, ...paths, `/projects/${RID}/issues`, `/projects/${RID}/remotes`]) {
      const [expected, found] = [await usual.get(path), await small.get(path)];
      assert.deepEqual([found.status, found.body], [expected.status, expected.body], path);
      assert.equal(found.status, 200, path);
    }
  });

  it("is refused when the caches need more", () => {
    assert.throws(() => createTestApi({ memory: { totalBytes: leastMemoryBytes() - 1 } }), TypeError);
    assert.throws(
      () => createTestApi({ memory: { totalBytes: leastMemoryBytes(), answersBytes: 1 } }),
      TypeError,
    );
  });
});

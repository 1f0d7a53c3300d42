/** Projects, and who may see which. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createTestApi, OWNER, STRANGER } from "../support/api.ts";
import {
  ALICE,
  BOB,
  BOB_SEED,
  createRepository,
  createWorld,
  publish,
  putCommit,
  setHead,
} from "../support/world.ts";

const HELLO = {
  name: "hello-world",
  description: "Rad repository for tests",
  defaultBranch: "master",
  delegates: [`did:key:${ALICE}`],
  visibility: { type: "public" },
  head: "e8c676b9e3b42308dc9d218b70faa5408f8e58ca",
  patches: { open: 0, draft: 0, archived: 0, merged: 0 },
  issues: { open: 0, closed: 0 },
  id: "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
  trackings: 0,
  seeding: 0,
};
const SECRET = {
  ...HELLO,
  name: "hello-world-private",
  description: "Private Rad repository for tests",
  visibility: { type: "private" },
  head: "d26ed310ed140fbef2a066aa486cf59a0f9f7812",
  id: "rad:zLuTzcmoWMcdK37xqArS8eckp9vK",
};

describe("GET /projects", () => {
  it("lists all repositories in order of their id bytes to the owner (4.2.1)", async () => {
    assert.deepEqual((await createTestApi().get("/projects", OWNER)).body, [SECRET, HELLO]);
  });

  it("leaves private ones out for everybody else", async () => {
    const { get } = createTestApi();
    assert.deepEqual((await get("/projects")).body, [HELLO]);
    assert.deepEqual((await get("/projects", OWNER, { headers: { origin: "https://evil.example" } })).body, [
      HELLO,
    ]);
    assert.deepEqual((await createTestApi({ behindProxy: true }).get("/projects", OWNER)).body, [HELLO]);
  });

  it("leaves out what cannot be loaded, before paging", async () => {
    const world = createWorld();
    world.storage.create("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    createRepository(world.storage, { name: "no-head" });
    const { get } = createTestApi({}, world);
    assert.deepEqual((await get("/projects?perPage=1&page=1", OWNER)).body, [HELLO]);
    assert.deepEqual((await get("/projects?perPage=1&page=2", OWNER)).body, []);
  });

  it("shows the pinned ones on request, unknown ones left out", async () => {
    const world = createWorld();
    const profile = {
      nodeId: ALICE,
      pinned: () => [world.helloRid, "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji" as const, world.helloRid],
    };
    assert.deepEqual((await createTestApi({ profile }, world).get("/projects?show=pinned", OWNER)).body, [
      HELLO,
    ]);
  });

  it("refuses another value of show", async () => {
    assert.equal((await createTestApi().get("/projects?show=some")).status, 400);
  });

  it("sees a repository that is made later", async () => {
    const { get, world } = createTestApi();
    await get("/projects", OWNER);
    const later = createRepository(world.storage, { name: "later" });
    setHead(later, putCommit(later, { folder: { a: "a" }, message: "A\n" }));
    assert.ok((await get("/projects")).body.some((info: { name: string }) => info.name === "later"));
  });
});

describe("GET /projects/:project", () => {
  it("answers with the project, under every spelling of its id", async () => {
    const { get } = createTestApi();
    for (
      const id of [
        "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
        "z4FucBZHZMCsxTyQE1dfE2YR59Qbp",
        "rad%3Az4FucBZHZMCsxTyQE1dfE2YR59Qbp",
      ]
    ) {
      assert.deepEqual((await get(`/projects/${id}`)).body, HELLO);
    }
  });

  it("answers 404 for an unknown repository", async () => {
    const { status, body } = await createTestApi().get("/projects/rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
    assert.equal(status, 404);
    assert.deepEqual(body, {
      error: "Repository rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji was not found",
      code: 404,
    });
  });

  it("answers 400 for what is no repository id", async () => {
    const { status, body } = await createTestApi().get("/projects/hello");
    assert.equal(status, 400);
    assert.equal(body.success, false);
    assert.equal(body.code, 400);
  });

  it("takes the head that delegates agree on when HEAD leads nowhere", async () => {
    const world = createWorld();
    const repository = createRepository(world.storage, {
      name: "quorum",
      delegates: [ALICE, BOB],
      threshold: 2,
    });
    const first = putCommit(repository, { folder: { a: "1" }, message: "One\n" });
    const second = putCommit(repository, {
      folder: { a: "2" },
      parents: [first],
      message: "Two\n",
      timeSeconds: 1673001020,
    });
    publish(repository, new Uint8Array(32).fill(0xff), { master: second });
    publish(repository, BOB_SEED, { master: first });
    repository.setSymbolicRef("HEAD", "refs/heads/gone");
    assert.equal((await createTestApi({}, world).get(`/projects/${repository.rid}`)).body.head, first);
  });

  it("lists the readers of a private repository to its owner", async () => {
    const world = createWorld();
    const doc = JSON.stringify({
      delegates: [`did:key:${ALICE}`],
      payload: { "xyz.radicle.project": { defaultBranch: "master", description: "", name: "shared" } },
      threshold: 1,
      visibility: { type: "private", allow: [`did:key:${BOB}`] },
    });
    world.secret.setRef(
      "refs/rad/id",
      putCommit(world.secret, { folder: { embeds: { "radicle.json": doc } }, message: "Share\n" }),
    );
    const { body } = await createTestApi({}, world).get(`/projects/${world.secretRid}`, OWNER);
    assert.deepEqual(body.visibility, { type: "private", allow: [`did:key:${BOB}`] });
  });
});

describe("a private repository", () => {
  const world = createWorld();
  const [head] = [world.secretHead];
  const unknown = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
  const routes = [
    "/projects/RID",
    "/projects/RID/commits",
    `/projects/RID/commits/${head}`,
    `/projects/RID/diff/${head}/${head}`,
    "/projects/RID/activity",
    `/projects/RID/tree/${head}/`,
    `/projects/RID/tree/${head}/dir`,
    "/projects/RID/remotes",
    `/projects/RID/remotes/${ALICE}`,
    "/projects/RID/issues",
    `/projects/RID/issues/${head}`,
    "/projects/RID/patches",
    `/projects/RID/patches/${head}`,
    `/projects/RID/blob/${head}/README`,
    `/projects/RID/readme/${head}`,
    `//raw/RID/${head}/README`,
    "//raw/RID/head/README",
    "//raw/RID/blobs/ab24b8e14a21ad05d24ffdc0df4ac27c8d9b7f43",
  ];
  for (const route of routes) {
    it(`is to strangers as if it were not there: ${route.replace(head, ":sha")}`, async () => {
      const { get } = createTestApi({}, world);
      const hidden = await get(route.replace("RID", world.secretRid), STRANGER);
      const absent = await get(route.replace("RID", unknown), STRANGER);
      assert.equal(hidden.status, 404);
      assert.deepEqual(hidden.body, {
        error: absent.body.error.replace(unknown, world.secretRid),
        code: 404,
      });
      assert.deepEqual([...hidden.headers.keys()], [...absent.headers.keys()]);
    });
  }

  it("is open to the owner", async () => {
    const { get } = createTestApi({}, world);
    assert.equal(
      (await get(`/projects/${world.secretRid}/blob/${head}/README`, OWNER)).body.content,
      "Hello Private World!\n",
    );
    assert.equal(
      (await get(`//raw/${world.secretRid}/${head}/README`, OWNER)).body,
      "Hello Private World!\n",
    );
  });

  it("counts as one when its document cannot be read", async () => {
    const broken = createWorld();
    broken.hello.setRef("refs/rad/id", broken.commits[0]);
    const { get } = createTestApi({}, broken);
    const route = `/projects/${broken.helloRid}/tree/${broken.commits[2]}/`;
    assert.equal((await get(route, STRANGER)).status, 404);
    assert.equal((await get(route, OWNER)).status, 200);
    assert.equal((await get(`/projects/${broken.helloRid}`, OWNER)).status, 404);
  });
});

describe("the roots", () => {
  it("show which service clients talk to", async () => {
    const { get } = createTestApi();
    assert.deepEqual((await get("//api")).body, {
      path: "/api",
      links: [{ href: "/v1", rel: "v1", type: "GET" }],
    });
    const { body } = await get("//api/v1");
    assert.equal(body.service, "radicle-httpd");
    assert.equal(body.nid, ALICE);
    assert.equal(body.path, "/api/v1");
  });

  it("count public repositories", async () => {
    assert.deepEqual((await createTestApi().get("/stats")).body, {
      projects: { count: 1 },
      users: { count: 0 },
    });
  });
});

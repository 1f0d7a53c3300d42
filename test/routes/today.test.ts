/** Today's dialect: which routes there are, names of repositories, and what its owner sees. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SeedingPolicy } from "../../mod.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { createTestApi, OWNER, STRANGER, type TestApi, type TestOptions } from "../support/api.ts";
import { ALICE } from "../support/world.ts";

const HELLO = "rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbp";
const SECRET = "rad:zLuTzcmoWMcdK37xqArS8eckp9vK";
const HEAD = "e8c676b9e3b42308dc9d218b70faa5408f8e58ca";

/** An API of both dialects; strangers ask for it unless a client is given. */
function bothApi(options: TestOptions = {}): TestApi {
  return createTestApi({ api: "both", ...options });
}

function nodeWith(policies: readonly SeedingPolicy[], seeds: Record<string, number> = {}) {
  return {
    ...createAbsentNode(),
    policies: () => Promise.resolve(policies),
    seedCounts: () => Promise.resolve(new Map(Object.entries(seeds))) as never,
  };
}

const ridsOf = (repos: readonly { rid: string }[]) => repos.map(({ rid }) => rid);

describe("the dialects", () => {
  it("have routes of their own, and are served both by default", async () => {
    const [v1, today, both] = [createTestApi(), createTestApi({ api: "today" }), bothApi()];
    const statuses = async (path: string) =>
      await Promise.all([v1, today, both].map(async ({ get }) => (await get(path)).status));
    assert.deepEqual(await statuses("/projects"), [200, 404, 200]);
    assert.deepEqual(await statuses("/repos?show=all"), [404, 200, 200]);
    assert.deepEqual(await statuses("/info"), [404, 200, 200]);
    assert.deepEqual(await statuses("/profile"), [401, 404, 401]);
  });

  it("refuse changes of today's clients, and say what may be asked", async () => {
    const { get } = createTestApi({ api: "today" });
    const refused = await get(`/repos/${HELLO}/issues`, OWNER, { method: "POST", body: "{}" });
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET,HEAD"]);
    const preflight = await get(`/repos/${HELLO}/issues`, STRANGER, { method: "OPTIONS" });
    assert.equal(preflight.headers.get("access-control-allow-methods"), "GET");
  });

  it("answer the list of policies as specified where both are served", async () => {
    const policies: SeedingPolicy[] = [{ rid: HELLO, scope: "all", policy: "allow" }];
    const node = nodeWith(policies);
    const path = "/node/policies/repos";
    assert.deepEqual((await bothApi({ node }).get(path)).body, [{
      id: HELLO,
      scope: "all",
      policy: "allow",
    }]);
    assert.deepEqual((await createTestApi({ api: "today", node }).get(path)).body, [
      { rid: HELLO, policy: { policy: "allow", scope: "all" } },
    ]);
  });
});

describe("an alias", () => {
  const aliases = { hello: HELLO, other: HELLO, hidden: SECRET };

  it("stands for an id in every path, and is shown", async () => {
    const { get } = bothApi({ aliases });
    for (
      const path of [
        `/projects/hello`,
        `/projects/hello/commits/${HEAD}`,
        `/repos/hello`,
        `/repos/other/tree/${HEAD}/`,
        `/node/policies/repos/hello`,
        `//raw/hello/${HEAD}/README`,
        `//raw/hello/head/README`,
      ]
    ) assert.notEqual((await get(path)).status, 404, path);
    assert.equal((await get("/repos/hello")).body.alias, "hello");
    assert.equal((await get(`/repos/${HELLO}`)).body.alias, "hello");
  });

  it("of a private repository is unknown to strangers", async () => {
    const { get } = bothApi({ aliases });
    assert.deepEqual((await get("/repos/hidden")).body, (await get("/repos/nothing")).body);
    assert.equal((await get("/repos/hidden", OWNER)).body.rid, SECRET);
  });

  it("is no path of the service, no id, and nothing that cannot stand in a path", () => {
    for (const name of ["api", "RAW", "", ".", "a/b", "x.git", HELLO, HELLO.slice(4), "ü", "a".repeat(65)]) {
      assert.throws(() => bothApi({ aliases: { [name]: HELLO } }), TypeError, name);
    }
    assert.throws(() => bothApi({ aliases: { name: "rad:nothing" } }), TypeError);
  });

  it("that does not exist is 404 for today's clients, and 400 as specified", async () => {
    const { get } = bothApi({ aliases });
    assert.equal((await get("/repos/nothing")).status, 404);
    assert.equal((await get("/projects/nothing")).status, 400);
    assert.equal((await createTestApi({ api: "today" }).get("//raw/nothing/head/README")).status, 404);
  });
});

describe("GET /repos", () => {
  it("lists pinned repositories by default, and private ones to the owner alone", async () => {
    const profile = {
      nodeId: ALICE,
      pinned: () => [SECRET, HELLO] as never,
    };
    const { get } = bothApi({ profile });
    assert.deepEqual(ridsOf((await get("/repos")).body), [HELLO]);
    assert.deepEqual(ridsOf((await get("/repos?show=all")).body), [HELLO]);
    const owners = await get("/repos", OWNER);
    assert.deepEqual(ridsOf(owners.body), [SECRET, HELLO]);
    assert.equal(owners.headers.get("cache-control"), "private, no-store");
  });

  it("lists what the node seeds, in the order that is asked for", async () => {
    const policies: SeedingPolicy[] = [
      { rid: HELLO, scope: "all", policy: "allow" },
      { rid: SECRET, scope: "all", policy: "block" },
    ];
    const { get } = bothApi({ node: nodeWith(policies, { [HELLO]: 2, [SECRET]: 1 }) });
    assert.deepEqual(ridsOf((await get("/repos?show=all", OWNER)).body), [HELLO]);
    const all = bothApi({ node: nodeWith([], { [HELLO]: 2, [SECRET]: 1 }) });
    const order = async (sort: string) => ridsOf((await all.get(`/repos?show=all&sort=${sort}`, OWNER)).body);
    assert.deepEqual(await order("rid"), [SECRET, HELLO]);
    assert.deepEqual(await order("seeding"), [HELLO, SECRET]);
    assert.equal((await order("activity")).length, 2);
    assert.equal((await all.get("/repos?sort=name")).status, 400);
  });

  it("finds repositories by a part of their names, prefixes first", async () => {
    const { get } = bothApi();
    assert.deepEqual(ridsOf((await get("/repos/search?q=wor", OWNER)).body), [SECRET, HELLO]);
    assert.deepEqual(ridsOf((await get("/repos/search?q=wor")).body), [HELLO]);
    assert.deepEqual((await get("/repos/search?q=none")).body, []);
    const long = `hello-world${"x".repeat(300)}`;
    assert.deepEqual((await get(`/repos/search?q=${long}`)).body, []);
  });

  it("shows payloads, delegates and canonical references of one", async () => {
    const { get } = bothApi();
    const { body } = await get(`/repos/${HELLO}`);
    assert.deepEqual(body.payloads["xyz.radicle.project"].data, {
      defaultBranch: "master",
      description: "Rad repository for tests",
      name: "hello-world",
    });
    assert.equal(body.payloads["xyz.radicle.project"].meta.head, HEAD);
    assert.deepEqual(body.delegates, [{ id: `did:key:${ALICE}` }]);
    assert.deepEqual(Object.keys(body.refs), ["tags", "refs"]);
  });
});

describe("a policy", () => {
  it("is the node's default for repositories that strangers may not know of", async () => {
    const policies: SeedingPolicy[] = [{ rid: SECRET, scope: "followed", policy: "block" }];
    const { get } = bothApi({ node: nodeWith(policies) });
    assert.deepEqual((await get(`/node/policies/repos/${SECRET}`, OWNER)).body, { policy: "block" });
    assert.deepEqual((await get(`/node/policies/repos/${SECRET}`)).body, { policy: "allow", scope: "all" });
  });
});

describe("a folder of today's clients", () => {
  it("has object ids, and no statistics", async () => {
    const { get } = createTestApi({ api: "today" });
    const tree = (await get(`/repos/${HELLO}/tree/${HEAD}/`)).body;
    assert.deepEqual(Object.keys(tree), ["entries", "lastCommit", "name", "path"]);
    assert.match(tree.entries[0].oid, /^[0-9a-f]{40}$/);
    assert.equal((await get(`/repos/${HELLO}/stats/commits/${HEAD}`)).body.commits, 3);
  });
});

/** The routes of the node, its policies and other nodes, of delegates and the profile (4.5 to 4.7). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { RadicleNode, SeedingPolicy } from "../../mod.ts";
import { UnavailableError } from "../../src/errors.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import { parseRid } from "../../src/ids/rid.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { createMemoryTable } from "../../src/session/memory_table.ts";
import { versionWith } from "../../src/version.ts";
import { createTestApi, OWNER, STRANGER, type TestOptions } from "../support/api.ts";
import { ALICE, BOB, createWorld } from "../support/world.ts";

const NOW_MS = 1_673_100_000_000;
const TOKEN = "t".repeat(32);

/** An API whose node is a test's in some of its members, and where `TOKEN` is an authorized session. */
async function apiWith(node: Partial<RadicleNode> = {}, options: TestOptions = {}) {
  const sessionTable = createMemoryTable(() => NOW_MS);
  const session = { id: TOKEN, issuedAtMs: NOW_MS, expiresAtMs: NOW_MS + 60_000, mayChange: false };
  await sessionTable.add({ ...session, status: "unauthorized" });
  await sessionTable.authorize({ ...session, status: "authorized", mayChange: true });
  return createTestApi({ node: { ...createAbsentNode(), ...node }, sessionTable, ...options });
}

const bearer = (method: string, token = TOKEN): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${token}` },
});

const { helloRid: RID, secretRid: SECRET } = createWorld();
const ABSENT = parseRid("rad:z2JWCUjTPPMoNdSHyjwaMumuYDcsx");

describe("GET /node", () => {
  it("shows a stopped node (2.14)", async () => {
    const { status, body } = await (await apiWith()).get("/node");
    assert.deepEqual([status, body], [200, {
      id: ALICE,
      version: versionWith(),
      config: null,
      state: "stopped",
    }]);
  });

  it("shows a running node with its configuration, or null when it does not answer", async () => {
    const config = { alias: "alice", unknown: true };
    const told = await apiWith({ status: () => Promise.resolve({ state: "running", config }) });
    assert.deepEqual((await told.get("/node")).body, {
      id: ALICE,
      version: versionWith(),
      config,
      state: "running",
    });
    const later = { alias: "alice", seedingPolicy: { default: "allow", scope: "followed" } };
    const older = { policy: "allow", scope: "followed" };
    for (const api of ["v1", "today", "both"] as const) {
      const status = () => Promise.resolve({ state: "running" as const, config: later });
      const { get } = await apiWith({ status }, { api });
      assert.deepEqual((await get("/node")).body.config, api === "today" ? later : { ...older, ...later });
    }
    const silent = await apiWith({ status: () => Promise.resolve({ state: "running", config: undefined }) });
    assert.equal((await silent.get("/node")).body.config, null);
  });
});

describe("GET /node/policies/repos", () => {
  const policies: SeedingPolicy[] = [
    { rid: SECRET, scope: "all", policy: "block" },
    { rid: ABSENT, scope: "all", policy: "allow" },
    { rid: RID, scope: "followed", policy: "allow" },
  ];

  it("lists policies in their order for the owner of the node (2.16)", async () => {
    const { get } = await apiWith({ policies: () => Promise.resolve(policies) });
    const { body, headers } = await get("/node/policies/repos", OWNER);
    assert.deepEqual(body, [
      { id: SECRET, scope: "all", policy: "block" },
      { id: ABSENT, scope: "all", policy: "allow" },
      { id: RID, scope: "followed", policy: "allow" },
    ]);
    assert.equal(headers.get("cache-control"), "private, no-store");
  });

  it("lists policies of public repositories in storage for everybody else", async () => {
    const { get } = await apiWith({ policies: () => Promise.resolve(policies) });
    const { status, body } = await get("/node/policies/repos");
    assert.deepEqual([status, body], [200, [{ id: RID, scope: "followed", policy: "allow" }]]);
  });

  it("answers 503 when they cannot be read", async () => {
    const { get } = await apiWith({ policies: () => Promise.reject(new UnavailableError("no")) });
    assert.deepEqual((await get("/node/policies/repos")).body, { error: "no", code: 503 });
  });
});

describe("PUT /node/policies/repos/:rid", () => {
  const recorder = async () => {
    const calls: unknown[][] = [];
    const api = await apiWith({
      seed: (...call) => Promise.resolve(void calls.push(["seed", ...call])),
      unseed: (...call) => Promise.resolve(void calls.push(["unseed", ...call])),
      fetch: (
        ...call
      ) => (calls.push(["fetch", ...call]), Promise.resolve({ status: "failed", reason: "no" })),
    });
    return {
      calls,
      put: (path: string, init = bearer("PUT")) => api.get(`/node/policies/repos/${path}`, STRANGER, init),
    };
  };

  it("seeds, with the scope `followed` unless another one is given", async () => {
    const { calls, put } = await recorder();
    for (const query of ["", "?scope=all", "?scope=followed"]) {
      assert.deepEqual((await put(RID + query)).body, { success: true });
    }
    assert.deepEqual(calls.map(([, , scope]) => scope), ["followed", "all", "followed"]);
  });

  it("takes ids without their prefix, and ignores a body", async () => {
    const { calls, put } = await recorder();
    const { status } = await put(RID.slice(4), { ...bearer("PUT"), body: "no JSON" });
    assert.deepEqual([status, calls], [200, [["seed", RID, "followed"]]]);
  });

  it("fetches after seeding when asked to, and answers 200 with the reason of a failure", async () => {
    const { calls, put } = await recorder();
    const { status, body } = await put(`${RID}?from=${BOB}&scope=all`);
    assert.deepEqual([status, body], [200, { success: true, results: { status: "failed", reason: "no" } }]);
    assert.deepEqual(calls, [["seed", RID, "all"], ["fetch", RID, BOB]]);
  });

  it("does not fetch what could not be seeded", async () => {
    const { get } = await apiWith({ fetch: () => assert.fail("fetched") });
    const { status, body } = await get(`/node/policies/repos/${RID}?from=${BOB}`, STRANGER, bearer("PUT"));
    assert.deepEqual([status, body], [503, { error: "This service has no node", code: 503 }]);
  });

  const refused: [string, string, number][] = [
    ["an unknown scope", `${RID}?scope=All`, 400],
    ["an empty scope", `${RID}?scope=`, 400],
    ["an empty node", `${RID}?from=`, 400],
    ["what is no node", `${RID}?from=did:key:${BOB}`, 400],
    ["a scope given twice", `${RID}?scope=all&scope=all`, 400],
    ["what is no repository", "zz", 400],
  ];
  for (const [name, path, expected] of refused) {
    it(`refuses ${name} with ${expected} for every client`, async () => {
      const { calls, put } = await recorder();
      assert.equal((await put(path)).status, expected);
      assert.equal((await put(path, bearer("PUT", "x"))).status, expected);
      assert.deepEqual(calls, []);
    });
  }

  it("refuses requests without a header with 400, and without a session with 401", async () => {
    const { calls, put } = await recorder();
    assert.equal((await put(RID, { method: "PUT" })).status, 400);
    assert.deepEqual((await put(RID, bearer("PUT", "x"))).body, { error: "Unauthorized", code: 401 });
    assert.equal((await put("zz?scope=All", { method: "PUT" })).body.success, undefined);
    assert.deepEqual(calls, []);
  });
});

describe("DELETE /node/policies/repos/:rid", () => {
  it("removes a policy, for a session", async () => {
    const removed: string[] = [];
    const { get } = await apiWith({ unseed: (rid) => Promise.resolve(void removed.push(rid)) });
    const path = `/node/policies/repos/${RID}`;
    assert.deepEqual((await get(path, STRANGER, bearer("DELETE"))).body, { success: true });
    assert.equal((await get(path, STRANGER, bearer("DELETE", "x"))).status, 401);
    assert.equal((await get(path, STRANGER, { method: "DELETE" })).status, 400);
    assert.deepEqual(removed, [RID]);
  });
});

describe("GET /nodes/:nid", () => {
  it("shows the alias of a node, null when it is unknown", async () => {
    const { get } = await apiWith({ aliases: () => Promise.resolve(new Map([[BOB, "bob"]])) });
    assert.deepEqual((await get(`/nodes/${BOB}`)).body, { alias: "bob" });
    assert.deepEqual((await get(`/nodes/${ALICE}`)).body, { alias: null });
    assert.equal((await get(`/nodes/did:key:${BOB}`)).status, 400);
  });
});

describe("GET /nodes/:nid/inventory", () => {
  it("names private and absent repositories to the owner of the node alone", async () => {
    const { get } = await apiWith({ inventory: () => Promise.resolve([SECRET, ABSENT, RID]) });
    assert.deepEqual((await get(`/nodes/${BOB}/inventory`, OWNER)).body, [SECRET, ABSENT, RID]);
    assert.deepEqual((await get(`/nodes/${BOB}/inventory`)).body, [RID]);
  });

  it("lists repositories by id", async () => {
    const { get } = await apiWith({ inventory: (nid) => Promise.resolve(nid === BOB ? [RID] : []) });
    assert.deepEqual((await get(`/nodes/${BOB}/inventory`)).body, [RID]);
    assert.deepEqual((await get(`/nodes/${ALICE}/inventory`)).body, []);
    assert.equal((await get("/nodes/x/inventory")).status, 400);
  });
});

describe("GET /delegates/:delegate/projects", () => {
  const did = didOfNid(ALICE);
  const names = async (path: string, client = STRANGER, options: TestOptions = {}) => {
    const { status, body } = await (await apiWith({}, options)).get(path, client);
    assert.equal(status, 200);
    return body.map(({ name }: { name: string }) => name);
  };

  it("shows the delegate's pinned projects, unless all are asked for", async () => {
    assert.deepEqual(await names(`/delegates/${did}/projects`), ["hello-world"]);
    const unpinned = { profile: { nodeId: ALICE, pinned: () => [] } };
    assert.deepEqual(await names(`/delegates/${did}/projects`, STRANGER, unpinned), []);
    assert.deepEqual(await names(`/delegates/${did}/projects?show=pinned`, STRANGER, unpinned), []);
    assert.deepEqual(await names(`/delegates/${did}/projects?show=all`, STRANGER, unpinned), ["hello-world"]);
  });

  it("shows private ones to the owner alone", async () => {
    const all = await names(`/delegates/${did}/projects?show=all`, OWNER);
    assert.deepEqual(all.sort(), ["hello-world", "hello-world-private"]);
  });

  it("shows no projects of a node that is no delegate, and skips pinned ids that are not there", async () => {
    assert.deepEqual(await names(`/delegates/${didOfNid(BOB)}/projects?show=all`), []);
    const missing = {
      profile: { nodeId: ALICE, pinned: () => ["rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji" as const, RID] },
    };
    assert.deepEqual(await names(`/delegates/${did}/projects`, STRANGER, missing), ["hello-world"]);
  });

  it("pages after filtering, and counts who seeds under both names", async () => {
    assert.deepEqual(await names(`/delegates/${did}/projects?perPage=1&page=1`), []);
    const { get } = await apiWith({ seedCounts: () => Promise.resolve(new Map([[RID, 3]])) });
    const [info] = (await get(`/delegates/${did}/projects`)).body;
    assert.deepEqual([info.seeding, info.trackings], [3, 3]);
    assert.equal((await get(`/projects/${RID}`)).body.seeding, 3);
  });

  for (const path of [`${ALICE}/projects`, "did:web:x/projects", `${did}/projects?show=none`]) {
    it(`refuses ${path} with 400`, async () => {
      assert.equal((await (await apiWith()).get(`/delegates/${path}`)).status, 400);
    });
  }
});

describe("GET /profile", () => {
  const profile = {
    nodeId: ALICE,
    pinned: () => [],
    home: "/home/alice/.radicle",
    config: () => ({ node: { alias: "alice" } }),
  };

  it("shows the configuration to the owner, for no cache (4.7)", async () => {
    const { status, headers, body } = await (await apiWith({}, { profile })).get("/profile", OWNER);
    assert.deepEqual([status, body], [200, {
      config: { node: { alias: "alice" } },
      home: "/home/alice/.radicle",
    }]);
    assert.equal(headers.get("cache-control"), "no-store");
  });

  it("is shown to no other client", async () => {
    const refusal = { error: "Profile data is only shown for localhost", code: 401 };
    const { get } = await apiWith({}, { profile });
    assert.deepEqual((await get("/profile", STRANGER)).body, refusal);
    const foreign = { headers: { origin: "https://example.org" } };
    assert.deepEqual((await get("/profile", OWNER, foreign)).body, refusal);
    const behindProxy = await apiWith({}, { profile, behindProxy: true });
    assert.deepEqual((await behindProxy.get("/profile", OWNER)).body, refusal);
  });

  it("is not there without a home", async () => {
    assert.equal((await (await apiWith()).get("/profile", OWNER)).status, 404);
  });
});

describe("aliases", () => {
  it("of remotes are in their list, as far as they are known", async () => {
    const { get } = await apiWith({ aliases: () => Promise.resolve(new Map([[ALICE, "alice"]])) });
    const [remote] = (await get(`/projects/${RID}/remotes`)).body;
    assert.deepEqual([remote.id, remote.alias], [ALICE, "alice"]);
    const unknown = (await (await apiWith()).get(`/projects/${RID}/remotes`)).body[0];
    assert.ok(!("alias" in unknown));
  });

  const profile = { nodeId: ALICE, alias: "configured", pinned: () => [] };

  it("of the node itself come from its configuration where nothing else has them", async () => {
    const { get } = await apiWith({}, { profile });
    assert.deepEqual((await get(`/nodes/${ALICE}`)).body, { alias: "configured" });
    assert.deepEqual((await get(`/nodes/${BOB}`)).body, { alias: null });
    assert.equal((await get(`/projects/${RID}/remotes`)).body[0].alias, "configured");
  });

  it("of the node itself are those that it has announced, if it has", async () => {
    const { get } = await apiWith({ aliases: () => Promise.resolve(new Map([[ALICE, "announced"]])) }, {
      profile,
    });
    assert.deepEqual((await get(`/nodes/${ALICE}`)).body, { alias: "announced" });
  });
});

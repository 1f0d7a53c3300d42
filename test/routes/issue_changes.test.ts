/** Routes that open and change issues (4.3): who may, in which order things are checked, and what comes of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MAX_PROJECT_BODY_BYTES } from "../../src/http/body.ts";
import { didOfNid } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { ALICE, BOB_SEED, createWorld } from "../support/world.ts";
import { createTestApi, OWNER, STRANGER } from "../support/api.ts";
import { type ChangeApi, createChangeApi } from "./change_api.ts";

const ISSUE = { title: "Issue #1", description: "It is broken", labels: [], assignees: [], embeds: [] };
const NOWHERE = "f".repeat(40) as Oid;
const JSON_TYPE = { "content-type": "application/json" };

/** An API with an issue. */
async function createIssue(...options: Parameters<typeof createChangeApi>) {
  const api = await createChangeApi(...options);
  const { status, body: { id } } = await api.send("POST", "/issues", ISSUE);
  assert.equal(status, 201);
  const show = async () => (await api.send("GET", `/issues/${id}`, undefined)).body;
  return { ...api, id: id as Oid, change: (body: unknown) => api.send("PATCH", `/issues/${id}`, body), show };
}

/** The answer's error, which must be whole. */
function failure({ status, body }: Awaited<ReturnType<ChangeApi["send"]>>): [number, string] {
  assert.deepEqual(Object.keys(body).filter((name) => name !== "success").sort(), ["code", "error"]);
  assert.equal(body.code, status);
  return [status, body.error];
}

describe("POST /projects/:project/issues", () => {
  it("opens an issue, which is there at once", async () => {
    const { send, id, show } = await createIssue();
    const { body } = await send("POST", "/issues", { ...ISSUE, title: "Second", labels: ["b", "a", "b"] });
    assert.deepEqual(Object.keys(body), ["success", "id"]);
    assert.equal(body.success, true);
    const issue = await show();
    assert.deepEqual([issue.title, issue.state, issue.discussion[0].body], [
      ISSUE.title,
      { status: "open" },
      ISSUE.description,
    ]);
    const { body: list } = await send("GET", "/issues", undefined);
    assert.deepEqual(list.map((one: { labels: string[] }) => one.labels).flat(), ["a", "b"]);
    assert.equal(list.length, 2);
    assert.ok(list.some((one: { id: string }) => one.id === id));
  });

  it("answers with the same id when it is sent twice in a second", async () => {
    const { send, id, change, show } = await createIssue();
    await change({ type: "edit", title: "changed" });
    const { status, body } = await send("POST", "/issues", ISSUE);
    assert.deepEqual([status, body.id], [201, id]);
    assert.equal((await show()).title, "changed");
  });

  for (const member of Object.keys(ISSUE)) {
    it(`needs the member ${member}`, async () => {
      const { send } = await createChangeApi();
      const { [member as keyof typeof ISSUE]: _, ...rest } = ISSUE;
      const [status, error] = failure(await send("POST", "/issues", rest));
      assert.equal(status, 422);
      assert.match(error, new RegExp(`"${member}"`));
    });
  }

  it("keeps embeds and drops those that lead nowhere", async () => {
    const { send, world } = await createChangeApi();
    const embeds = [{ name: "a.txt", content: "data:text/plain;base64,aGVsbG8=" }, {
      name: "b",
      content: "git:abc",
    }];
    const { body: { id } } = await send("POST", "/issues", { ...ISSUE, embeds });
    const { body } = await send("GET", `/issues/${id}`, undefined);
    const oid = "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0" as Oid;
    assert.deepEqual(body.discussion[0].embeds, [{ name: "a.txt", content: `git:${oid}` }]);
    assert.equal(new TextDecoder().decode(world.hello.object(oid)?.bytes), "hello");
  });

  it("is refused to others than delegates when it sets labels, and leaves nothing behind", async () => {
    const api = await createChangeApi({}, createWorld(), BOB_SEED);
    const before = api.census();
    assert.equal(failure(await api.send("POST", "/issues", { ...ISSUE, labels: ["x"] }))[0], 403);
    assert.deepEqual(api.census(), before);
    assert.equal((await api.send("POST", "/issues", ISSUE)).status, 201);
  });

  it("may have labels of others where client and home keep the rules of February 2024 alone", async () => {
    for (
      const [evaluation, generation, status] of [
        ["newest", "newest", 403],
        ["2024", "newest", 403],
        ["2024", "0.10", 403],
        ["2024", "2024", 201],
      ] as const
    ) {
      const options = { compatibility: { evaluation, generation: () => generation } };
      const api = await createChangeApi(options, createWorld(), BOB_SEED);
      for (const more of [{ labels: ["x"] }, { assignees: [didOfNid(ALICE)] }]) {
        assert.equal((await api.send("POST", "/issues", { ...ISSUE, ...more })).status, status);
      }
    }
  });

  it("takes bodies of the largest size and no larger ones", async () => {
    const { send } = await createChangeApi();
    const sized = (size: number) => {
      const empty = JSON.stringify({ ...ISSUE, description: "" });
      return JSON.stringify({ ...ISSUE, description: "x".repeat(size - empty.length) });
    };
    assert.equal((await send("POST", "/issues", sized(MAX_PROJECT_BODY_BYTES))).status, 201);
    assert.equal(failure(await send("POST", "/issues", sized(MAX_PROJECT_BODY_BYTES + 1)))[0], 413);
  });
});

describe("PATCH /projects/:project/issues/:id", () => {
  it("answers with the id of the entry", async () => {
    const { change, show, world, id } = await createIssue();
    const { status, body } = await change({ type: "comment", body: "hi", replyTo: id });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["success", "id"]);
    assert.equal(world.hello.header(body.id)?.kind, "commit");
    assert.equal((await show()).discussion[1].id, body.id);
  });

  it("does all that can be done to an issue", async () => {
    const { change, show, id } = await createIssue();
    const ALICE = (await show()).author.id;
    const { body: { id: comment } } = await change({ type: "comment", body: "hi", replyTo: id });
    const ACTIONS = [
      { type: "assign", assignees: [ALICE] },
      { type: "lifecycle", state: { status: "closed", reason: "solved" } },
      { type: "label", labels: ["l"] },
      { type: "edit", title: "new" },
      { type: "comment.edit", id: comment, body: "edited", embeds: [] },
      { type: "comment.react", id: comment, reaction: "✨", active: true },
      { type: "comment.redact", id: (await change({ type: "comment", body: "oops", replyTo: id })).body.id },
    ];
    for (const action of ACTIONS) assert.equal((await change(action)).status, 200, action.type);
    const { title, state, labels, assignees, discussion } = await show();
    assert.deepEqual([title, state.status, labels, assignees], ["new", "closed", ["l"], [ALICE]]);
    assert.deepEqual(discussion.map((one: { body: string }) => one.body), [ISSUE.description, "edited"]);
    assert.equal(discussion[1].reactions.length, 1);
  });

  const REFUSED: readonly (readonly [what: string, status: number, body: object, error?: RegExp])[] = [
    ["a comment that replies to nothing", 400, { type: "comment", body: "x" }, /^`replyTo` missing$/],
    [
      "a comment that replies to null",
      400,
      { type: "comment", body: "x", replyTo: null },
      /^`replyTo` missing$/,
    ],
    ["a reply to an unknown comment", 404, { type: "comment", body: "x", replyTo: NOWHERE }],
    ["an empty comment that replies to nothing", 400, { type: "comment", body: "" }, /^`replyTo` missing$/],
    ["an empty comment", 422, { type: "comment", body: "", replyTo: NOWHERE }],
    ["a title of two lines", 422, { type: "edit", title: "a\nb" }],
    ["an embed that can be no file", 422, {
      type: "comment.edit",
      id: NOWHERE,
      body: "x",
      embeds: [{ name: "a/b", content: "data:,A" }],
    }, /"a\/b"/],
    ["an edit without embeds", 422, { type: "comment.edit", id: NOWHERE, body: "x" }, /"embeds"/],
    ["a reaction that is none", 422, { type: "comment.react", id: NOWHERE, reaction: "x", active: true }],
    ["a reaction that not all programs know", 422, {
      type: "comment.react",
      id: NOWHERE,
      reaction: "\u{1fae0}",
      active: true,
    }],
    ["an unknown type", 422, { type: "thread" }],
    ["no type", 422, {}],
    ["a state with another reason", 422, { type: "lifecycle", state: { status: "closed", reason: "x" } }],
    ["a state with no reason at all", 422, { type: "lifecycle", state: { status: "closed", reason: null } }],
  ];
  for (const [what, status, body, error = /./] of REFUSED) {
    it(`refuses ${what} with ${status} and leaves nothing behind`, async () => {
      const { change, census } = await createIssue();
      const before = census();
      const [got, message] = failure(await change(body));
      assert.equal(got, status);
      assert.match(message, error);
      assert.deepEqual(census(), before);
    });
  }

  it("closes an issue for another reason when no reason is given (2.9)", async () => {
    const { change, show } = await createIssue();
    assert.equal((await change({ type: "lifecycle", state: { status: "closed" } })).status, 200);
    assert.deepEqual((await show()).state, { status: "closed", reason: "other" });
  });

  it("shows the alias of the node, which its configuration has alone (2.11)", async () => {
    const { change, show, id } = await createIssue();
    await change({ type: "comment", body: "x", replyTo: id });
    const { author, discussion } = await show();
    assert.equal(author.alias, "tester");
    assert.deepEqual(
      discussion.map((one: { author: { alias: string } }) => one.author.alias),
      ["tester", "tester"],
    );
  });

  it("drops the variation selector of an emoji, as keyboards send it", async () => {
    const { change, show, id } = await createIssue();
    const react = (reaction: string, active = true) =>
      change({ type: "comment.react", id, reaction, active });
    for (const emoji of ["❤\ufe0f", "✈\ufe0e", "✨"]) assert.equal((await react(emoji)).status, 200, emoji);
    assert.equal((await react("❤\ufe0f\ufe0f")).status, 422);
    assert.equal((await react("\ufe0f")).status, 422);
    assert.deepEqual(
      (await show()).discussion[0].reactions.map(([, emoji]: [string, string]) => emoji),
      ["✈", "✨", "❤"],
    );
    assert.equal((await react("❤\ufe0f", false)).status, 200);
    assert.equal((await show()).discussion[0].reactions.length, 2);
  });

  it("keeps embeds of any data URI (2.12)", async () => {
    const { change, show, id, world } = await createIssue();
    const embeds = [
      { name: "a", content: "data:text/plain,hello%20world" },
      { name: "b", content: "data:text/plain;charset=utf-8;base64,aGVsbG8gd29ybGQ=" },
      { name: "c", content: "data:text/plain,hello world" },
    ];
    const { status } = await change({ type: "comment", body: "x", replyTo: id, embeds });
    const oid = world.hello.put("blob", new TextEncoder().encode("hello world"));
    assert.equal(status, 200);
    assert.deepEqual((await show()).discussion[1].embeds, [
      { name: "a", content: `git:${oid}` },
      { name: "b", content: `git:${oid}` },
    ]);
  });

  it("keeps descriptions: they cannot be redacted (409)", async () => {
    const { change, id } = await createIssue();
    assert.equal(failure(await change({ type: "comment.redact", id }))[0], 409);
  });

  it("finds issues alone, no patches and nothing else (404)", async () => {
    const { send, world } = await createIssue();
    const body = { type: "edit", title: "x" };
    for (const id of [NOWHERE, world.commits[0], "abc"]) {
      assert.equal(failure(await send("PATCH", `/issues/${id}`, body))[0], 404);
    }
  });

  it("lets others than delegates do what is theirs (403)", async () => {
    const world = createWorld();
    const { id } = await createIssue({}, world);
    const bob = await createChangeApi({}, world, BOB_SEED);
    const send = async (body: object) => (await bob.send("PATCH", `/issues/${id}`, body));
    assert.equal(failure(await send({ type: "edit", title: "mine" }))[0], 403);
    assert.equal(failure(await send({ type: "label", labels: ["x"] }))[0], 403);
    assert.equal((await send({ type: "comment", body: "hi", replyTo: id })).status, 200);
  });
});

describe("the order of checks", () => {
  const path = `/issues/${NOWHERE}`;

  it("is bearer, path, body, session, repository, object, action", async () => {
    const { get, send, world, token } = await createIssue();
    const at = (rid: string, headers: Record<string, string>, body: string, id: string = NOWHERE) =>
      get(`/projects/${rid}/issues/${id}`, OWNER, { method: "PATCH", headers, body });
    const bearer = { authorization: "Bearer nobody" };
    const good = JSON.stringify({ type: "edit", title: "x" });
    assert.match(failure(await at("rad:zz", JSON_TYPE, "{"))[1], /^`Authorization` header is missing$/);
    assert.match(failure(await at("rad:zz", bearer, "{"))[1], /repository id/);
    assert.match(failure(await at(world.helloRid, bearer, "{", "xyz"))[1], /object id/);
    assert.equal(failure(await at(world.helloRid, { ...bearer, "content-type": "text/plain" }, "{"))[0], 415);
    assert.equal(failure(await at(world.helloRid, { ...bearer, ...JSON_TYPE }, "{"))[0], 400);
    assert.equal(failure(await at(world.helloRid, { ...bearer, ...JSON_TYPE }, "{}"))[0], 422);
    assert.deepEqual(failure(await at(world.helloRid, { ...bearer, ...JSON_TYPE }, good)), [
      401,
      "Unauthorized",
    ]);
    const session = { ...JSON_TYPE, authorization: `Bearer ${token}` };
    const other = "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5";
    assert.match(failure(await at(other, session, good))[1], /^Repository /);
    assert.deepEqual(failure(await at(world.helloRid, session, good)), [404, "Not Found"]);
    // An object that is not there comes before what is asked of it.
    assert.equal(failure(await send("PATCH", path, { type: "comment", body: "x" }))[0], 404);
  });

  it("puts the key before the repository", async () => {
    const { send, get, token } = await createChangeApi({ signer: () => undefined });
    assert.deepEqual(failure(await send("POST", "/issues", ISSUE)), [401, "Unauthorized"]);
    const answer = await get("/projects/rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5/issues", OWNER, {
      method: "POST",
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
      body: JSON.stringify(ISSUE),
    });
    assert.deepEqual(failure(answer), [401, "Unauthorized"]);
  });
});

describe("a repository", () => {
  it("that is private cannot be changed from elsewhere, and looks like a missing one", async () => {
    const { get, world, token } = await createChangeApi();
    const init = {
      method: "POST",
      headers: { ...JSON_TYPE, authorization: `Bearer ${token}` },
      body: JSON.stringify(ISSUE),
    };
    const path = `/projects/${world.secretRid}/issues`;
    assert.equal(failure(await get(path, STRANGER, init))[0], 404);
    assert.equal((await get(path, OWNER, init)).status, 201);
  });

  it("of a storage that is only read cannot be changed (403)", async () => {
    const world = createWorld();
    const { writeObjects: _, ...readOnly } = world.hello;
    const storage = { ...world.storage, repository: () => readOnly };
    const { send } = await createChangeApi({ storage }, world);
    assert.equal(failure(await send("POST", "/issues", ISSUE))[0], 403);
  });

  it("is announced after each change", async () => {
    const announced: string[] = [];
    const { node } = createNode(announced);
    const { change, world } = await createIssue({ node });
    await change({ type: "edit", title: "x" });
    await change({ type: "edit", title: "a\nb" });
    assert.deepEqual(announced, [world.helloRid, world.helloRid]);
  });
});

describe("objects", () => {
  it("bear whole seconds of the clock, or the time that is set", async () => {
    const { show } = await createIssue();
    assert.equal((await show()).discussion[0].timestamp, 1_673_100_000);
    const fixed = await createIssue({ environment: { objectTimeSeconds: 42 } });
    assert.equal((await fixed.show()).discussion[0].timestamp, 42);
  });

  it("are evaluated alike by an API that has seen nothing", async () => {
    const world = createWorld();
    const { change, show, id } = await createIssue({}, world);
    await change({ type: "comment", body: "hi", replyTo: id });
    const profile = { nodeId: ALICE, alias: "tester", pinned: () => [] };
    const afresh = await createTestApi({ profile }, world).get(`/projects/${world.helloRid}/issues/${id}`);
    assert.deepEqual(afresh.body, await show());
  });
});

/** A node that only announces. */
function createNode(announced: string[]) {
  const unused = () => Promise.reject(new Error("not in this test"));
  return {
    node: {
      status: unused,
      policies: unused,
      seed: unused,
      unseed: unused,
      fetch: unused,
      aliases: () => Promise.resolve(new Map()),
      inventory: unused,
      seedCounts: unused,
      announce: (rid: string) => void announced.push(rid),
    },
  };
}

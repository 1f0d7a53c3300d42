/** Routes of issues: lists, states, paging, privacy (4.3). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CommitGraph } from "../../src/git/commit_graph.ts";
import { didOfNid, type NodeId } from "../../src/ids/nid.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { RULES } from "../../src/cob/rules.ts";
import { createCobs } from "../../src/cob/evaluation/store.ts";
import { CUT_UNITS } from "../../src/cob/evaluation/text_budget.ts";
import type { MemoryRepository } from "../../src/storage/memory.ts";
import { createWriter, ENTRY_SECONDS, putEntry, setTip, type Writer } from "../cob/entries.ts";
import { createTestApi, OWNER } from "../support/api.ts";
import { createWorld } from "../support/world.ts";
import { Task } from "../../src/scheduling/task.ts";
import { TRIES_ALL } from "../support/cases.ts";

/** The only delegate of the world's repositories. */
const alice = createWriter(0xff);

function open(repository: MemoryRepository, title: string, timeSeconds: number, ...more: unknown[]): Oid {
  const id = putEntry(repository, {
    writer: alice,
    actions: [{ type: "comment", body: `About ${title}` }, { type: "edit", title }, ...more],
    resource: repository.ref("refs/rad/id")!.oid!,
    timeSeconds,
  });
  setTip(repository, alice.nid, id, id);
  return id;
}

const CLOSED = { type: "lifecycle", state: { status: "closed", reason: "other" } };

/** A world with a closed issue and 11 open ones, each a second younger than the one before, and a private issue. */
function createIssues() {
  const world = createWorld();
  const ids = Array.from({ length: 11 }, (_, i) => open(world.hello, `issue ${i}`, ENTRY_SECONDS + i));
  const closed = open(world.hello, "closed", ENTRY_SECONDS + 99, CLOSED);
  const secret = open(world.secret, "secret", ENTRY_SECONDS);
  const { get, log } = createTestApi({}, world);
  const list = `/projects/${world.helloRid}/issues`;
  const titles = async (query: string) =>
    (await get(`${list}${query}`)).body.map((issue: { title: string }) => issue.title);
  return { world, ids, closed, secret, get, log, list, titles };
}

describe("GET /projects/:project/issues", () => {
  it("lists open issues, the newest first, ten a page", async () => {
    const { titles } = createIssues();
    assert.deepEqual(await titles(""), Array.from({ length: 10 }, (_, i) => `issue ${10 - i}`));
    assert.deepEqual(await titles("?state=open&page=1"), ["issue 0"]);
    assert.deepEqual(await titles("?page=2"), []);
    assert.deepEqual(await titles("?perPage=2&page=1"), ["issue 8", "issue 7"]);
    assert.deepEqual(await titles("?perPage=0"), []);
  });

  it("lists closed ones, and all", async () => {
    const { titles } = createIssues();
    assert.deepEqual(await titles("?state=closed"), ["closed"]);
    assert.deepEqual((await titles("?state=all&perPage=20")).length, 12);
  });

  it("orders issues of one second by their ids", async () => {
    const world = createWorld();
    const ids = ["a", "b", "c", "d"].map((title) => open(world.hello, title, ENTRY_SECONDS)).sort();
    const { body } = await createTestApi({}, world).get(`/projects/${world.helloRid}/issues`);
    assert.deepEqual(body.map((issue: { id: Oid }) => issue.id), ids);
  });

  for (
    const query of ["state=", "state=Open", "state=draft", "state=open&state=open", "page=-1", "perPage=x"]
  ) {
    it(`refuses ?${query}`, async () => {
      const { get, list } = createIssues();
      const { status, body } = await get(`${list}?${query}`);
      assert.equal(status, 400);
      assert.equal(body.code, 400);
    });
  }

  it("leaves out issues that are damaged", async () => {
    const { world, ids, titles, log } = createIssues();
    setTip(world.hello, createWriter(7).nid, ids[10]!, "a".repeat(40) as Oid);
    assert.equal((await titles(""))[0], "issue 9");
    assert.equal(log.length, 1);
  });

  it("knows neither unknown repositories nor, for others than the owner, private ones", async () => {
    const { world, get } = createIssues();
    assert.equal((await get("/projects/rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji/issues")).status, 404);
    assert.equal((await get("/projects/none/issues")).status, 400);
    assert.equal((await get(`/projects/${world.secretRid}/issues`)).status, 404);
    assert.equal((await get(`/projects/${world.secretRid}/issues`, OWNER)).body.length, 1);
  });
});

describe("GET /projects/:project/issues/:id", () => {
  it("shows an issue in any state", async () => {
    const { get, list, ids, closed } = createIssues();
    const { status, body } = await get(`${list}/${ids[3]}`);
    assert.deepEqual([status, body.id, body.title, body.discussion.length], [200, ids[3], "issue 3", 1]);
    assert.deepEqual((await get(`${list}/${closed}`)).body.state, { status: "closed", reason: "other" });
  });

  /** An issue with everything that an issue can have, and how it is shown (2.9, 2.11). */
  function createBusyIssue() {
    const world = createWorld();
    const [bob, carol] = [2, 3].map(createWriter).sort((a, b) => a.nid < b.nid ? -1 : 1) as [Writer, Writer];
    const embed = { name: "dot.png", content: "git:94381b429d7f7fe87e1bade52d893ab348ae29cc" };
    let [last, seconds] = [undefined as Oid | undefined, ENTRY_SECONDS];
    let id: Oid | undefined;
    const put = (writer: Writer, ...actions: unknown[]) => {
      const entry = putEntry(world.hello, {
        writer,
        actions,
        parents: last === undefined ? [] : [last],
        resource: world.hello.ref("refs/rad/id")!.oid!,
        timeSeconds: ++seconds,
      });
      id ??= entry;
      setTip(world.hello, writer.nid, id, entry);
      return last = entry;
    };
    const first = put(bob, { type: "comment", body: "Description" }, { type: "edit", title: "Title" });
    const second = put(carol, { type: "comment", body: "Answer", replyTo: first, embeds: [embed] });
    put(carol, { type: "comment.react", id: first, reaction: "👍", active: true });
    put(bob, { type: "comment.react", id: first, reaction: "👍", active: true });
    put(bob, { type: "comment.react", id: first, reaction: "✅", active: true });
    put(alice, { type: "comment.edit", id: second, body: "Better", embeds: [] });
    put(alice, { type: "label", labels: ["bug"] }, { type: "assign", assignees: [didOfNid(carol.nid)] });
    put(bob, { type: "lifecycle", state: { status: "closed", reason: "solved" } });
    const [author, friend, owner] = [bob, carol, alice].map(({ nid }) => ({ id: didOfNid(nid) }));
    const shown = {
      id: first,
      author,
      title: "Title",
      state: { status: "closed", reason: "solved" },
      assignees: [didOfNid(carol.nid)],
      discussion: [
        {
          id: first,
          author,
          body: "Description",
          edits: [{ author, body: "Description", timestamp: ENTRY_SECONDS + 1, embeds: [] }],
          embeds: [],
          reactions: [[bob.nid, "✅"], [bob.nid, "👍"], [carol.nid, "👍"]],
          timestamp: ENTRY_SECONDS + 1,
          replyTo: null,
          resolved: false,
        },
        {
          id: second,
          author: friend,
          body: "Better",
          edits: [
            { author: friend, body: "Answer", timestamp: ENTRY_SECONDS + 2, embeds: [embed] },
            { author: owner, body: "Better", timestamp: ENTRY_SECONDS + 6, embeds: [] },
          ],
          embeds: [],
          reactions: [],
          timestamp: ENTRY_SECONDS + 2,
          replyTo: first,
          resolved: false,
        },
      ],
      labels: ["bug"],
    };
    return { world, shown, bob, carol };
  }

  it("shows an issue as specified (2.9, 2.11), with edits, resolution and reason besides", async () => {
    const { world, shown } = createBusyIssue();
    const path = `/projects/${world.helloRid}/issues/${shown.id}`;
    const { body } = await createTestApi({}, world).get(path);
    assert.equal(JSON.stringify(body), JSON.stringify(shown));
  });

  it("groups reactions by emoji for newer clients", async () => {
    const { world, shown, bob, carol } = createBusyIssue();
    const { get } = createTestApi({ compatibility: { answers: "objects" } }, world);
    const { discussion } = (await get(`/projects/${world.helloRid}/issues/${shown.id}`)).body;
    assert.deepEqual(discussion[0].reactions, [
      { emoji: "✅", authors: [bob.nid] },
      { emoji: "👍", authors: [bob.nid, carol.nid] },
    ]);
  });

  it("names authors where their alias is known", async () => {
    const { world, shown, carol } = createBusyIssue();
    const node = {
      ...createAbsentNode(),
      aliases: (nodes: readonly NodeId[]) =>
        Promise.resolve(new Map(nodes.filter((nid) => nid === carol.nid).map((nid) => [nid, "friend"]))),
    };
    const { get } = createTestApi({ node }, world);
    const { author, discussion } = (await get(`/projects/${world.helloRid}/issues/${shown.id}`)).body;
    const friend = { id: didOfNid(carol.nid), alias: "friend" };
    assert.deepEqual(
      [author, discussion[1].author, discussion[1].edits[0].author],
      [shown.author, friend, friend],
    );
  });

  it("is counted by its state, whatever the reason", async () => {
    const { world } = createBusyIssue();
    open(world.hello, "open", ENTRY_SECONDS);
    open(world.hello, "closed", ENTRY_SECONDS, CLOSED);
    const { body } = await createTestApi({}, world).get(`/projects/${world.helloRid}`);
    assert.deepEqual(body.issues, { open: 1, closed: 2 });
    const { get, world: empty } = createTestApi();
    assert.deepEqual((await get(`/projects/${empty.helloRid}`)).body.issues, { open: 0, closed: 0 });
  });

  it("knows no other objects", async () => {
    const { world, get, list, secret } = createIssues();
    for (const id of ["a".repeat(40), secret, world.commits[0], "abc"]) {
      const { status, body } = await get(`${list}/${id}`);
      assert.deepEqual([status, body], [404, { error: "Not Found", code: 404 }]);
    }
    assert.equal((await get(`${list}/xyz`)).status, 400);
    assert.equal((await get(`/projects/${world.secretRid}/issues/${secret}`)).status, 404);
    assert.equal((await get(`/projects/${world.secretRid}/issues/${secret}`, OWNER)).status, 200);
  });

  it("shows reactions in the form that was asked for", async () => {
    const { world, ids } = createIssues();
    const [id] = ids;
    const resource = world.hello.ref("refs/rad/id")!.oid!;
    const actions = [{ type: "comment.react", id, reaction: "👍", active: true }];
    setTip(
      world.hello,
      alice.nid,
      id!,
      putEntry(world.hello, { writer: alice, actions, parents: [id!], resource }),
    );
    const path = `/projects/${world.helloRid}/issues/${id}`;
    const reactions = async (answers?: "spec" | "objects") =>
      (await createTestApi(answers && { compatibility: { answers } }, world).get(path)).body.discussion[0]
        .reactions;
    assert.deepEqual(await reactions(), [[alice.nid, "👍"]]);
    assert.deepEqual(await reactions("objects"), [{ emoji: "👍", authors: [alice.nid] }]);
  });

  it("evaluates like the generation that was asked for", async () => {
    const world = createWorld();
    const id = open(world.hello, "two\nlines", ENTRY_SECONDS);
    const path = `/projects/${world.helloRid}/issues/${id}`;
    assert.equal((await createTestApi({}, world).get(path)).status, 200);
    assert.equal(
      (await createTestApi({ compatibility: { evaluation: "2024" } }, world).get(path)).status,
      404,
    );
    assert.equal(
      (await createCobs(RULES["2024"], () => {}).issues.list({
        objects: world.hello,
        graph: new CommitGraph(),
        task: new Task(),
      })).length,
      0,
    );
  });
});

// It computes, from megabytes of objects in memory.
describe("an issue with more text than is shown", { skip: !TRIES_ALL }, () => {
  it("has all texts of its author in both dialects, and of strangers' the short ones and some long ones", async () => {
    const world = createWorld();
    const { hello } = world;
    const resource = hello.ref("refs/rad/id")!.oid!;
    const stranger = createWriter(7);
    const text = "x".repeat(3_900_000);
    const id = open(hello, "long", ENTRY_SECONDS);
    const other = open(hello, "other", ENTRY_SECONDS - 1);
    let tip: Oid = id;
    for (let i = 0; i < 20; i++) {
      const actions = [{ type: "comment", body: i % 2 === 0 ? text : "short", replyTo: id }];
      tip = putEntry(hello, { writer: stranger, actions, parents: [tip], resource });
    }
    const answer = { type: "comment", body: text, replyTo: id };
    const own = putEntry(hello, { writer: alice, actions: [answer], parents: [tip], resource });
    setTip(hello, alice.nid, id, own);
    const { get } = createTestApi({ api: "both" }, world);
    const lists = ["projects", "repos"].map((name) => `/${name}/${world.helloRid}/issues`);
    for (const path of lists.flatMap((list) => [`${list}/${id}`, list])) {
      const { status, body, headers } = await get(path);
      const isListed = Array.isArray(body);
      const issue = isListed ? body[0] : body;
      assert.deepEqual([status, headers.get("content-type"), issue.id, issue.title], [
        200,
        "application/json",
        id,
        "long",
      ]);
      assert.deepEqual([issue.truncated, issue.state], [true, { status: "open" }]);
      let long = 0;
      for (const { id, body, edits, truncated } of issue.discussion) {
        assert.equal(truncated, body.length === CUT_UNITS || undefined);
        assert.ok(truncated || body === text || body === "short" || body === "About long");
        assert.equal(edits[0].body, body);
        if (body === text) long++;
        if (id === own) assert.equal(truncated, isListed || undefined);
      }
      assert.deepEqual([issue.discussion.length, long > 1], [22, !isListed]);
      if (isListed) assert.deepEqual([body.length, body[1].id, "truncated" in body[1]], [2, other, false]);
    }
    assert.deepEqual((await get(`/projects/${world.helloRid}`)).body.issues, { open: 2, closed: 0 });
  });
});

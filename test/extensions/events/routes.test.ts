/** Live changes over the API (4.16): what is told, to whom, and from where a reader goes on. */
import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import type { Client } from "../../../mod.ts";
import type { ChangeListener, SeedingPolicy } from "../../../src/ports/radicle_node.ts";
import { didOfNid } from "../../../src/ids/nid.ts";
import { createAbsentNode } from "../../../src/seeding/absent_node.ts";
import { createTestApi, OWNER, STRANGER, type TestOptions } from "../../support/api.ts";
import { EventStream } from "../../support/event_stream.ts";
import { ALICE, createRepository, createWorld, putCommit, setHead, type World } from "../../support/world.ts";
import { createChangeApi } from "../../routes/change_api.ts";

interface Listening {
  readonly path?: string;
  readonly client?: Client;
  readonly lastId?: string;
}

const open: { readonly api: { close(): Promise<void> } }[] = [];
afterEach(async () => {
  for (const { api } of open.splice(0)) await api.close();
});

function start(options: TestOptions = {}, world: World = createWorld()) {
  const made = createTestApi(options, world);
  open.push(made);
  return { ...made, listen: (listening?: Listening) => listenTo(made.api, listening) };
}

async function ask(
  api: { fetch(request: Request, client?: unknown): Promise<Response> },
  { path = "/events", client = STRANGER, lastId }: Listening = {},
): Promise<Response> {
  const headers = lastId === undefined ? {} : { "last-event-id": lastId };
  return await api.fetch(new Request(`http://localhost/api/v1${path}`, { headers }), client);
}

async function listenTo(api: Parameters<typeof ask>[0], listening?: Listening): Promise<EventStream> {
  return await new EventStream(await ask(api, listening)).begin();
}

/** Gives the public repository another document. */
function setVisibility({ hello }: World, isPrivate: boolean): void {
  const doc = JSON.stringify({
    delegates: [didOfNid(ALICE)],
    payload: { "xyz.radicle.project": { defaultBranch: "master", description: "", name: "hello-world" } },
    threshold: 1,
    ...(isPrivate && { visibility: { type: "private" } }),
  });
  hello.setRef(
    "refs/rad/id",
    putCommit(hello, { folder: { embeds: { "radicle.json": doc } }, message: "Change\n" }),
  );
}

describe("GET /events", () => {
  it("reports references that move, with the values before and now", async () => {
    const { world: { hello, helloRid, commits }, listen } = start();
    const events = await listen();
    hello.setRef("refs/heads/next", commits[0]);
    assert.deepEqual(await events.nextOf("references"), {
      type: "references",
      rid: helloRid,
      references: [{ name: "refs/heads/next", from: null, to: commits[0] }],
    });
    hello.setRef("refs/heads/next", commits[1]);
    hello.setRef("refs/tmp/hidden", commits[1]);
    assert.deepEqual((await events.nextOf("references")).references, [
      { name: "refs/heads/next", from: commits[0], to: commits[1] },
    ]);
    hello.deleteRef("refs/heads/next");
    assert.deepEqual((await events.nextOf("references")).references, [
      { name: "refs/heads/next", from: commits[1], to: null },
    ]);
  });

  it("reports issues that are opened and changed, as they are then", async () => {
    const made = await createChangeApi();
    open.push(made);
    const { api, send, world: { helloRid } } = made;
    const events = await listenTo(api, { path: "/events?types=issue" });
    const draft = {
      title: "Leaves hang",
      description: "All of them.",
      labels: [],
      assignees: [],
      embeds: [],
    };
    const { body: { id } } = await send("POST", "/issues", draft);
    const author = { id: didOfNid(ALICE), alias: "tester" };
    const issue = { type: "issue", rid: helloRid, id, title: "Leaves hang", author };
    const { data } = (await events.next())!;
    assert.deepEqual(data, { ...issue, change: "opened", state: { status: "open" } });
    const state = { status: "closed", reason: "solved" };
    await send("PATCH", `/issues/${id}`, { type: "lifecycle", state });
    assert.deepEqual((await events.next())!.data, { ...issue, change: "changed", state });
  });

  it("reports repositories that come and go, private ones only to the owner", async () => {
    const { world: { storage }, listen } = start();
    const [strangers, owners] = [await listen(), await listen({ client: OWNER })];
    const hidden = createRepository(storage, { name: "hidden", isPrivate: true });
    assert.deepEqual(await owners.nextOf("repository"), {
      type: "repository",
      rid: hidden.rid,
      change: "added",
    });
    const shown = createRepository(storage, { name: "shown" });
    assert.deepEqual((await strangers.next())!.data, { type: "repository", rid: shown.rid, change: "added" });
    assert.equal((await owners.nextOf("repository")).rid, shown.rid);
    storage.delete(hidden.rid);
    storage.delete(shown.rid);
    assert.deepEqual((await strangers.next())!.data, {
      type: "repository",
      rid: shown.rid,
      change: "removed",
    });
    const removed = [await owners.nextOf("repository"), await owners.nextOf("repository")];
    assert.deepEqual(new Set(removed.map(({ rid }) => rid)), new Set([hidden.rid, shown.rid]));
  });

  it("reports a repository that becomes private as removed to strangers, and hides its earlier changes", async () => {
    const { world, listen } = start();
    const { hello, helloRid, commits } = world;
    const [strangers, owners] = [await listen(), await listen({ client: OWNER })];
    const before = strangers.lastId!;
    hello.setRef("refs/heads/next", commits[0]);
    await strangers.nextOf("references");
    await owners.nextOf("references");
    setVisibility(world, true);
    const removed = { type: "repository", rid: helloRid, change: "removed" };
    assert.deepEqual((await strangers.next())!.data, removed);
    assert.deepEqual(await owners.nextOf("repository"), { ...removed, change: "private" });
    hello.setRef("refs/heads/next", commits[1]);
    await owners.nextOf("references");
    const resumed = await listen({ lastId: before });
    assert.deepEqual((await resumed.next())!.data, removed);
    setVisibility(world, false);
    assert.deepEqual(await owners.nextOf("repository"), { ...removed, change: "public" });
    assert.deepEqual((await strangers.next())!.data, { ...removed, change: "added" });
    assert.deepEqual((await resumed.next())!.data, { ...removed, change: "added" });
  });

  it("gives strangers ids that stay as they are while private things happen", async () => {
    const { world: { hello, secret, storage, commits }, listen } = start();
    const [strangers, owners] = [await listen(), await listen({ client: OWNER })];
    const { lastId } = strangers;
    for (const name of ["one", "two", "three"]) {
      secret.setRef(`refs/heads/${name}`, commits[0]);
      await owners.nextOf("references");
    }
    const hidden = createRepository(storage, { name: "hidden", isPrivate: true });
    await owners.nextOf("repository");
    storage.delete(hidden.rid);
    await owners.nextOf("repository");
    assert.equal((await listen()).lastId, lastId);
    hello.setRef("refs/heads/next", commits[0]);
    await owners.nextOf("references");
    await strangers.nextOf("references");
    const [name, number] = lastId!.split("-");
    assert.equal(strangers.lastId, `${name}-${Number(number) + 1}`);
    const resumed = await listen({ lastId: lastId! });
    await resumed.nextOf("references");
    assert.equal(resumed.lastId, strangers.lastId);
    // Ids of the owner are unknown ones to strangers, and the other way round.
    for (
      const [from, client] of [[owners, STRANGER], [strangers, OWNER]] as const
    ) {
      const answered = await listen({ client, lastId: from.lastId! });
      assert.deepEqual((await answered.next())!.data, { type: "reset" });
    }
  });

  it("reports a removed repository to strangers once, whatever it has been before", async () => {
    const { world, listen } = start();
    const { helloRid, storage } = world;
    const [strangers, owners] = [await listen(), await listen({ client: OWNER })];
    const before = strangers.lastId!;
    setVisibility(world, true);
    const removed = { type: "repository", rid: helloRid, change: "removed" };
    assert.deepEqual((await strangers.next())!.data, removed);
    await owners.nextOf("repository");
    storage.delete(helloRid);
    assert.deepEqual(await owners.nextOf("repository"), removed);
    const resumed = await listen({ lastId: before });
    assert.deepEqual((await resumed.next())!.data, removed);
    assert.equal(resumed.lastId, strangers.lastId);
  });

  it("reports policies, and a node that starts and stops", async () => {
    const { helloRid, secretRid } = createWorld();
    let policies: readonly SeedingPolicy[] = [{ rid: helloRid, scope: "all", policy: "allow" }];
    let listener: ChangeListener | undefined;
    const node = {
      ...createAbsentNode(),
      policies: () => Promise.resolve(policies),
      watchChanges(heard: ChangeListener) {
        listener = heard;
        heard.onStopped();
        return Promise.resolve();
      },
    };
    const { listen } = start({ node });
    const [strangers, owners] = [
      await listen({ path: "/events?types=policy,node" }),
      await listen({ client: OWNER }),
    ];
    policies = [{ rid: secretRid, scope: "all", policy: "block" }];
    const removed = { type: "policy", rid: helloRid, policy: null, scope: null };
    assert.deepEqual((await strangers.next())!.data, removed);
    assert.deepEqual((await owners.next())!.data, {
      type: "policy",
      rid: secretRid,
      policy: "block",
      scope: "all",
    });
    assert.deepEqual((await owners.next())!.data, removed);
    listener!.onOpen();
    assert.deepEqual((await strangers.next())!.data, { type: "node", state: "running" });
    listener!.onStopped();
    assert.deepEqual((await strangers.next())!.data, { type: "node", state: "stopped" });
  });

  it("goes on after the last event that the reader has got", async () => {
    const { world: { hello, commits }, listen } = start();
    const first = await listen();
    const before = first.lastId!;
    for (const [i, name] of ["one", "two", "three"].entries()) {
      hello.setRef(`refs/heads/${name}`, commits[i]!);
      await first.nextOf("references");
    }
    const second = await listen({ lastId: before });
    const names = [];
    for (let i = 0; i < 3; i++) names.push((await second.nextOf("references")).references[0].name);
    assert.deepEqual(names, ["refs/heads/one", "refs/heads/two", "refs/heads/three"]);
    assert.equal(second.lastId, first.lastId);
  });

  for (
    const lastId of [
      "nobody",
      "0123456789abcdef-1",
      "0123456789abcdef-999999999999999",
      "-".repeat(4000),
      "1",
    ]
  ) {
    it(`answers the unknown id ${lastId.slice(0, 40)} with a reset`, async () => {
      const { listen, world: { hello, commits } } = start();
      const events = await listen({ lastId });
      assert.deepEqual((await events.next())!.data, { type: "reset" });
      hello.setRef("refs/heads/next", commits[0]);
      await events.nextOf("references");
    });
  }

  it("resets readers who ask for an id that comes later", async () => {
    const { listen } = start();
    const { lastId } = await listen();
    const [name, number] = lastId!.split("-");
    const events = await listen({ lastId: `${name}-${Number(number) + 1}` });
    assert.deepEqual((await events.next())!.data, { type: "reset" });
  });

  it("resets readers of the process before", async () => {
    const world = createWorld();
    const { hello, commits } = world;
    const first = start({}, world);
    const events = await first.listen();
    hello.setRef("refs/heads/one", commits[0]);
    await events.nextOf("references");
    const { lastId } = events;
    await first.api.close();
    assert.equal(await events.next(), undefined);
    const second = start({}, world);
    const resumed = await second.listen({ lastId: lastId! });
    assert.deepEqual((await resumed.next())!.data, { type: "reset" });
    hello.setRef("refs/heads/two", commits[0]);
    assert.equal((await resumed.nextOf("references")).references[0].name, "refs/heads/two");
  });

  for (
    const types of [
      "",
      "issue,",
      "nothing",
      "reset",
      "issue,nothing",
      "issue,issue,nothing",
      "issue,".repeat(60),
    ]
  ) {
    it(`refuses the types ${JSON.stringify(types.slice(0, 30))}`, async () => {
      assert.equal((await start().get(`/events?types=${types}`)).status, 400);
    });
  }

  it("has as many readers as the host allows, and frees the places of those who leave", async () => {
    const { api, listen } = start({ maxEventReaders: 2 });
    const [first] = [await listen(), await listen()];
    const refused = await ask(api);
    assert.deepEqual([refused.status, Number(refused.headers.get("retry-after")) > 0], [503, true]);
    await first!.close();
    await listen();
    assert.equal((await ask(api)).status, 503);
  });

  it("takes no place for HEAD", async () => {
    const { api, listen } = start({ maxEventReaders: 1 });
    const head = await api.fetch(new Request("http://localhost/api/v1/events", { method: "HEAD" }), STRANGER);
    assert.deepEqual([head.status, head.headers.get("content-type")], [200, "text/event-stream"]);
    await listen();
  });

  it("may be read from other origins, and is not cached, compressed or buffered", async () => {
    const { api } = start();
    const { headers, body } = await ask(api, { client: OWNER });
    assert.deepEqual(
      ["access-control-allow-origin", "cache-control", "x-accel-buffering"].map((name) => headers.get(name)),
      ["*", "no-store, no-transform", "no"],
    );
    await body!.cancel();
    const preflight = await api.fetch(
      new Request("http://localhost/api/v1/events", {
        method: "OPTIONS",
        headers: { origin: "https://app.example", "access-control-request-method": "GET" },
      }),
    );
    assert.match(preflight.headers.get("access-control-allow-headers")!, /last-event-id/);
  });

  it("ends when the service closes", async () => {
    const { api, listen } = start();
    const events = await listen();
    await api.close();
    assert.equal(await events.next(), undefined);
    assert.equal((await ask(api)).status, 503);
  });
});

describe("GET /projects/:project/events", () => {
  for (const base of ["projects", "repos"]) {
    it(`reports only one repository, below /${base}`, async () => {
      const { world: { storage, hello, helloRid, secretRid, commits, secret }, listen } = start({
        api: "both",
      });
      const events = await listen({ path: `/${base}/${helloRid}/events` });
      const owners = await listen({ path: `/${base}/${secretRid}/events`, client: OWNER });
      createRepository(storage, { name: "shown" });
      setHead(secret, putCommit(secret, { folder: {}, message: "Clear\n" }));
      hello.setRef("refs/heads/next", commits[0]);
      assert.equal((await events.next())!.data.rid, helloRid);
      assert.equal((await owners.next())!.data.rid, secretRid);
    });

    it(`is not there for strangers to a private repository, below /${base}`, async () => {
      const { api, world: { secretRid } } = start({ api: "both" });
      for (const rid of [secretRid, "rad:z3gqcJUoA1n9HaHKufZs5FCSGazv5"]) {
        assert.equal((await ask(api, { path: `/${base}/${rid}/events` })).status, 404, rid);
      }
    });
  }
});

/** The client, against an API in the same process: its requests and its answers are those of the contract. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClientOptions, createClient } from "../../src/client/mod.ts";
import { UnavailableError } from "../../src/errors.ts";
import { createAbsentNode } from "../../src/seeding/absent_node.ts";
import { createTestApi, OWNER } from "../support/api.ts";
import { checkAnswer } from "../support/contract.ts";
import { signerOf } from "../support/keys.ts";
import { ALICE_SEED } from "../support/world.ts";

const BASE = "http://localhost:8080/radicle/";
const NID = "z6MkmpiK7W6PveJZjqkgzxE3ppJmi6hMP3VSb2zpj66AS1ic";

/** A client of an API that its node's owner may change. */
async function connect(options: ClientOptions = {}) {
  const signer = await signerOf(ALICE_SEED);
  const test = createTestApi({
    basePath: "/radicle",
    profile: { nodeId: signer.nodeId, alias: "alice", pinned: () => [] },
    signer: () => signer,
  });
  const sent: Request[] = [];
  const fetch = async (request: Request) => {
    sent.push(request.clone());
    const response = await test.api.fetch(request, OWNER);
    const copy = response.clone();
    checkAnswer(request, copy, await copy.text(), { basePath: "/radicle", api: "v1" });
    return response;
  };
  return { ...test, signer, sent, client: createClient(BASE, { fetch, ...options }) };
}

type Connected = Awaited<ReturnType<typeof connect>>;

/** Opens an issue, and returns its id. */
async function openIssue({ client, world: { helloRid: project } }: Connected, title: string) {
  const issue = { title, description: "", labels: [], assignees: [], embeds: [] };
  return (await client.post("/api/v1/projects/:project/issues", { project }, issue)).id;
}

/** A client of a service that answers what a test says, the last answer again and again. */
function answering(...answers: readonly (() => Response)[]) {
  let asked = 0;
  const waits: number[] = [];
  const client = createClient("http://localhost", {
    fetch: () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)]!()),
    wait: (seconds) => Promise.resolve(void waits.push(seconds)),
  });
  const showAlias = () => client.get("/api/v1/nodes/:nid", { nid: NID });
  return { client, showAlias, waits, asked: () => asked };
}

/** The answer of a busy service. */
function busy(retryAfter?: string): Response {
  const headers = { ...(retryAfter !== undefined && { "retry-after": retryAfter }) };
  return Response.json({ error: "This takes too long", code: 503 }, { status: 503, headers });
}

/** Fields that every page may read (the CORS-safelisted ones of the Fetch standard). */
const SAFELISTED = [
  "cache-control",
  "content-language",
  "content-length",
  "content-type",
  "expires",
  "last-modified",
  "pragma",
];

/** An answer as a browser shows it to pages of other origins. */
function asOtherOrigin({ body, status, headers }: Response): Response {
  const exposed = headers.get("access-control-expose-headers")?.split(/\s*,\s*/) ?? [];
  const shown = [...headers].filter(([name]) => SAFELISTED.includes(name) || exposed.includes(name));
  return new Response(body, { status, headers: shown });
}

describe("a client", () => {
  it("reads what a path names, below the path where the service is mounted", async () => {
    const { client, world: { helloRid: project }, sent } = await connect();
    const { name, head } = await client.get("/api/v1/projects/:project", { project });
    assert.equal(name, "hello-world");
    const place = { project, sha: head, path: "src/ünter dir" };
    await assert.rejects(client.get("/api/v1/projects/:project/tree/:sha/*path", place), { status: 404 });
    assert.deepEqual(sent.map(({ url }) => url), [
      `${BASE}api/v1/projects/${project}`,
      `${BASE}api/v1/projects/${project}/tree/${head}/src/%C3%BCnter%20dir`,
    ]);
  });

  it("sends all other parameters as the query, without those that are undefined", async () => {
    const { client, sent } = await connect();
    await client.get("/api/v1/projects", { show: "all", perPage: 3, page: undefined });
    assert.equal(new URL(sent[0]!.url).search, "?show=all&perPage=3");
  });

  it("knows the routes, their parameters and their answers at compile time", () => {
    const uses = async ({ client }: Connected) => {
      // @ts-expect-error no such route
      await client.get("/api/v1/project");
      // @ts-expect-error the parameter is missing
      await client.get("/api/v1/projects/:project");
      // @ts-expect-error no such state
      await client.get("/api/v1/projects/:project/issues", { project: "", state: "merged" });
      // @ts-expect-error no such action
      await client.patch("/api/v1/projects/:project/issues/:id", { project: "", id: "" }, { type: "merge" });
      // @ts-expect-error no such member
      (await client.get("/api/v1/node")).name;
      // @ts-expect-error no list in pages
      client.items("/api/v1/node/policies/repos");
      // @ts-expect-error no file
      await client.file("/api/v1/node");
    };
    assert.equal(typeof uses, "function");
  });

  it("gives the items of a list, page after page, as far as they are asked for", async () => {
    const api = await connect();
    const { client, signer, world: { helloRid: project }, sent } = api;
    await client.signIn(signer);
    const ids: string[] = [];
    for (const title of ["a", "b", "c", "d", "e"]) ids.push(await openIssue(api, title));
    const path = "/api/v1/projects/:project/issues";
    const found: string[] = [];
    for await (const { id } of client.items(path, { project, perPage: 2 })) found.push(id);
    assert.deepEqual(found.toSorted(), ids.toSorted());
    // The service names no page after the third one.
    const before = sent.length;
    assert.equal(sent.filter(({ url }) => url.includes("perPage=2")).length, 3);
    for await (const page of client.pages(path, { project, perPage: 2, page: 1 })) {
      assert.deepEqual(page.map(({ id }) => id), found.slice(2, 4));
      break;
    }
    assert.equal(sent.length, before + 1);
  });

  it("gives the commits of a history", async () => {
    const { client, world: { helloRid: project, commits } } = await connect();
    const path = "/api/v1/projects/:project/commits";
    const found: string[] = [];
    for await (const { commit } of client.items(path, { project, perPage: 2 })) found.push(commit.id);
    assert.deepEqual(found.toSorted(), [...commits].toSorted());
  });

  it("goes on until a page is empty where a service names no pages", async () => {
    const { client, asked } = answering(
      () => Response.json([{ id: "a" }]),
      () => Response.json([{ id: "b" }]),
      () => Response.json([]),
    );
    const found: string[] = [];
    for await (const { id } of client.items("/api/v1/projects")) found.push(id);
    assert.deepEqual([found, asked()], [["a", "b"], 3]);
  });

  it("reads a file as it is", async () => {
    const { client, world: { helloRid: rid } } = await connect();
    const response = await client.file("/raw/:rid/head/*path", { rid, path: "README" });
    assert.match(await response.text(), /^Hello/);
  });
});

describe("a client's sign-in", () => {
  it("proves the key of the node, and lets the client change things until it signs out", async () => {
    const api = await connect();
    const { client, signer, world: { helloRid: project } } = api;
    assert.equal(client.token, undefined);
    const session = await client.signIn(signer);
    assert.deepEqual([session.status, session.sessionId], ["authorized", client.token]);
    const place = { project, id: await openIssue(api, "Hello") };
    const path = "/api/v1/projects/:project/issues/:id";
    await client.patch(path, place, { type: "label", labels: ["bug"] });
    assert.deepEqual((await client.get(path, place)).labels, ["bug"]);
    await client.signOut();
    assert.equal(client.token, undefined);
    await assert.rejects(openIssue(api, "No"), { code: "badRequest", status: 400 });
  });

  it("and all changes name a type, without which guards against forged forms refuse them", async () => {
    const api = await connect();
    const { client, signer, sent } = api;
    await client.signIn(signer);
    await openIssue(api, "Hello");
    await client.signOut();
    const changes = sent.filter(({ method }) => method !== "GET");
    assert.deepEqual(changes.map(({ method }) => method), ["POST", "PUT", "POST", "DELETE"]);
    const types = new Set(changes.map(({ headers }) => headers.get("content-type")));
    assert.deepEqual([...types], ["application/json"]);
  });

  it("signs nothing but a session of that node", async () => {
    const signer = { nodeId: NID, sign: () => assert.fail("signed") };
    const session = { sessionId: "a".repeat(32), publicKey: NID, status: "unauthorized" };
    const others = [{ sessionId: "tree 0" }, { publicKey: NID.replace("z6Mkm", "z6Mkn") }];
    for (const other of others) {
      const { client } = answering(() => Response.json({ ...session, ...other }, { status: 201 }));
      await assert.rejects(client.signIn(signer), TypeError);
      assert.equal(client.token, undefined);
    }
  });
});

describe("an error", () => {
  it("has the code and the text of the service", async () => {
    const { client } = await connect();
    const get = (project: string) => client.get("/api/v1/projects/:project", { project });
    await assert.rejects(get("rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbq"), {
      name: "ClientError",
      code: "notFound",
      status: 404,
      message: "Repository rad:z4FucBZHZMCsxTyQE1dfE2YR59Qbq was not found",
    });
    await assert.rejects(get("nope"), { code: "badParameter", status: 400 });
  });

  it("of a proxy has no code", async () => {
    const { showAlias } = answering(() => new Response("<h1>Bad Gateway</h1>", { status: 502 }));
    await assert.rejects(showAlias(), { code: "unknown", status: 502, message: "The service answered 502" });
  });
});

describe("a busy service", () => {
  it("is asked again after the time that it names", async () => {
    const answers = [() => busy("5"), () => busy("7"), () => Response.json({ alias: "bob" })];
    const { showAlias, waits } = answering(...answers);
    assert.deepEqual(await showAlias(), { alias: "bob" });
    assert.deepEqual(waits, [5, 7]);
  });

  for (const [retryAfter, times] of [["5", 3], [undefined, 1], ["60", 1], ["soon", 1]] as const) {
    it(`is asked ${times} times at most when it says Retry-After: ${retryAfter}`, async () => {
      const { showAlias, asked } = answering(() => busy(retryAfter));
      await assert.rejects(showAlias(), { code: "unavailable", status: 503 });
      assert.equal(asked(), times);
    });
  }

  it("is asked again by a page of another origin, which reads only the fields that it may", async () => {
    let asked = 0;
    const aliases = () => {
      if (asked++ > 0) return Promise.resolve(new Map());
      throw new UnavailableError("This takes too long", { retryAfterSeconds: 7 });
    };
    const { api } = createTestApi({ node: { ...createAbsentNode(), aliases } });
    const waits: number[] = [];
    const client = createClient("http://localhost", {
      fetch: async (request) => asOtherOrigin(await api.fetch(request)),
      wait: (seconds) => Promise.resolve(void waits.push(seconds)),
    });
    assert.deepEqual(await client.get("/api/v1/nodes/:nid", { nid: NID }), { alias: null });
    assert.deepEqual([asked, waits], [2, [7]]);
  });

  it("is not waited for when the request is given up", async () => {
    const controller = new AbortController();
    const client = createClient("http://localhost", {
      fetch: () => {
        queueMicrotask(() => controller.abort(new Error("enough")));
        return Promise.resolve(busy("20"));
      },
    });
    const { signal } = controller;
    const showAlias = () => client.get("/api/v1/nodes/:nid", { nid: NID }, { signal });
    await assert.rejects(showAlias(), /enough/);
    await assert.rejects(showAlias(), /enough/);
  });
});

describe("a client of a service with replicas", () => {
  const tokenAt = (atMs: number) => `z1.${"0".repeat(32)}.${atMs}.`;
  const path = "/api/v1/projects/:project/issues/:id";

  /** A client whose answers have the tokens that a test gives; and the tokens of its requests. */
  function connected(options: ClientOptions = {}) {
    const given: (string | undefined)[] = [];
    const sent: (string | null)[] = [];
    const client = createClient("http://localhost", {
      fetch: (request) => {
        sent.push(request.headers.get("xylem-consistency-token"));
        const token = given.shift();
        const headers = { ...(token !== undefined && { "xylem-consistency-token": token }) };
        return Promise.resolve(Response.json({}, { headers }));
      },
      ...options,
    });
    return { client, given, sent };
  }

  it("sends the newest token of a repository with each request for it, and with no other", async () => {
    const { client, given, sent } = connected();
    given.push(undefined, tokenAt(2), tokenAt(1), tokenAt(10));
    const read = (project: string) => client.get(path, { project, id: "1" });
    for (const project of ["a", "a", "a", "a", "b", "a"]) await read(project);
    await client.get("/api/v1/nodes/:nid", { nid: NID });
    assert.deepEqual(sent, [null, null, tokenAt(2), tokenAt(2), null, tokenAt(10), null]);
  });

  it("stores tokens in the given store, otherwise of the repositories that were changed last", async () => {
    const tokens = new Map<string, string>();
    const { client, given } = connected({ consistencyTokens: tokens });
    given.push(tokenAt(1));
    await client.get(path, { project: "a", id: "1" });
    assert.deepEqual([...tokens], [["a", tokenAt(1)]]);
    const other = connected();
    for (let i = 0; i <= 100; i++) {
      other.given.push(tokenAt(1));
      await other.client.get(path, { project: `${i}`, id: "1" });
    }
    other.sent.length = 0;
    for (const project of ["0", "1"]) await other.client.get(path, { project, id: "1" });
    assert.deepEqual(other.sent, [null, tokenAt(1)]);
  });
});

describe("changes as they happen", () => {
  const asked = (made: ReturnType<typeof createTestApi>) => {
    const sent: Request[] = [];
    const waits: number[] = [];
    const client = createClient("http://localhost", {
      fetch: (request) => {
        sent.push(request);
        return made.api.fetch(request);
      },
      wait: (seconds, signal) => {
        waits.push(seconds);
        // In a turn of its own: otherwise a client that is refused again and again stops everything else.
        return new Promise((resolve, reject) =>
          setTimeout(() => signal?.aborted ? reject(signal.reason) : resolve(), 0)
        );
      },
    });
    return { client, sent, waits };
  };

  it("come until the loop is left", async () => {
    const made = createTestApi({ maxEventReaders: 1 });
    const { hello, helloRid, commits } = made.world;
    const { client, sent } = asked(made);
    for (let round = 0; round < 2; round++) {
      const onOpen = () => hello.setRef(`refs/heads/next-${round}`, commits[0]);
      const wanted = { repository: helloRid, types: ["references"], onOpen } as const;
      for await (const event of client.events(wanted)) {
        if (event.type === "reset") {
          // On a busy machine the first look is late: what was set before it is not told.
          hello.setRef(`refs/heads/next-${round}`, commits[1]);
          continue;
        }
        assert.ok(event.type === "references" && event.eventId !== "");
        assert.equal(event.references[0]!.name, `refs/heads/next-${round}`);
        break;
      }
    }
    assert.equal(new URL(sent[0]!.url).pathname, `/api/v1/projects/${helloRid}/events`);
    assert.equal(new URL(sent[0]!.url).search, "?types=references");
    await made.api.close();
  });

  it("go on after a connection that is lost, from the last event on", async () => {
    const block = (id: number) => `id: run-${id}\nevent: node\ndata: {"type":"node","state":"running"}\n\n`;
    const answers: (() => Response)[] = [
      () => new Response(`: hello\n\nid: run-0\n\n${block(1)}id: ru`),
      () => busy("7"),
      () => new Response(block(2)),
      () => Response.json({ error: "Not Found", code: 404 }, { status: 404 }),
    ];
    const [ids, waits]: [(string | null)[], number[]] = [[], []];
    const client = createClient("http://localhost", {
      fetch: (request) => {
        ids.push(request.headers.get("last-event-id"));
        return Promise.resolve(answers[ids.length - 1]!());
      },
      wait: (seconds) => Promise.resolve(void waits.push(seconds)),
    });
    const heard: string[] = [];
    await assert.rejects(async () => {
      for await (const { eventId } of client.events({ lastEventId: "run-x" })) heard.push(eventId);
    }, { name: "ClientError", status: 404 });
    assert.deepEqual(heard, ["run-1", "run-2"]);
    assert.deepEqual(ids, ["run-x", "run-1", "run-1", "run-2"]);
    assert.deepEqual([waits.length, waits[1], waits[0]! <= 1, waits[2]! <= 1], [3, 7, true, true]);
  });

  it("end with an error of the listener itself", async () => {
    const made = createTestApi();
    const { client, sent } = asked(made);
    const mistake = new TypeError("no such function");
    const onOpen = () => {
      throw mistake;
    };
    await assert.rejects(client.events({ onOpen }).next(), mistake);
    assert.equal(sent.length, 1);
    await made.api.close();
  });

  it("end with the reason of the signal", async () => {
    const made = createTestApi();
    const { client } = asked(made);
    const control = new AbortController();
    const reason = new Error("enough");
    const events = client.events({ signal: control.signal, onOpen: () => control.abort(reason) });
    await assert.rejects(events.next(), reason);
    await made.api.close();
  });

  it("are refused for what is not there", async () => {
    const made = createTestApi();
    const repository = made.world.secretRid;
    const events = asked(made).client.events({ repository });
    await assert.rejects(events.next(), { name: "ClientError", code: "notFound" });
    await made.api.close();
  });
});

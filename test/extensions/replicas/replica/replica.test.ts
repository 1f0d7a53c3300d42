/** A replica with an origin: what it passes on, and to whom it shows what. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryBucket } from "../../../../extensions/replicas/bucket/memory.ts";
import { MAX_FRAMES } from "../../../../extensions/git/pkt_line.ts";
import { manifestKey, NODE_KEY } from "../../../../extensions/replicas/format/keys.ts";
import { BucketError } from "../../../../extensions/replicas/bucket/bucket.ts";
import {
  createReplica,
  type Replica,
  type ReplicaOptions,
} from "../../../../extensions/replicas/replica/replica.ts";
import { createAbsentNode } from "../../../../src/seeding/absent_node.ts";
import type { RepoId } from "../../../../src/ids/rid.ts";
import {
  CONSISTENCY_TOKEN_FIELD,
  TokenSigner,
} from "../../../../extensions/replicas/origin/consistency_token.ts";
import type { FetchOrigin } from "../../../../extensions/replicas/origin/forward.ts";
import { createTestPublisher } from "../publisher/test_publisher.ts";
import { type Client, NODE_OWNER } from "../../../../mod.ts";
import { MAX_READERS_OF_PEER } from "../../../../extensions/events/places.ts";
import { ClientClaims } from "../../../../extensions/replicas/origin/client_claim.ts";
import { CLIENT_ADDRESS_FIELD } from "../../../../extensions/replicas/origin/fields.ts";
import { createTestApi, OWNER, STRANGER } from "../../../support/api.ts";
import { CountingBucket } from "../../../support/published.ts";
import { ALICE, ALICE_SEED, BOB, createWorld, publish, putCommit, setHead } from "../../../support/world.ts";

const NOW_MS = 1_700_000_000_000;
const unsigned = new TokenSigner(undefined);
/** A token of a state that no publisher ever reads. */
const neverPublished = (rid: RepoId) => ({ rid, digest: "0".repeat(32), atMs: NOW_MS * 2 });

/** A published home with one project, and a replica of it. */
async function openWorld(options: Partial<ReplicaOptions> = {}) {
  const world = createWorld();
  const { hello: repository, commits: [, , head] } = world;
  const bucket = new CountingBucket(createMemoryBucket());
  const node = {
    node: {
      ...createAbsentNode(),
      aliases: () => Promise.resolve(new Map([[ALICE, "alice"], [BOB, "bob"]])),
      knownNodes: () => Promise.resolve([ALICE, BOB]),
    },
    profile: { nodeId: ALICE, alias: "alice", pinned: () => [repository.rid] },
  };
  const clock = { nowMs: NOW_MS };
  const publisher = createTestPublisher(world.storage, bucket, { node, now: () => clock.nowMs });
  await publisher.publishAll();
  bucket.reset();
  const log: string[] = [];
  const replica = await createReplica(bucket, {
    loadLibgit2: () => Promise.reject(new Error("not needed")),
    environment: { now: () => clock.nowMs, log: (_, message) => void log.push(message) },
    ...options,
  });
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await replica.fetch(new Request(`http://localhost${path}`, init));
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  return { world, repository, bucket, clock, publisher, replica, get, head, log };
}

describe("the clients of a replica", () => {
  const KEY = "a key that origin and replicas have";

  it("are named to the origin with the key, for each request, and not without it", async () => {
    const claims: (string | undefined)[] = [];
    const fetch: FetchOrigin = (_, { headers }) => {
      claims.push(headers.get(CLIENT_ADDRESS_FIELD) ?? undefined);
      return Promise.resolve(new Response("[]"));
    };
    const origin = { url: "http://origin.example", fetch };
    const search = (headers: Record<string, string> = {}) =>
      new Request("http://localhost/api/v1/search?q=x", { headers });
    const forged = { [CLIENT_ADDRESS_FIELD]: "192.0.2.9" };
    const read = new ClientClaims(KEY, () => NOW_MS);
    const clients = [
      [STRANGER, "192.0.2.7"],
      [STRANGER, "192.0.2.7"],
      [OWNER, undefined],
      [undefined, undefined],
      [NODE_OWNER, undefined],
    ] as const;
    const { replica } = await openWorld({ origin, tokenKey: KEY });
    for (const [client, address] of clients) {
      await replica.fetch(search(forged), client);
      assert.deepEqual(read.verify(claims.pop()!), { address });
    }
    await replica.close();
    const { replica: withoutKey } = await openWorld({ origin });
    await withoutKey.fetch(search(forged), STRANGER);
    assert.equal(claims.pop(), undefined);
    await withoutKey.close();
    const { replica: behindProxy } = await openWorld({ origin, tokenKey: KEY, behindProxy: true });
    await behindProxy.fetch(search(forged), STRANGER);
    assert.deepEqual(read.verify(claims.pop()!), { address: undefined });
    await behindProxy.close();
  });

  it("have bounds of listeners, each of its own", async () => {
    const { replica } = await openWorld();
    const statusOf = async (client: Client) =>
      (await replica.fetch(new Request("http://localhost/api/v1/events"), client)).status;
    for (let i = 0; i < MAX_READERS_OF_PEER; i++) assert.equal(await statusOf(STRANGER), 200);
    assert.equal(await statusOf(STRANGER), 503);
    assert.equal(await statusOf({ transport: "tcp", address: "192.0.2.8" }), 200);
    await replica.close();
  });
});

describe("a replica", () => {
  it("never shows the profile, and marks each answer as a replica's", async () => {
    const { get, replica } = await openWorld();
    for (const path of ["/", "/api/v1/projects", "/api/v1/profile", "/nothing/here/at/all"]) {
      assert.equal((await get(path)).headers.get("via"), "1.1 xylem-replica", path);
    }
    assert.equal((await get("/api/v1/profile")).status, 401);
    await replica.close();
  });

  it("does not show private repositories, not even to this machine", async () => {
    const { replica, world } = await openWorld();
    const client = { transport: "tcp", address: "127.0.0.1" };
    for (const path of [`/api/v1/projects/${world.secretRid}`, "/api/v1/profile"]) {
      const response = await replica.fetch(new Request(`http://127.0.0.1${path}`), client);
      assert.ok(response.status === 404 || response.status === 401, path);
    }
    const all = await replica.fetch(new Request("http://127.0.0.1/api/v1/projects?show=all"), client);
    assert.ok(!(await all.text()).includes(world.secretRid));
    await replica.close();
  });

  it("shows the published facts about the node", async () => {
    const { get, replica } = await openWorld();
    assert.equal(JSON.parse((await get(`/api/v1/nodes/${BOB}`)).body).alias, "bob");
    const { id, config, state } = JSON.parse((await get("/api/v1/node")).body);
    assert.deepEqual({ id, config, state }, { id: ALICE, config: null, state: "stopped" });
    await replica.close();
  });

  it("serves raw files and archives from the bucket, byte by byte as the home does", async () => {
    const { head, replica, repository: { rid }, world } = await openWorld();
    const { api } = createTestApi({ api: "both" }, world);
    const bytesOf = async (response: Response) => {
      assert.equal(response.status, 200);
      return new Uint8Array(await response.arrayBuffer());
    };
    for (const path of [`${head}/README`, "head/README", `${head}.tar.gz`, "archive/master.zip"]) {
      const url = `http://localhost/raw/${rid}/${path}`;
      const [ours, home] = [
        await replica.fetch(new Request(url)),
        await api.fetch(new Request(url), STRANGER),
      ];
      assert.deepEqual(await bytesOf(ours), await bytesOf(home), path);
    }
    await replica.close();
  });

  it("refuses options that cannot be used, whatever is in the bucket", async () => {
    const loadLibgit2 = () => Promise.reject(new Error("not needed"));
    const wrong: Partial<ReplicaOptions>[] = [
      { origin: "origin" },
      { freshSeconds: -1 },
      { aliases: { "": "" } },
      { basePath: "?" },
      { memory: { totalBytes: 1 } },
    ];
    for (const options of wrong) {
      const opening = createReplica(createMemoryBucket(), { loadLibgit2, ...options });
      await assert.rejects(opening, { name: /^(Type|Range)Error$/ }, JSON.stringify(options));
    }
  });

  it("answers whatever a framework calls it with", async () => {
    const { replica } = await openWorld();
    const broken = Object.defineProperty(new Request("http://localhost/"), "method", {
      get() {
        throw new TypeError("no method");
      },
    });
    for (const request of [undefined, null, {}, { method: "GET", url: "/{" }, "http://localhost/", broken]) {
      for (const client of [undefined, null, 7, Symbol("client"), new Proxy({}, {})]) {
        const { status, headers } = await replica.fetch(request as Request, client);
        assert.ok([400, 404, 405, 500].includes(status), `${status}`);
        assert.equal(headers.get("content-type"), "application/json");
      }
    }
    await replica.close();
  });

  it("answers 503 with Retry-After while the bucket is away, and what is in memory from there", async () => {
    const { get, replica, bucket, clock, repository } = await openWorld();
    const path = `/api/v1/projects/${repository.rid}`;
    const before = await get(path);
    assert.equal(before.status, 200);
    bucket.fault = () => Promise.reject(new BucketError("unavailable", "away"));
    clock.nowMs += 60_000;
    assert.deepEqual((await get(path)).body, before.body);
    for (const other of ["/api/v1/projects/rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG", "/api/v1/projects?show=all"]) {
      const { status, headers } = await get(other);
      assert.equal(status, 503, other);
      assert.ok(Number(headers.get("retry-after")) > 0);
    }
    bucket.fault = undefined;
    assert.equal((await get("/api/v1/projects/rad:z4XaCmN3jLSeiMvW15YTDpNbDHFhG")).status, 404);
    assert.equal((await get("/api/v1/projects?show=all")).status, 200);
    await replica.close();
  });

  it("answers 503 to what needs a damaged object, and all else as ever", async () => {
    const { replica, bucket, repository: { rid }, head, log } = await openWorld();
    const project = `/api/v1/projects/${rid}`;
    const paths = [
      "/api/v1/projects?show=all",
      "/api/v1/stats",
      project,
      `${project}/commits?diff=none`,
      `${project}/commits/${head}`,
      `${project}/tree/${head}/`,
      `${project}/issues`,
      "/api/v1/node",
      `/api/v1/nodes/${ALICE}/inventory`,
      "/api/v1/node/policies/repos",
    ];
    const answersOf = async ({ fetch }: Pick<Replica, "fetch">) => {
      const answers: Record<string, string> = {};
      for (const path of paths) {
        const response = await fetch(new Request(`http://localhost${path}`));
        const body = await response.text();
        assert.equal(response.headers.has("retry-after"), response.status === 503, body);
        answers[path] = response.status === 503 ? "503" : `${response.status} ${body}`;
      }
      return answers;
    };
    const expected = await answersOf(replica);
    await replica.close();
    const flip = (at: number) => (bytes: Uint8Array<ArrayBuffer>) =>
      bytes.map((byte, i) => i === Math.floor(at * bytes.length) ? byte ^ 1 : byte);
    const damages: ((bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>)[] = [
      flip(0.5),
      flip(0.999),
      (bytes) => bytes.slice(0, -1),
      () => new Uint8Array(),
      () => new TextEncoder().encode("null"),
    ];
    /** Paths that are answered 503, by the damaged object. */
    const spoiled: Record<string, Set<string>> = {};
    for await (const { key } of bucket.list("")) {
      const sound = await bucket.get(key);
      assert.ok(typeof sound === "object");
      for (const damage of damages) {
        await bucket.put(key, damage(sound.bytes));
        const other = await createReplica(bucket, {
          loadLibgit2: () => Promise.reject(new Error("not needed")),
          environment: { now: () => NOW_MS, log: (_, message) => void log.push(message) },
        });
        for (const [path, answer] of Object.entries(await answersOf(other))) {
          if (answer === "503") (spoiled[key.replace(/\/.*/, "")] ??= new Set()).add(path);
          else assert.equal(answer, expected[path], `${key} ${damage}`);
        }
        await other.close();
      }
      await bucket.put(key, sound.bytes);
    }
    assert.deepEqual(spoiled, {
      "catalogue": new Set(["/api/v1/projects?show=all"]),
      "node.json": new Set(paths),
      [rid.slice("rad:".length)]: new Set(paths.filter((path) => path.startsWith(project))),
      "repositories.json": new Set(["/api/v1/projects?show=all", "/api/v1/stats"]),
    });
    assert.deepEqual(log.filter((line) => !/damaged|cannot be read/.test(line)), []);
  });

  it("shows no repository any more whose manifest is gone", async () => {
    const { get, replica, bucket, clock, repository } = await openWorld();
    const path = `/api/v1/projects/${repository.rid}`;
    assert.equal((await get(path)).status, 200);
    await bucket.delete([manifestKey(repository.rid)]);
    clock.nowMs += 2_000;
    assert.equal((await get(path)).status, 404);
    await replica.close();
  });

  it("reads the bucket a few times for the first answer, and once for the next ones", async () => {
    const { get, replica, bucket, clock, repository, head } = await openWorld();
    assert.deepEqual(bucket.asked, [NODE_KEY]);
    assert.equal((await get(`/api/v1/projects/${repository.rid}/tree/${head}/`)).status, 200);
    assert.ok(bucket.reads <= 5, `${bucket.reads} reads: ${bucket.asked.join()}`);
    clock.nowMs += 2_000;
    bucket.reset();
    await get(`/api/v1/projects/${repository.rid}/tree/${head}/`);
    assert.deepEqual(bucket.asked, [manifestKey(repository.rid)]);
    await replica.close();
  });
});

describe("a replica with an origin", () => {
  it("passes on changes, sessions, searches and git, and nothing else", async () => {
    const passed: string[] = [];
    const fetch: FetchOrigin = (url, { method }) => {
      passed.push(`${method} ${url}`);
      return Promise.resolve(Response.json({ ok: true }, { status: method === "POST" ? 201 : 200 }));
    };
    const { get, replica, repository: { rid } } = await openWorld({
      origin: { url: "http://origin.example/", fetch },
    });
    assert.equal((await get(`/api/v1/projects/${rid}/issues`, { method: "POST", body: "{}" })).status, 201);
    await get("/api/v1/sessions", { method: "POST" });
    await get(`/api/v1/sessions/${"a".repeat(32)}`);
    await get("/api/v1/search?q=word");
    await get("/api/v1/repos/search?q=word");
    await get(`/${rid}.git/info/refs?service=git-upload-pack`);
    await get(`/api/v1/projects/${rid}`);
    await get("/api/v1/projects");
    assert.deepEqual(passed, [
      `POST http://origin.example/api/v1/projects/${rid}/issues`,
      "POST http://origin.example/api/v1/sessions",
      `GET http://origin.example/api/v1/sessions/${"a".repeat(32)}`,
      "GET http://origin.example/api/v1/search?q=word",
      "GET http://origin.example/api/v1/repos/search?q=word",
      `GET http://origin.example/${rid}.git/info/refs?service=git-upload-pack`,
    ]);
    assert.equal(JSON.parse((await get("/api/v1/info")).body).httpd.searchAvailable, true);
    const foreign = await get("/api/v1/search?q=word", { headers: { via: "1.1 other" } });
    assert.equal(foreign.status, 403);
    await replica.close();
  });

  it("reads requests of git as its origin does, and passes them on unpacked", async () => {
    const passed: string[] = [];
    const fetch: FetchOrigin = async (_url, { headers, body }) => {
      passed.push(`${headers.get("content-encoding")} ${await new Response(body).text()}`);
      return new Response("pack");
    };
    const { get, replica, repository: { rid } } = await openWorld({
      origin: { url: "http://origin.example/", fetch },
    });
    const send = async (text: string, type = "application/x-git-upload-pack-request") => {
      const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
      const { status, body } = await get(`/${rid}.git/git-upload-pack`, {
        method: "POST",
        headers: { "content-type": type, "content-encoding": "gzip" },
        body: await new Response(packed).arrayBuffer(),
      });
      return [status, body];
    };
    const wanted = `0032want ${"1".repeat(40)}\n00000009done\n`;
    assert.deepEqual(await send(wanted), [200, "pack"]);
    assert.deepEqual(await send("0000".repeat(MAX_FRAMES)), [200, "pack"]);
    const tooMany = [413, `Request body has more than ${MAX_FRAMES} frames\n`];
    assert.deepEqual(await send("0000".repeat(MAX_FRAMES + 1)), tooMany);
    assert.deepEqual(await send("0003"), [400, "Request body is not in git's protocol\n"]);
    assert.deepEqual(passed, [`null ${wanted}`, `null ${"0000".repeat(MAX_FRAMES)}`]);
    // The origin refuses another type without its body.
    assert.deepEqual(await send("0003", "text/plain"), [200, "pack"]);
    await replica.close();
  });

  it("asks the origin about a repository until the bucket has the change that it passed on", async () => {
    const passed: string[] = [];
    const point = { digest: "0".repeat(32), atMs: NOW_MS + 500 };
    const { get, replica, publisher, clock, repository, head } = await openWorld({
      freshSeconds: 2,
      origin: {
        url: "http://origin.example",
        fetch: (url, { method }) => {
          passed.push(method);
          const headers: HeadersInit = method === "POST"
            ? { [CONSISTENCY_TOKEN_FIELD]: unsigned.sign({ rid: repository.rid, ...point }) }
            : {};
          return Promise.resolve(new Response(`{"from":"${new URL(url).hostname}"}`, { headers }));
        },
      },
    });
    const path = `/api/v1/projects/${repository.rid}`;
    await get(`${path}/issues`, { method: "POST", body: "{}" });
    assert.equal((await get(path)).body, '{"from":"origin.example"}');
    clock.nowMs += 10_000;
    assert.equal((await get(path)).body, '{"from":"origin.example"}');
    // What came through a proxy with Via is never passed on: a read is answered from the bucket.
    const proxied = await get(path, { headers: { via: "1.1 other" } });
    assert.match(proxied.body, /"id":"rad:/);
    // Another state is published, which was read after the change.
    const more = putCommit(repository, { folder: { more: "More\n" }, parents: [head], message: "More" });
    setHead(repository, more);
    publish(repository, ALICE_SEED, { master: more });
    await publisher.publishAll();
    clock.nowMs += 10_000;
    assert.match((await get(path)).body, /"id":"rad:/);
    assert.deepEqual(passed, ["POST", "GET", "GET"]);
    await replica.close();
  });

  it("answers by itself again half a minute after a change that never arrives", async () => {
    const { get, replica, clock, repository } = await openWorld({
      origin: {
        url: "http://origin.example",
        fetch: () =>
          Promise.resolve(
            new Response("{}", {
              headers: { [CONSISTENCY_TOKEN_FIELD]: unsigned.sign(neverPublished(repository.rid)) },
            }),
          ),
      },
    });
    const path = `/api/v1/projects/${repository.rid}`;
    await get(`${path}/issues`, { method: "POST", body: "{}" });
    assert.equal((await get(path)).body, "{}");
    clock.nowMs += 30_000;
    assert.match((await get(path)).body, /"id":"rad:/);
    await replica.close();
  });

  it("shows what is published, though its own change is missing there, when the origin is away", async () => {
    let isAway = false;
    const { get, replica, repository } = await openWorld({
      origin: {
        url: "http://origin.example",
        fetch: () => {
          if (isAway) return Promise.reject(new TypeError("refused"));
          const token = unsigned.sign(neverPublished(repository.rid));
          return Promise.resolve(new Response("{}", { headers: { [CONSISTENCY_TOKEN_FIELD]: token } }));
        },
      },
    });
    const path = `/api/v1/projects/${repository.rid}`;
    await get(`${path}/issues`, { method: "POST", body: "{}" });
    assert.equal((await get(path)).body, "{}");
    isAway = true;
    assert.match((await get(path)).body, /"id":"rad:/);
    assert.equal((await get(`${path}/issues`, { method: "POST", body: "{}" })).status, 503);
    await replica.close();
  });

  it("passes nothing on that no route has", async () => {
    const { get, replica } = await openWorld({
      origin: { url: "http://origin.example", fetch: () => Promise.reject(new Error("asked")) },
    });
    assert.equal((await get("/api/v1/nothing", { method: "POST" })).status, 404);
    assert.equal((await get("/api/v1/projects", { method: "POST" })).status, 405);
    assert.equal((await get("/api/v1/search?q=word")).status, 503);
    await replica.close();
  });

  it("refuses an origin that is no URL", async () => {
    await assert.rejects(openWorld({ origin: "origin" }), TypeError);
  });
});

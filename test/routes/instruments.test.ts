/** Instruments of a host: it is told of requests, and gives each client a share of expensive ones. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Client, RequestEvent } from "../../mod.ts";
import { createTestApi, OWNER, STRANGER, type TestOptions } from "../support/api.ts";
import type { Oid } from "../../src/ids/oid.ts";
import { createWorld, putCommit, setHead } from "../support/world.ts";
import { createChangeApi } from "./change_api.ts";

describe("onRequest", () => {
  /** What is told of requests. */
  async function told(
    paths: readonly string[],
    options: TestOptions = {},
    client: Client = STRANGER,
  ) {
    const events: RequestEvent[] = [];
    const { api } = createTestApi({ onRequest: (event) => void events.push(event), ...options });
    for (const path of paths) await api.fetch(new Request(`http://localhost${path}`), client);
    return events;
  }

  it("gets pattern, status and time of each request", async () => {
    const events = await told(["/api/v1/projects?page=0", "/none", "/raw/x/head/a"]);
    assert.deepEqual(events.map(({ pattern, status }) => [pattern, status]), [
      ["/api/v1/projects", 200],
      [undefined, 404],
      ["/raw/:rid/head/*path", 400],
    ]);
    assert.ok(events.every(({ seconds, error }) => seconds >= 0 && seconds < 60 && error === undefined));
    assert.equal(new URL(events[0]!.request.url).search, "?page=0");
  });

  it("gets unexpected errors", async () => {
    const error = new Error("the storage is broken");
    const world = createWorld();
    const storage = { ...world.storage, repositoryIds: () => Promise.reject(error) };
    const [event] = await told(["/api/v1/projects"], { storage });
    assert.deepEqual([event!.status, event!.error], [500, error]);
  });

  it("may throw", async () => {
    const { api } = createTestApi({
      onRequest() {
        throw new Error("an instrument is broken");
      },
    });
    assert.equal((await api.fetch(new Request("http://localhost/api/v1"), STRANGER)).status, 200);
  });
});

describe("share", () => {
  const USED_UP = { take: () => 2.1 };
  const ofProject = (rid: string, path: string) =>
    new Request(`http://localhost/api/v1/projects/${rid}${path}`);

  it("refuses what is expensive, and nothing else", async () => {
    const { api, world: { helloRid } } = createTestApi({ clients: { share: USED_UP } });
    for (
      const path of ["/commits", "/commits/HEAD", "/diff/a/b", "/tree/HEAD/", "/blob/HEAD/a", "/readme/HEAD"]
    ) {
      const { status, headers } = await api.fetch(ofProject(helloRid, path), STRANGER);
      assert.deepEqual([status, headers.get("retry-after")], [429, "3"], path);
      assert.equal(headers.get("x-robots-tag"), "noindex, nofollow");
    }
    for (const path of ["", "/issues", "/patches", "/remotes"]) {
      const { status, headers } = await api.fetch(ofProject(helloRid, path), STRANGER);
      assert.deepEqual([status, headers.get("x-robots-tag")], [200, null], path);
    }
  });

  it("marks what it lets through, for search engines", async () => {
    const { api, world: { helloRid } } = createTestApi({ clients: { share: { take: () => undefined } } });
    const { status, headers } = await api.fetch(ofProject(helloRid, "/tree/HEAD/"), OWNER);
    assert.deepEqual([status, headers.get("x-robots-tag")], [200, "noindex, nofollow"]);
  });

  it("is not asked about the owner", async () => {
    let asked = 0;
    const take = () => void asked++;
    const { api, world: { helloRid } } = createTestApi({ clients: { share: { take } } });
    for (const client of [OWNER, STRANGER, OWNER]) {
      assert.equal((await api.fetch(ofProject(helloRid, "/tree/HEAD/"), client)).status, 200);
    }
    assert.equal(asked, 1);
  });

  it("refuses clients of git by a line of text", async () => {
    const { api, world: { helloRid } } = createTestApi({ clients: { share: USED_UP } });
    const url = `http://localhost/${helloRid.slice(4)}.git/info/refs?service=git-upload-pack`;
    const response = await api.fetch(new Request(url), STRANGER);
    assert.deepEqual([response.status, response.headers.get("retry-after")], [429, "3"]);
    assert.equal(response.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(await response.text(), "Too Many Requests\n");
  });

  it("does not bind clients that may change things", async () => {
    const { api, token, world: { helloRid } } = await createChangeApi({ clients: { share: USED_UP } });
    const statusWith = async (authorization: string) => {
      const request = new Request(ofProject(helloRid, "/tree/HEAD/"), { headers: { authorization } });
      return (await api.fetch(request, STRANGER)).status;
    };
    assert.equal(await statusWith(`Bearer ${token}`), 200);
    for (const other of ["Bearer none", "Bearer", `Basic ${token}`, ""]) {
      assert.equal(await statusWith(other), 429, other);
    }
  });

  it("is charged for the time that an answer takes, streamed or left out", async () => {
    const world = createWorld();
    let parents: Oid[] = [];
    for (let i = 0; i < 6000; i++) {
      parents = [
        putCommit(world.hello, { folder: { README: "1\n" }, parents, message: `${"x".repeat(500)}${i}` }),
      ];
    }
    setHead(world.hello, parents[0]!);
    const costOf = async (method: string, path: string, client: Client) => {
      let chargedMs = 0;
      const charge = (charged: Request, ms: number) => {
        assert.equal(charged, request);
        chargedMs += ms;
      };
      const { api } = createTestApi({ clients: { share: { take: () => undefined, charge } } }, world);
      const url = `http://localhost/api/v1/projects/${world.helloRid}${path}?perPage=100000&diff=none`;
      const request = new Request(url, { method });
      await (await api.fetch(request, client)).arrayBuffer();
      await api.close();
      return chargedMs;
    };
    for (const method of ["GET", "HEAD"]) {
      assert.ok(await costOf(method, "/commits", STRANGER) >= 25, method);
      assert.equal(await costOf(method, "/commits", OWNER), 0);
    }
    assert.equal(await costOf("GET", "/issues", STRANGER), 0);
  });
});

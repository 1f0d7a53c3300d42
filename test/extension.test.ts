/** Extensions of a host: how the API takes them, and what they may do. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { archives } from "../extensions/archives/mod.ts";
import { type ApiExtension, createApi } from "../mod.ts";
import type { Extension } from "../src/extension.ts";
import { json } from "../src/http/respond.ts";
import { ALICE, createWorld } from "./support/world.ts";

const createPing = (): Extension => ({
  name: "ping",
  routes: () => [["GET", "/api/v1/ping", () => Promise.resolve(json({ pong: true }))]],
});

/** An API with these extensions and no others. */
function createExtended(...extensions: readonly ApiExtension[]) {
  const { storage, helloRid } = createWorld();
  const log: string[] = [];
  const api = createApi({
    storage,
    profile: { nodeId: ALICE, pinned: () => [] },
    loadLibgit2: () => Promise.reject(new Error("not needed")),
    environment: { log: (_, message) => void log.push(message) },
    extensions,
  });
  const ask = (path: string, method = "GET") =>
    api.fetch(new Request(`http://localhost/api/v1${path}`, { method }));
  return { api, ask, log, helloRid };
}

describe("an extension", () => {
  it("adds routes, which have the methods, errors and header fields of all others", async () => {
    const { ask } = createExtended(createPing());
    const response = await ask("/ping");
    assert.deepEqual([response.status, await response.json()], [200, { pong: true }]);
    assert.equal(response.headers.get("access-control-allow-origin"), "*");
    const refused = await ask("/ping", "POST");
    assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET,HEAD"]);
  });

  it("is described by the OpenAPI document as far as it brings a part of it", async () => {
    const described: Extension = {
      name: "described",
      routes: () => [["GET", "/api/v1/pong", () => Promise.resolve(json({}))]],
      document: (dialect) =>
        Promise.resolve({
          paths: {
            "/api/v1/pong": JSON.stringify({ get: { summary: dialect } }),
            "/": JSON.stringify({ get: { summary: "Replaced." } }),
          },
          components: { schemas: { Pong: `{"maximum":18446744073709551615}` }, links: { More: "{}" } },
        }),
    };
    const { ask } = createExtended(createPing(), described);
    const text = await (await ask("/openapi.json")).text();
    const { paths, components } = JSON.parse(text);
    assert.deepEqual(paths["/api/v1/pong"], { get: { summary: "both" } });
    assert.deepEqual(paths["/"], { get: { summary: "Replaced." } });
    assert.equal(paths["/api/v1/ping"], undefined);
    assert.ok(text.includes(`"Pong":{"maximum":18446744073709551615}`));
    assert.deepEqual(Object.keys(components.schemas).filter((name) => /^(?:Issue|Pong)$/.test(name)), [
      "Issue",
      "Pong",
    ]);
    assert.deepEqual(components.links, { More: {} });
  });

  it("whose part of the document fails to load is asked again by the next request", async () => {
    let failures = 1;
    const { ask } = createExtended({
      name: "late",
      document: () =>
        failures-- > 0
          ? Promise.reject(new Error("not loaded"))
          : Promise.resolve({ paths: { "/late": "{}" }, components: {} }),
    } as Extension);
    assert.equal((await ask("/openapi.json")).status, 500);
    const { paths } = await (await ask("/openapi.json")).json();
    assert.deepEqual(paths["/late"], {});
  });

  it("is absent unless the host passes it", async () => {
    const { ask } = createExtended();
    for (const path of ["/ping", "/events", "/search?q=a"]) assert.equal((await ask(path)).status, 404, path);
  });

  it("may answer a request before its handler, and gets what the route says of it", async () => {
    const seen: unknown[] = [];
    const { ask, helloRid } = createExtended({
      name: "first",
      answerFirst(request, { pattern, rid, need }) {
        seen.push([request.method, pattern, rid, need]);
        return Promise.resolve(request.method === "POST" ? json({}, { status: 202 }) : undefined);
      },
    } as Extension);
    assert.equal((await ask(`/projects/${helloRid}`)).status, 200);
    assert.equal((await ask("/sessions", "POST")).status, 202);
    assert.deepEqual(seen, [
      ["GET", "/api/v1/projects/:project", helloRid, undefined],
      ["POST", "/api/v1/sessions", undefined, "change"],
    ]);
  });

  it("that fails costs one answer", async () => {
    const broken: Extension = { name: "broken", answerFirst: () => Promise.reject(new Error("broken")) };
    const { ask, log } = createExtended(broken);
    const response = await ask("/node");
    assert.deepEqual([response.status, await response.json()], [500, {
      error: "Internal Server Error",
      code: 500,
    }]);
    assert.equal(log.length, 1);
  });

  it("has a name of its own, and serves one API", () => {
    assert.throws(() => createExtended(createPing(), createPing()), TypeError);
    const extension = archives();
    createExtended(extension);
    assert.throws(() => createExtended(extension), TypeError);
  });

  it("is closed with the API", async () => {
    let isClosed = false;
    const closing: Extension = { name: "closing", close: () => Promise.resolve(void (isClosed = true)) };
    await createExtended(closing).api.close();
    assert.ok(isClosed);
  });
});

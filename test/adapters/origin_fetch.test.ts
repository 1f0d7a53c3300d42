/** Requests to an origin over sockets: Host, bodies both ways, and an origin that is away. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type FetchOrigin, Origin } from "../../extensions/replicas/origin/forward.ts";
import { UnavailableError } from "../../src/errors.ts";
import { toResponse } from "../../src/http/answer.ts";
import type { Server } from "../../adapters/server/server.ts";
import { createServer } from "./this_runtime_server.ts";

const { fetchOrigin }: { fetchOrigin: FetchOrigin } = "Deno" in globalThis
  ? await import("../../adapters/deno/origin_fetch.ts")
  : await import("../../adapters/node/origin_fetch.ts");

const SIZE = 3 * 1024 * 1024;

describe("an origin behind a socket", () => {
  let server: Server;
  let url: string;

  before(async () => {
    const handler = async (request: Request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/elsewhere") {
        return new Response(null, { status: 302, headers: { location: "/large" } });
      }
      if (pathname === "/large") return new Response(new Uint8Array(SIZE).fill(7));
      if (pathname === "/same") return new Response(null, { status: 304 });
      if (pathname === "/unread") return new Response("refused", { status: 401 });
      const { length } = new Uint8Array(await request.arrayBuffer());
      const { headers } = request;
      return Response.json([headers.get("host"), headers.get("via"), headers.get("authorization"), length]);
    };
    server = await createServer(handler, { address: { transport: "tcp", hostname: "127.0.0.1", port: 0 } });
    const { address } = server;
    url = `http://127.0.0.1:${address.transport === "tcp" ? address.port : ""}`;
  });
  after(() => server.close());

  const forward = async (path: string, init?: RequestInit) =>
    toResponse(
      await new Origin({ url, fetch: fetchOrigin }).forward(
        new Request(`http://replica.example.org${path}`, init),
      ),
    );

  it("gets Host, Via and Authorization, and the whole body", async () => {
    const headers = { host: "radicle.example.org", authorization: "Bearer t" };
    const response = await forward("/echo", { method: "POST", headers, body: new Uint8Array(SIZE) });
    assert.deepEqual(await response.json(), ["radicle.example.org", "1.1 xylem-replica", "Bearer t", SIZE]);
    assert.equal(response.headers.get("via"), "1.1 xylem-replica");
  });

  it("answers with a large body or without a body", async () => {
    assert.equal((await (await forward("/large")).arrayBuffer()).byteLength, SIZE);
    assert.equal((await forward("/same")).status, 304);
    assert.equal((await forward("/large", { method: "HEAD" })).body, null);
  });

  it("may refuse a body that it has not read", async () => {
    const response = await forward("/unread", { method: "POST", body: new Uint8Array(SIZE) });
    assert.deepEqual([response.status, await response.text()], [401, "refused"]);
  });

  it("that redirects, or is away, is unavailable", async () => {
    const isUnavailable = (error: unknown) => error instanceof UnavailableError;
    await assert.rejects(forward("/elsewhere"), isUnavailable);
    await server.close();
    await assert.rejects(forward("/echo", { method: "POST", body: "x" }), isUnavailable);
  });
});

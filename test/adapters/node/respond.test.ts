/** Answers of finished bytes over a real socket: the same, to the byte, as those of the runtime's own `Response`. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createServer } from "../../../adapters/node/create_server.ts";
import { respond } from "../../../adapters/node/respond.ts";
import type { Server } from "../../../adapters/server.ts";
import { ask, request } from "../wire.ts";

const HEADERS = { "content-type": "application/json", etag: '"e"' };
const isNode = !("Deno" in globalThis) && !("Bun" in globalThis);

describe("an answer of finished bytes", { skip: !isNode }, () => {
  let server: Server;
  before(async () => {
    server = await createServer(({ url }) => {
      const bytes = new TextEncoder().encode('{"name":"xylem"}');
      const headers = { ...HEADERS, "content-length": String(bytes.length) };
      const response = url.endsWith("/own") ? new Response(bytes, { headers }) : respond(bytes, headers);
      response.headers.append("vary", "origin");
      return response;
    }, { address: { transport: "tcp", hostname: "127.0.0.1", port: 0 }, log: () => {} });
  });
  after(() => server.close());

  it("is sent as any other", async () => {
    const normal = (text: string) => text.replace(/^date:.*\r\n/im, "").toLowerCase();
    const own = await ask(server.address, request("GET /own"));
    const finished = await ask(server.address, request("GET /finished"));
    assert.match(own, /\{"name":"xylem"\}$/);
    assert.equal(normal(finished), normal(own));
  });

  it("is a Response to everybody else", async () => {
    const response = respond(new Uint8Array([97, 98]), HEADERS);
    assert.ok(response instanceof Response);
    assert.equal(response.headers.get("etag"), '"e"');
    assert.equal(await response.clone().text(), "ab");
    assert.equal(await new Response(response.body, response).text(), "ab");
  });
});

/** A body that nobody wants does not hold up the next request on its connection. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Server } from "../../adapters/server/server.ts";
import { createServer } from "./this_runtime_server.ts";
import { open } from "./wire.ts";

const BODY = "x".repeat(2 * 1024 * 1024);

describe("a request on a connection", () => {
  let server: Server;

  before(async () => {
    const handler = async (request: Request) => {
      const { pathname } = new URL(request.url);
      // As a limit does that is passed.
      if (pathname === "/begun") await request.body?.getReader().read();
      if (pathname === "/cancelled") await request.body?.cancel();
      return new Response(`answer of ${pathname}`);
    };
    server = await createServer(handler, {
      address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
    });
  });
  after(() => server.close());

  for (
    const [method, path] of [["PUT", "/unread"], ["PUT", "/begun"], ["PUT", "/cancelled"], ["GET", "/unread"]]
  ) {
    it(`is answered after one whose body was refused: ${method} ${path}`, async () => {
      const wire = await open(server.address);
      wire.send(
        `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
      );
      await wire.until(`answer of ${path}`);
      wire.send("GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assert.match(await wire.until("answer of /next"), /answer of \/next/);
      wire.leave();
    });
  }

  it("is answered after a request with an invalid target", async () => {
    const wire = await open(server.address);
    wire.send(
      `GET http://[::1/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
    await wire.until("HTTP/1.1 400 Bad Request");
    wire.send("GET /next HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert.match(await wire.until("answer of /next"), /answer of \/next/);
    wire.leave();
  });
});

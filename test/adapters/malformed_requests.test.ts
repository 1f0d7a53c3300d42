/** Requests that are none, over real sockets on the runtime that executes this. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Address } from "../../adapters/server/address.ts";
import { Connections } from "../../adapters/server/connections.ts";
import type { Server } from "../../adapters/server/server.ts";
import { malformedRequest, randomNumbers, SMUGGLED } from "../hostile/requests.ts";
import { createServer } from "./this_runtime_server.ts";
import { ask, open, request } from "./wire.ts";

const SEED = 11;
const REQUESTS = 3000;
/** Connections at a time. */
const AT_ONCE = 50;
/** What a server waits for half a request. */
const WAIT_MS = 200;

let server: Server;
const seen: string[] = [];
before(async () => {
  server = await createServer(async (request) => {
    seen.push(new URL(request.url).pathname);
    const text = await request.text().catch(() => "broken");
    return new Response(`<${text.length}>`);
  }, {
    address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
    connections: new Connections({ headMs: WAIT_MS, requestMs: WAIT_MS, idleMs: WAIT_MS }),
  });
});
after(() => server.close());

/** Sends text and says that there is no more; the answer. */
function send(address: Address, text: string): Promise<string> {
  return new Promise((resolve) => {
    assert.ok(address.transport === "tcp");
    const socket = connect(address.port, address.hostname);
    let answer = "";
    socket.setEncoding("latin1");
    socket.on("data", (part) => answer += part);
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
    socket.end(text, "latin1");
  });
}

describe("malformed requests", () => {
  it(`of ${REQUESTS} kinds get no answer, or one that is no fault of the server's`, async () => {
    const random = randomNumbers(SEED);
    const statuses = new Set<string>();
    let left = REQUESTS;
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const text = malformedRequest(random);
        for (const [, status = ""] of (await send(server.address, text)).matchAll(/^HTTP\/1\.1 (\d+)/gm)) {
          statuses.add(status);
          assert.doesNotMatch(status, /^5(?!0[13])/, JSON.stringify(text.slice(0, 1000)));
        }
      }
    }));
    assert.ok(statuses.has("200") && statuses.has("400"));
    assert.match(await ask(server.address, request("GET /alive")), /^HTTP\/1\.1 200/);
  });

  for (const text of SMUGGLED) {
    it(`hide no other request: ${JSON.stringify(text.split("\r\n").slice(2, -4))}`, async () => {
      seen.length = 0;
      await send(server.address, text);
      assert.ok(!seen.includes("/smuggled"));
    });
  }

  for (
    const [what, text] of [
      ["one header field of 64 KiB", `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"a".repeat(65536)}\r\n\r\n`],
      ["10,000 header fields", `GET / HTTP/1.1\r\nHost: localhost\r\n${"X: a\r\n".repeat(10_000)}\r\n`],
      ["a target of 64 KiB", `GET /${"a".repeat(65536)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
    ] as const
  ) {
    it(`with ${what} are refused`, async () => {
      seen.length = 0;
      assert.match(await send(server.address, text), /^$|^HTTP\/1\.1 (431|414|400|413)/);
      assert.deepEqual(seen, []);
    });
  }

  it("that want to be told to go on are", async () => {
    const wire = await open(server.address);
    wire.send(request("POST /", ["Expect: 100-continue", "Content-Length: 5"]));
    await wire.until("HTTP/1.1 100 Continue\r\n\r\n");
    wire.send("hello");
    assert.match(await wire.end(), /<5>/);
  });
});

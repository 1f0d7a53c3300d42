/** Requests that are none, over real sockets on the runtime that executes this. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import type { Address } from "../../adapters/server/address.ts";
import { Connections } from "../../adapters/server/connections.ts";
import type { Server } from "../../adapters/server/server.ts";
import { oddRequest } from "../hostile/requests/grammar.ts";
import { hidingRequests } from "../hostile/requests/hidden.ts";
import { Random } from "../hostile/requests/random.ts";
import { createServer } from "./this_runtime_server.ts";
import { ask, open, request } from "./wire.ts";

const SEED = 11;
const REQUESTS = 3000;
/** Connections at a time. */
const AT_ONCE = 50;
/** Time after which the hasty server ends a request that does not go on, in milliseconds: many tests wait for it. */
const WAIT_MS = 200;

let server: Server, hasty: Server;
const seen: string[] = [];
/** Resolve when a request for `/held` has come, and when it may be answered. */
let [came, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
before(async () => {
  const handle = async (request: Request) => {
    const { pathname } = new URL(request.url);
    seen.push(pathname);
    if (pathname === "/held") {
      came.resolve();
      await mayGo.promise;
    }
    const text = await request.text().catch(() => "broken");
    return new Response(`<${text.length}>`);
  };
  const address = { transport: "tcp", hostname: "127.0.0.1", port: 0 } as const;
  server = await createServer(handle, { address });
  const limits = { headMs: WAIT_MS, requestMs: WAIT_MS, idleMs: WAIT_MS };
  hasty = await createServer(handle, { address, connections: new Connections(limits) });
});
after(async () => {
  await server.close();
  await hasty.close();
});

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

/** Asks until there is an answer. */
async function askAgain(address: Address, text: string): Promise<string> {
  for (;;) {
    const answer = await ask(address, text);
    if (answer !== "" && !/^HTTP\/1\.1 408/.test(answer)) return answer;
  }
}

describe("malformed requests", () => {
  it(`of ${REQUESTS} kinds get no answer, or one that is no fault of the server's`, async () => {
    const statuses = new Set<string>();
    let left = REQUESTS;
    await Promise.all(Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) {
        const text = oddRequest(new Random(SEED, left), "mark");
        for (const [, status = ""] of (await send(hasty.address, text)).matchAll(/^HTTP\/1\.1 (\d+)/gm)) {
          statuses.add(status);
          assert.doesNotMatch(status, /^5(?!0[13])/, JSON.stringify(text.slice(0, 1000)));
        }
      }
    }));
    assert.ok(statuses.has("200") && statuses.has("400"));
    assert.match(await askAgain(hasty.address, request("GET /alive")), /^HTTP\/1\.1 200/);
  });

  for (const text of hidingRequests("/smuggled")) {
    it(`hide no other request: ${JSON.stringify(text.split("\r\n").slice(1, -4))}`, async () => {
      seen.length = 0;
      await send(hasty.address, text);
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

  for (
    const [what, text, refusal] of [
      ["bytes that are none", "hello\r\n\r\n", 400],
      ["a head without a host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
      ["a head with two hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n", 400],
      ["a head that is too large", `GET / HTTP/1.1\r\nX: ${"a".repeat(65536)}\r\n\r\n`, 431],
      ["a malformed body", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400],
      ["CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", 400],
    ] as const
  ) {
    for (const isLater of [false, true]) {
      it(`such as ${what} are refused after answers to earlier requests${isLater ? " under way" : ""}`, async () => {
        [came, mayGo] = [Promise.withResolvers(), Promise.withResolvers()];
        const wire = await open(server.address);
        const good = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
        wire.send(good("/held") + good("/next") + (isLater ? "" : text));
        await came.promise;
        if (isLater) {
          wire.send(text);
          // Another answer takes longer than these bytes.
          await ask(server.address, request("GET /alive"));
        }
        mayGo.resolve();
        const answer = await wire.end();
        assert.deepEqual(answer.match(/(?<=^HTTP\/1.1 )\d+/gm), ["200", "200", String(refusal)]);
      });
    }
  }

  it("are harmless when their client leaves before the refusal", async () => {
    [came, mayGo] = [Promise.withResolvers(), Promise.withResolvers()];
    const wire = await open(server.address);
    const good = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    wire.send(`${good("/held")}${good("/next")}CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n`);
    await came.promise;
    wire.leave();
    mayGo.resolve();
    for (let i = 0; i < 10; i++) {
      assert.match(await ask(server.address, request("GET /alive")), /^HTTP\/1\.1 200/);
    }
  });

  it("that expect 100 Continue are", async () => {
    const wire = await open(server.address);
    wire.send(request("POST /", ["Expect: 100-continue", "Content-Length: 5"]));
    await wire.until("HTTP/1.1 100 Continue\r\n\r\n");
    wire.send("hello");
    assert.match(await wire.end(), /<5>/);
  });

  for (const protocol of ["h2c", "websocket"]) {
    it(`that wish for ${protocol} are answered as if they did not, and end the connection`, async () => {
      const wish = request("GET /wish", [`Upgrade: ${protocol}`]).replace("close", "Upgrade");
      for (const next of ["GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n", "OPTIGET / HTTP/1.1\r\n\r\n"]) {
        assert.match(
          await ask(server.address, wish + next),
          /^HTTP\/1\.1 200 (?:(?!HTTP)[^])*connection: close(?:(?!HTTP)[^])*$/i,
        );
      }
    });
  }

  it("with an unknown expectation end the connection, with their body", async () => {
    const body = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const text = request("POST /", ["Expect: miracles", `Content-Length: ${body.length}`], body);
    const answer = await ask(server.address, text.replace("close", "keep-alive"));
    assert.deepEqual(answer.match(/(?<=^HTTP\/1.1 )\d+/gm), ["417"]);
    assert.match(answer, /connection: close/i);
  });
});

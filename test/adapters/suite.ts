/** What every adapter's `createServer` must do, over real sockets on the runtime that executes this. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import type { Address } from "../../adapters/server/address.ts";
import type { Handler } from "../../adapters/server/handler.ts";
import type { Server, ServerOptions } from "../../adapters/server/server.ts";
import type { Client } from "../../mod.ts";
import { ROOT } from "../support/programs.ts";
import { ask, open, request } from "./wire.ts";

/** A server that needs this time to close, in milliseconds, never closes while a test lasts. */
const NEVER_MS = 2 ** 31 - 1;
const ANY_PORT: Address = { transport: "tcp", hostname: "127.0.0.1", port: 0 };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Runs the suite for one implementation. */
export function testServer(
  name: string,
  createServer: (handler: Handler, options: ServerOptions) => Promise<Server>,
): void {
  const servers: Server[] = [];
  const logged: string[] = [];

  async function start(handler: Handler, address = ANY_PORT, closeMs?: number): Promise<Server> {
    const log = (level: string, message: string, cause: unknown) =>
      void logged.push(`${level} ${message} ${cause instanceof Error ? cause.message : ""}`);
    const server = await createServer(handler, { address, log, ...closeMs !== undefined && { closeMs } });
    servers.push(server);
    return server;
  }

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
    logged.length = 0;
  });

  describe(`${name}: requests`, () => {
    it("have the address of the other end", async () => {
      const clients: (Client | undefined)[] = [];
      const { address } = await start((_request, client) => {
        clients.push(client);
        return new Response();
      });
      await ask(address, request("GET /"));
      assert.deepEqual(clients, [{ transport: "tcp", address: "127.0.0.1" }]);
    });

    it("of HTTP/1.0 without a host come from a stranger", async () => {
      const clients: (Client | undefined)[] = [];
      const { address } = await start((_request, client) => {
        clients.push(client);
        return new Response();
      });
      for (const fields of ["", "Host: localhost\r\n"]) await ask(address, `GET / HTTP/1.0\r\n${fields}\r\n`);
      const sender = { transport: "tcp", address: "127.0.0.1" };
      assert.deepEqual(clients, [{ ...sender, isForwarded: true }, sender]);
    });

    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      it(`keep the method ${method}`, async () => {
        const { address } = await start((request) => new Response(`<${request.method}>`));
        assert.match(
          await ask(address, request(`${method} /`, ["Content-Length: 0"])),
          new RegExp(`<${method}>`),
        );
      });
    }

    it("keep the Host header and the rest of the headers", async () => {
      const { address } = await start(({ headers }) =>
        new Response(`<${[headers.get("host"), headers.get("accept"), headers.get("x-two")].join()}>`)
      );
      const raw =
        "GET / HTTP/1.1\r\nHost: name.example:81\r\nAccept: a/b\r\nX-Two: 1\r\nx-two: 2\r\nConnection: close\r\n\r\n";
      assert.match(await ask(address, raw), /<name\.example:81,a\/b,1, 2>/);
    });

    for (
      const path of [
        "/a%2Fb",
        "/a%00b",
        "/a%2eb",
        "/a//b",
        "//a",
        "/%zz",
        "/a%",
        "/%C3%A4?x=%2F&y=%zz",
        "/a+b",
      ]
    ) {
      it(`keep ${path} byte for byte`, async () => {
        const { address } = await start(({ url }) => new Response(`<${url}>`));
        assert.ok((await ask(address, request(`GET ${path}`))).includes(`<http://localhost${path}>`));
      });
    }

    it("arrive while their body is still being sent", async () => {
      const begun = Promise.withResolvers<void>();
      const { address } = await start(async (request) => {
        let text = "";
        for await (const bytes of request.body ?? []) {
          text += decoder.decode(bytes);
          begun.resolve();
        }
        return new Response(`<${text}>`);
      });
      const wire = await open(address);
      wire.send(request("POST /", ["Transfer-Encoding: chunked"], "3\r\none\r\n"));
      await begun.promise;
      wire.send("3\r\ntwo\r\n0\r\n\r\n");
      assert.match(await wire.end(), /<onetwo>/);
    });

    it("may be refused while their body is still being sent", async () => {
      const refused: Promise<unknown>[] = [];
      const { address } = await start(async ({ url, body }) => {
        if (url.endsWith("/alive")) return new Response("alive");
        const reader = body!.getReader();
        await reader.read();
        refused.push(reader.read(), reader.cancel());
        return new Response("refused", { status: 413 });
      });
      const body = "a".repeat(2 ** 21);
      for (const fields of [[`Content-Length: ${body.length}`], [`Content-Length: ${2 * body.length}`]]) {
        const wires = await Promise.all(Array.from({ length: 20 }, () => open(address)));
        for (const wire of wires) wire.send(request("POST /", fields, body));
        await Promise.all(wires.map((wire) => wire.until("refused")));
        for (const wire of wires) wire.leave();
      }
      assert.match(await ask(address, request("GET /alive")), /alive/);
      await Promise.all(refused);
    });

    it("abort when the client leaves", async () => {
      const arrived = Promise.withResolvers<void>();
      const aborted = Promise.withResolvers<void>();
      const { address } = await start(async (request) => {
        request.signal.addEventListener("abort", () => aborted.resolve());
        arrived.resolve();
        await aborted.promise;
        return new Response();
      });
      const wire = await open(address);
      wire.send(request("GET /"));
      await arrived.promise;
      wire.leave();
      await aborted.promise;
    });

    const odd = [
      "GET *",
      "OPTIONS *",
      "GET http://other.example/path?x=1",
      "GET http://[bad",
      "GET ftp://x/y",
      "GET foo",
      "GET ///",
      "GET /a\\b",
      "GET /a/../../b",
      "GET /%2e%2e/b",
      'GET /"<>|{}^`',
      "GET /#fragment",
      "GET /\u00e4",
      "GET /\u0000",
      "CONNECT localhost:80",
      "TRACE /",
      "get /",
    ];
    for (const line of odd) {
      it(`may be odd: ${JSON.stringify(line)}`, async () => {
        const { address } = await start(({ url }) => new Response(new URL(url).pathname));
        const answer = await ask(address, request(line));
        // Some runtimes hang up on what is no HTTP for them; whoever answers, answers with HTTP.
        assert.match(answer, /^$|^HTTP\/1\.[01] [245]\d\d/);
        assert.doesNotMatch(answer, /^HTTP\/1\.1 500|stack|Error:/);
        assert.match(await ask(address, request("GET /alive")), /\/alive/);
      });
    }

    for (const host of ["Host: a b", "Host: localhost:99999", "Host: [::1", "Host: 999.1.1.1"]) {
      // The last three are normalised before they are a URL.
      for (const target of ["/", "/{", "/a/../b", "/?q='"]) {
        it(`for ${target} with "${host}" reach the handler with a URL that can be read, or not at all`, async () => {
          const { address } = await start(({ url }) => new Response(new URL(url).pathname));
          const answer = await ask(
            address,
            `GET ${target} HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`,
          );
          assert.match(answer, /^HTTP\/1\.1 [24]00/);
          assert.deepEqual(logged, []);
          assert.match(await ask(address, request("GET /alive")), /\/alive/);
        });
      }
    }

    for (
      const [what, handler] of [
        ["throws", () => {
          throw new Error("secret");
        }],
        ["answers nothing", () => undefined as unknown as Response],
        ["answers something else", () => "secret" as unknown as Response],
        ["makes an impossible answer", () => ({ status: 42, headers: { "a b": "secret" }, body: undefined })],
      ] as const
    ) {
      it(`whose handler ${what} get 500 without a word of it`, async () => {
        const { address } = await start(handler);
        const answer = await ask(address, request("GET /"));
        assert.match(answer, /^HTTP\/1\.1 500/);
        assert.doesNotMatch(answer, /secret/);
      });
    }
  });

  describe(`${name}: answers`, () => {
    it("keep status, headers and body", async () => {
      const { address } = await start(() => new Response("text", { status: 418, headers: { "x-own": "1" } }));
      const answer = await ask(address, request("GET /"));
      assert.match(answer, /^HTTP\/1\.1 418/);
      assert.match(answer, /\r\nx-own: 1\r\n/i);
      assert.match(answer, /text/);
    });

    it("to HEAD have the length and no body", async () => {
      const { address } = await start(() => new Response(null, { headers: { "content-length": "4" } }));
      const answer = await ask(address, request("HEAD /"));
      assert.match(answer, /\r\ncontent-length: 4\r\n/i);
      assert.ok(answer.endsWith("\r\n\r\n"));
    });

    it("of 304 have no body and leave the connection to the next request", async () => {
      const { address } = await start(({ url }) =>
        new URL(url).pathname === "/kept"
          ? new Response(null, { status: 304, headers: { etag: '"e"', "cache-control": "no-cache" } })
          : new Response("next")
      );
      const wire = await open(address);
      wire.send("GET /kept HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await wire.until("\r\n\r\n");
      wire.send(request("GET /"));
      const [head = "", next = ""] = (await wire.end()).split(/(?<=\r\n\r\n)(?=HTTP)/);
      assert.match(head, /^HTTP\/1\.1 304[^]*\r\netag: "e"\r\n[^]*\r\n\r\n$/i);
      assert.doesNotMatch(head, /content-length: [1-9]|transfer-encoding/i);
      assert.match(next, /^HTTP\/1\.1 200[^]*next/);
    });

    it("arrive while they are still being made", async () => {
      const seen = Promise.withResolvers<void>();
      const { address } = await start(() =>
        new Response(
          new ReadableStream({
            async start(controller) {
              controller.enqueue(encoder.encode("first"));
              await seen.promise;
              controller.enqueue(encoder.encode("second"));
              controller.close();
            },
          }),
        )
      );
      const wire = await open(address);
      wire.send(request("GET /"));
      await wire.until("first");
      seen.resolve();
      assert.match(await wire.end(), /second/);
    });

    it("stop being made when the client leaves", async () => {
      const cancelled = Promise.withResolvers<void>();
      const { address } = await start(() =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(1 << 16)),
            cancel: () => cancelled.resolve(),
          }),
        )
      );
      const wire = await open(address);
      wire.send(request("GET /"));
      await wire.until("\0");
      wire.leave();
      await cancelled.promise;
    });

    it("of a failing handler reveal nothing about the failure", async () => {
      const { address } = await start(() => Promise.reject(new Error("secret")));
      const answer = await ask(address, request("GET /"));
      assert.match(answer, /^HTTP\/1\.1 500/);
      assert.ok(answer.endsWith('{"error":"Internal Server Error","code":500}'));
      assert.deepEqual(logged, ["error Request failed secret"]);
    });

    it("whose body fails end without being complete", async () => {
      const { address } = await start(() => {
        let pulls = 0;
        return new Response(
          new ReadableStream({
            pull(controller) {
              if (pulls++ > 0) throw new Error("secret");
              controller.enqueue(encoder.encode("begun"));
            },
          }),
        );
      });
      const answer = await ask(address, request("GET /"));
      assert.doesNotMatch(answer, /secret|\r\n0\r\n\r\n$/);
      assert.match(await ask(address, request("GET /")), /^$|begun|^HTTP\/1\.1/);
    });
  });

  describe(`${name}: sockets`, () => {
    let folder: string;
    before(() => folder = mkdtempSync(join(tmpdir(), "xylem-")));
    after(() => rmSync(folder, { recursive: true }));

    it("have the free port that was chosen", async () => {
      const { address } = await start(() => new Response());
      assert.ok(address.transport === "tcp" && address.port > 0);
    });

    it("refuse an address in use with its code", async () => {
      const { address } = await start(() => new Response());
      await assert.rejects(start(() => new Response(), address), { code: "EADDRINUSE" });
    });

    it("may be Unix sockets, and are gone when closed", async () => {
      const clients: (Client | undefined)[] = [];
      const path = join(folder, "x.sock");
      const server = await start((request, client) => {
        clients.push(client);
        return new Response(new URL(request.url).pathname);
      }, { transport: "unix", path });
      assert.match(await ask(server.address, request("GET /over/unix")), /\/over\/unix/);
      assert.deepEqual(clients, [{ transport: "unix" }]);
      await server.close();
      assert.equal(existsSync(path), false);
    });

    it("take the place of a Unix socket that a killed process has left, and of no other", async () => {
      const path = join(folder, "left.sock");
      const listening = `require("node:net").createServer().listen(${
        JSON.stringify(path)
      }, () => process.kill(process.pid, "SIGKILL"))`;
      spawnSync(join(ROOT, "node_modules/.bin/node"), ["--eval", listening]);
      assert.ok(existsSync(path));
      const address = { transport: "unix", path } as const;
      const server = await start(() => new Response("here"), address);
      await assert.rejects(start(() => new Response(), address), { code: "EADDRINUSE" });
      assert.match(await ask(server.address, request("GET /")), /here/);
      writeFileSync(join(folder, "file"), "");
      await assert.rejects(start(() => new Response(), { transport: "unix", path: join(folder, "file") }));
      assert.ok(existsSync(join(folder, "file")));
    });

    it("close at once with idle connections", async () => {
      const server = await start(() => new Response("text"), ANY_PORT, NEVER_MS);
      const [idle, silent] = await Promise.all([open(server.address), open(server.address)]);
      idle.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await idle.until("text");
      await server.close();
      await idle.end();
      silent.leave();
      await assert.rejects(ask(server.address, request("GET /")));
    });

    it("close when running requests have their answer", async () => {
      const [arrived, ready] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const server = await start(
        async () => {
          arrived.resolve();
          await ready.promise;
          return new Response("late");
        },
        ANY_PORT,
        NEVER_MS,
      );
      const wire = await open(server.address);
      wire.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await arrived.promise;
      const closed = server.close();
      ready.resolve();
      assert.match(await wire.end(), /late/);
      await closed;
    });

    it("close with a request that never ends, which gets a 503 when its time is over", async () => {
      const arrived = Promise.withResolvers<void>();
      const server = await start(
        () => {
          arrived.resolve();
          return new Promise(() => {});
        },
        ANY_PORT,
        0,
      );
      const wire = await open(server.address);
      wire.send(request("GET /"));
      await arrived.promise;
      await server.close();
      assert.match(await wire.end(), /^HTTP\/1\.1 503/);
    });
  });
}

/** A client of this machine sees private repositories only when both the target of the request and `Host` name this machine, and nobody else. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Server } from "../../adapters/server/server.ts";
import type { Client } from "../../mod.ts";
import { createTestApi } from "../support/api.ts";
import { createServer } from "./this_runtime_server.ts";
import { ask } from "./wire.ts";

const { api, world: { secretRid } } = createTestApi();
const PATH = `/api/v1/projects/${secretRid}`;

const OWN: readonly (readonly string[])[] = [
  [`GET ${PATH} HTTP/1.1`, "Host: localhost"],
  [`GET ${PATH} HTTP/1.1`, "Host: 127.0.0.1:8080"],
  [`GET ${PATH} HTTP/1.1`, "Host: [::1]:8080"],
];

const FOREIGN: readonly (readonly string[])[] = [
  [`GET ${PATH} HTTP/1.1`, "Host: evil.example"],
  [`GET ${PATH} HTTP/1.1`, "Host: user@localhost"],
  [`GET ${PATH} HTTP/1.1`, "Host: evil.example@localhost"],
  [`GET ${PATH} HTTP/1.1`, "Host: localhost@evil.example"],
  [`GET ${PATH} HTTP/1.1`, "Host: evil.example/@localhost"],
  [`GET ${PATH} HTTP/1.1`, "Host: localhost/evil"],
  [`GET ${PATH} HTTP/1.1`, "Host: localhost#evil.example"],
  [`GET ${PATH} HTTP/1.1`, "Host: localhost\\evil.example"],
  [`GET ${PATH} HTTP/1.1`, "Host: localhost", "Host: evil.example"],
  [`GET ${PATH} HTTP/1.1`, "Host: evil.example", "Host: localhost"],
  [`GET http://evil.example${PATH} HTTP/1.1`, "Host: localhost"],
  [`GET http://evil.example${PATH} HTTP/1.1`, "Host: evil.example"],
  [`GET http://localhost${PATH} HTTP/1.1`, "Host: evil.example"],
  [`GET http://localhost${PATH} HTTP/1.1`, "Host: localhost"],
  [`GET http://user@localhost${PATH} HTTP/1.1`, "Host: localhost"],
  [`GET http://localhost@evil.example${PATH} HTTP/1.1`, "Host: localhost"],
  [`GET https://evil.example${PATH} HTTP/1.1`, "Host: localhost"],
  [`GET //evil.example${PATH} HTTP/1.1`, "Host: localhost"],
  [`GET ${PATH} HTTP/1.1`, "Host: localhost", "X-Forwarded-For: 127.0.0.1"],
  [`GET ${PATH} HTTP/1.1`, "Host: localhost", "Via: 1.1 localhost"],
];

describe("a target in absolute form", () => {
  it("was meant for a proxy: its request counts for its sender, who is never the owner", async () => {
    const clients: (Client | undefined)[] = [];
    const server = await createServer((_, client) => {
      clients.push(client);
      return new Response();
    }, { address: { transport: "tcp", hostname: "127.0.0.1", port: 0 } });
    for (const target of ["http://localhost/", "/"]) {
      await ask(
        server.address,
        [`GET ${target} HTTP/1.1`, "Host: localhost", "Connection: close", "", ""].join("\r\n"),
      );
    }
    await server.close();
    const socket = { transport: "tcp", address: "127.0.0.1" };
    assert.deepEqual(clients, [{ ...socket, isForwarded: true }, socket]);
  });
});

describe("a client of this machine", () => {
  let server: Server;

  before(async () => {
    server = await createServer(api.fetch, {
      address: { transport: "tcp", hostname: "127.0.0.1", port: 0 },
    });
  });
  after(() => server.close());

  const statusOf = async (lines: readonly string[]) => {
    const answer = await ask(server.address, [...lines, "Connection: close", "", ""].join("\r\n"));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
  };

  for (const lines of OWN) {
    it(`is the owner with ${lines.join(", ")}`, async () => assert.equal(await statusOf(lines), 200));
  }
  for (const lines of FOREIGN) {
    it(`is a stranger with ${lines.join(", ")}`, async () => {
      const status = await statusOf(lines);
      assert.ok([400, 404].includes(status), String(status));
    });
  }
});

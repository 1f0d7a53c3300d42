/** Clients that keep a service waiting, over real sockets on the runtime that executes this. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { setImmediate } from "node:timers";
import type { Address } from "../../../adapters/server/address.ts";
import {
  type ConnectionLimits,
  Connections,
  MAX_CONNECTIONS,
  MAX_PIPELINED,
  placesFor,
} from "../../../adapters/server/connections.ts";
import * as v from "valibot";
import { Answers } from "../../../adapters/server/answers.ts";
import type { Handler } from "../../../adapters/server/handler.ts";
import type { Server } from "../../../adapters/server/server.ts";
import { readJson } from "../../../src/http/body.ts";
import { BodyBudget } from "../../../src/http/receive_body.ts";
import { bytesAnswer } from "../../../src/http/respond.ts";
import { createServer } from "../this_runtime_server.ts";
import { ask, open, request, type Wire } from "../wire.ts";
import { Task } from "../../../src/scheduling/task.ts";

/** Short enough for tests to wait for; the limits that a test is not about are the usual ones. */
const SHORT_MS = 100;
/** A limit that must not close a connection: a busy machine may let a client stand still for that long. */
const LONGER_MS = 12 * SHORT_MS;
/** How often a slow client sends something, in milliseconds. */
const DRIP_MS = 20;
const KEPT = "GET /kept HTTP/1.1\r\nHost: localhost\r\n\r\n";

const servers: Server[] = [];
const drips = new Set<ReturnType<typeof setInterval>>();

async function start(
  limits: Partial<ConnectionLimits>,
  handler: Handler = ({ url }) => new Response(new URL(url).pathname),
  address: Address = { transport: "tcp", hostname: "127.0.0.1", port: 0 },
  answers = new Answers(),
): Promise<Address> {
  const server = await createServer(handler, { address, connections: new Connections(limits), answers });
  servers.push(server);
  return server.address;
}

/** Sends some text again and again, until the connection ends. */
function drip(wire: Wire, text: string): void {
  const timer = setInterval(() => wire.send(text), DRIP_MS);
  drips.add(timer);
  void wire.closed.then(() => clearInterval(timer));
}

afterEach(async () => {
  for (const timer of drips) clearInterval(timer);
  drips.clear();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe("a connection", () => {
  let folder: string;
  before(() => folder = mkdtempSync(join(tmpdir(), "xylem-connections-")));
  after(() => rmSync(folder, { recursive: true }));

  const slow: [string, Partial<ConnectionLimits>, first: string, more?: string][] = [
    ["that sends nothing", { headMs: SHORT_MS }, ""],
    ["that stops within the head of a request", { headMs: SHORT_MS }, "GET / HTTP/1.1\r\nHost: loc"],
    ["that sends the head of a request slowly", { headMs: SHORT_MS }, "GET / HTTP/1.1\r\nX: ", "a"],
    ["that sends one header field after the other", { headMs: SHORT_MS }, "GET / HTTP/1.1\r\n", "X: a\r\n"],
    ["that sends nothing but line ends", { headMs: SHORT_MS, idleMs: SHORT_MS }, KEPT, "\r\n"],
    ["that stops within a body", { requestMs: SHORT_MS }, request("POST /body", ["Content-Length: 9"], "a")],
    [
      "that sends a body slowly",
      { requestMs: SHORT_MS },
      request("POST /body", ["Content-Length: 999"]),
      "a",
    ],
    [
      "that sends a body without end",
      { requestMs: SHORT_MS },
      request("POST /body", ["Transfer-Encoding: chunked"]),
      "1\r\na\r\n",
    ],
    ["without a further request", { idleMs: SHORT_MS }, KEPT],
    ["with half of a further request", { headMs: SHORT_MS }, `${KEPT}GET / HTTP/1.1\r\n`, "X: a\r\n"],
  ];
  for (const transport of ["tcp", "unix"] as const) {
    for (const [what, limits, first, more] of slow) {
      it(`${what} is closed when its time is over (${transport})`, async () => {
        const where: Address = transport === "unix"
          ? { transport, path: join(folder, "slow.sock") }
          : { transport, hostname: "127.0.0.1", port: 0 };
        const handler: Handler = async ({ url, body }) => {
          if (url.endsWith("/body")) await new Response(body).text();
          return new Response();
        };
        const wire = await open(await start(limits, handler, where));
        wire.send(first);
        if (more !== undefined) drip(wire, more);
        assert.match(await wire.end(), /^$|^HTTP\/1\.1 (200|408|400)/);
      });
    }
  }

  it("stays open for as long as an answer takes to be made", async () => {
    const begun = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<void>();
    const limits = { headMs: LONGER_MS, requestMs: LONGER_MS, idleMs: LONGER_MS, takeMs: LONGER_MS };
    const address = await start(limits, async () => {
      begun.resolve();
      await ready.promise;
      return new Response("late");
    });
    const wire = await open(address);
    wire.send(request("GET /"));
    await begun.promise;
    // Somebody else who came later has reached the limit meanwhile.
    await (await open(address)).closed;
    ready.resolve();
    assert.match(await wire.end(), /late/);
  });

  it("is closed when its client takes nothing of an answer", async () => {
    const cancelled = Promise.withResolvers<void>();
    const address = await start({ takeMs: SHORT_MS }, () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1 << 16)),
          cancel: () => cancelled.resolve(),
        }),
      ));
    const wire = await open(address);
    wire.hold();
    wire.send(request("GET /"));
    await cancelled.promise;
    wire.leave();
  });

  it("stays open while its client takes an answer", async () => {
    let sent = 0;
    let isOver = false;
    const address = await start({ takeMs: LONGER_MS, headMs: LONGER_MS }, () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            if (isOver) return controller.close();
            sent++;
            await new Promise((resolve) => setTimeout(resolve, 1));
            controller.enqueue(new Uint8Array(1 << 16));
          },
        }, { highWaterMark: 0 }),
      ));
    const answering = ask(address, request("GET /"));
    // The same time is over for somebody else meanwhile.
    await (await open(address)).closed;
    isOver = true;
    assert.ok((await answering).length > sent * (1 << 16));
  });
});

describe("when all places are taken", () => {
  it("the connection that has waited longest gives its place up", async () => {
    const address = await start({ maxConnections: 2 });
    const first = await open(address);
    first.send(KEPT);
    await first.until("/kept");
    const second = await open(address);
    second.send(KEPT);
    await second.until("/kept");
    assert.match(await ask(address, request("GET /third")), /\/third/);
    await first.closed;
    second.send(request("GET /still"));
    assert.match(await second.end(), /\/still/);
  });

  for (
    const [what, line, fields] of [
      ["in the middle of a body", "POST /wait", ["Content-Length: 9"]],
      ["in the middle of a head", "GET /wait", []],
    ] as const
  ) {
    it(`a client ${what} gives its place up`, async () => {
      const address = await start({ maxConnections: 1 }, async ({ url, body }) => {
        if (url.endsWith("/wait")) await new Response(body).text().catch(() => {});
        return new Response("answered");
      });
      const wire = await open(address);
      wire.send(request(line, fields).replace(/(?<=^GET[^]*)\r\n$/, ""));
      assert.match(await ask(address, request("GET /")), /answered/);
      assert.doesNotMatch(await wire.end(), /answered/);
    });
  }

  it("a client that does not take its answer gives its place up", async () => {
    const begun = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const address = await start({ maxConnections: 1, takeMs: LONGER_MS }, ({ url }) => {
      if (!url.endsWith("/large")) return new Response("answered");
      begun.resolve();
      return new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(1 << 16)),
          cancel: () => cancelled.resolve(),
        }),
      );
    });
    const wire = await open(address);
    wire.hold();
    wire.send(request("GET /large"));
    await begun.promise;
    let answer = "";
    while (!answer.includes("answered")) answer = await ask(address, request("GET /"));
    await cancelled.promise;
    wire.leave();
  });

  it("running answers are finished, and further clients are refused until then", async () => {
    const ready = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const address = await start({ maxConnections: 1 }, async ({ url }) => {
      begun.resolve();
      if (url.endsWith("/long")) await ready.promise;
      return new Response("answered");
    });
    const wire = await open(address);
    wire.send(request("GET /long"));
    await begun.promise;
    assert.equal(await ask(address, request("GET /")), "");
    ready.resolve();
    assert.match(await wire.end(), /answered/);
    assert.match(await ask(address, request("GET /")), /answered/);
  });
});

describe("answers that last until their clients leave", () => {
  it("take no places, however many clients come and leave", async () => {
    const address = await start({ maxConnections: 2 }, ({ url }) => {
      if (!url.endsWith("/lasting")) return new Response("alive");
      const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
      const writer = writable.getWriter();
      writer.write(new TextEncoder().encode("begun")).catch(() => {});
      const end = () => void writer.close().catch(() => {});
      return { status: 200, headers: {}, body: { stream: readable, heldBytes: 0, end } };
    });
    for (let round = 0; round < 3; round++) {
      const wires = await Promise.all(Array.from({ length: 2 }, () => open(address)));
      for (const wire of wires) wire.send(request("GET /lasting"));
      await Promise.all(wires.map((wire) => wire.until("begun")));
      assert.match(await ask(address, request("GET /beside")), /alive/);
      for (const wire of wires) wire.leave();
      await Promise.all(wires.map((wire) => wire.closed));
      assert.match(await ask(address, request("GET /after")), /alive/);
    }
  });
});

describe("requests on one connection", () => {
  it("are answered in their order, one at a time", async () => {
    let running = 0, most = 0;
    const address = await start({}, async ({ url }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return new Response(`<${new URL(url).pathname}>`);
    });
    const wire = await open(address);
    const targets = Array.from({ length: MAX_PIPELINED }, (_, i) => `/${i}`);
    const kept = targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    wire.send(kept.join("") + request("GET /last"));
    const answers = [...(await wire.end()).matchAll(/<(.*?)>/g)].map(([, target]) => target);
    assert.deepEqual(answers, [...targets, "/last"]);
    assert.equal(most, 1);
  });

  it("end with the connection when there are too many of them", async () => {
    let count = 0;
    const address = await start({}, async () => {
      count++;
      await new Promise((resolve) => setImmediate(resolve));
      return new Response();
    });
    const wire = await open(address);
    wire.send(KEPT.repeat(2000));
    await wire.closed;
    assert.ok(count <= MAX_PIPELINED + 1);
    assert.match(await ask(address, request("GET /")), /^HTTP\/1\.1 200/);
  });
});

describe("places for connections", () => {
  it("are a quarter of the file descriptors, and not more than a thousand", () => {
    assert.equal(placesFor(256), 64);
    assert.equal(placesFor(2 ** 20), MAX_CONNECTIONS);
    assert.equal(placesFor(Infinity), MAX_CONNECTIONS);
    assert.equal(placesFor(1), 1);
  });
});

describe("answers on their way", () => {
  const bytes = [2 ** 20, 2 ** 22];
  for (const length of bytes) {
    it(`of ${length} bytes count until their client has them`, async () => {
      const answers = new Answers();
      const address = await start({}, () => bytesAnswer(new Uint8Array(length), {}), undefined, answers);
      for (let i = 0; i < 3; i++) assert.ok((await ask(address, request("GET /"))).length > length);
      assert.equal(answers.bytes, 0);
    });

    it(`of ${length} bytes count no longer when their client is gone`, async () => {
      const answers = new Answers();
      const begun = Promise.withResolvers<void>();
      const made = Promise.withResolvers<void>();
      const address = await start(
        {},
        async ({ url, signal }) => {
          if (url.endsWith("/alive")) return new Response("alive");
          const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
          begun.resolve();
          await aborted;
          // When this resolves, the answer is being sent.
          setImmediate(made.resolve);
          return bytesAnswer(new Uint8Array(length), {});
        },
        undefined,
        answers,
      );
      const wire = await open(address);
      wire.send(request("GET /"));
      await begun.promise;
      wire.leave();
      await made.promise;
      assert.match(await ask(address, request("GET /alive")), /alive/);
      assert.equal(answers.bytes, 0);
    });
  }
});

describe("bodies that arrive", () => {
  it("make room for later ones, and the service stays", async () => {
    const length = 2_000_000;
    const budget = new BodyBudget(2 * length);
    const Body = v.object({ text: v.string() });
    const address = await start({}, async (request) => {
      const answer = await readJson(request, Body, 2 * length, new Task(), budget).then(
        ({ text }) => String(text.length),
        (error) => error.name,
      );
      return new Response(`<${answer}>`);
    });
    const post = (fields: number) =>
      request("POST /", ["Content-Type: application/json", `Content-Length: ${fields}`]);
    const slow = await Promise.all(Array.from({ length: 40 }, () => open(address)));
    for (const wire of slow) wire.send(post(length) + `{"text":"${"a".repeat(length - 1000)}`);
    await Promise.all(slow.slice(0, 30).map((wire) => wire.until("<UnavailableError>")));
    const text = JSON.stringify({ text: "quick" });
    assert.match(await ask(address, post(text.length) + text), /<5>/);
    for (const wire of slow) wire.leave();
  });
});

/** Live changes of a home that is served, on whichever runtime runs this test. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { HomeServer, ServeOptions } from "../../../adapters/home/serve_home.ts";
import { createFolderBucket } from "../../../extensions/replicas/bucket/folder.ts";
import { publishHome } from "../../hostile/requests/services.ts";
import { EventStream } from "../../support/event_stream.ts";
import { fileSystem } from "../../support/files.ts";
import { unpackHome } from "../../support/programs.ts";
import { adapter } from "../../adapters/this_runtime.ts";
import { open, request } from "../../adapters/wire.ts";

const ANY_PORT = { transport: "tcp", hostname: "127.0.0.1", port: 0 } as const;
/** A change is to be seen within this time, in milliseconds. */
const SEEN_MS = 1000;
/** Measurements of which the quickest counts: the machine may be busy with other tests. */
const TRIES = 20;
/** Longest time of an answer that waits for nothing, in milliseconds. One that waits for a look or an end takes longer. */
const AT_ONCE_MS = 5000;

let folder: string, home: string, rid: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "xylem-events-"));
  home = unpackHome("collab.tar.gz", folder);
  rid = `rad:${readdirSync(join(home, "storage")).sort()[0]}`;
});
after(() => rmSync(folder, { recursive: true }));

/** While a service runs. */
async function whileServing(
  options: Partial<ServeOptions>,
  test: (server: HomeServer, url: string) => Promise<void>,
): Promise<void> {
  const server = await adapter.serve({ home, listen: [ANY_PORT], warmUp: false, ...options });
  try {
    await test(server, `${server.urls[0]}/api/v1/events`);
  } finally {
    await server.close();
  }
}

/** Moves a branch as git does, and returns its name. */
let moves = 0;
function moveBranch(): string {
  const path = join(home, "storage", rid.slice("rad:".length));
  const git = (...args: string[]) => execFileSync("git", ["-C", path, ...args], { encoding: "utf8" }).trim();
  const [commit] = git("rev-list", "--all", "--max-count=1").split("\n");
  const name = `refs/heads/moved-${moves++}`;
  git("update-ref", name, commit!);
  return name;
}

async function listen(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
  return await new EventStream(await fetch(url, { headers })).begin();
}

describe("live changes of a home", () => {
  it("report what git does within a second, and continue after the last event", async () => {
    await whileServing({}, async (_server, url) => {
      const events = await listen(url);
      const before = events.lastId!;
      const names = [];
      const delaysMs: number[] = [];
      for (let i = 0; i < TRIES && !(Math.min(...delaysMs) < SEEN_MS); i++) {
        names.push(moveBranch());
        const startMs = performance.now();
        assert.equal((await events.nextOf("references")).references[0].name, names[i]);
        delaysMs.push(performance.now() - startMs);
      }
      assert.ok(Math.min(...delaysMs) < SEEN_MS, `${delaysMs}`);
      await events.close();
      const resumed = await listen(url, { "last-event-id": before });
      for (const name of names) {
        assert.equal((await resumed.nextOf("references")).references[0].name, name);
      }
      await resumed.close();
    });
  });

  it("are found at once if the node reports them, and so are starts and stops of the node", async () => {
    const sockets: Socket[] = [];
    const subscribed = Promise.withResolvers<Socket>();
    const node = createServer((socket) => {
      sockets.push(socket);
      socket.setEncoding("utf8").on("data", (line: string) => {
        if (JSON.parse(line).command === "subscribe") subscribed.resolve(socket);
        else socket.end("{}\n");
      }).on("error", () => {});
    });
    await whileServing({}, async (_server, url) => {
      const events = await listen(url);
      node.listen(join(home, "node", "control.sock"));
      assert.deepEqual(await events.nextOf("node"), { type: "node", state: "running" });
      const name = moveBranch();
      const line = `${JSON.stringify({ type: "refsFetched", rid, remote: "z6Mk", updated: [] })}\n`;
      // Lines may come in pieces, and may be none that is known.
      for (
        const part of [`{"type":"other"}\nnone\n${"x".repeat(300_000)}\n`, line.slice(0, 20), line.slice(20)]
      ) {
        (await subscribed.promise).write(part);
      }
      assert.equal((await events.nextOf("references")).references[0].name, name);
      const closed = once(node, "close");
      node.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      assert.deepEqual(await events.nextOf("node"), { type: "node", state: "stopped" });
      await events.close();
    });
  });

  it("take no place of other connections, and their readers' places are freed", async () => {
    await whileServing({ maxConnections: 1, maxEventReaders: 2 }, async (server) => {
      const address = server.addresses[0]!;
      const line = request("GET /api/v1/events");
      const readers = [];
      for (let i = 0; i < 2; i++) {
        const reader = await open(address);
        reader.send(line);
        await reader.until("id: ");
        readers.push(reader);
      }
      const third = await open(address);
      third.send(line);
      assert.match(await third.end(), /^HTTP\/1.1 503 [^]*retry-after: \d+/i);
      for (let i = 0; i < 3; i++) {
        const other = await open(address);
        other.send(request("GET /api/v1/node"));
        assert.match(await other.end(), /^HTTP\/1.1 200 /);
      }
      const name = moveBranch();
      for (const reader of readers) await reader.until(name);
      readers[0]!.leave();
      for (let status = "503"; status !== "200";) {
        const again = await open(address);
        again.send(line);
        [, status] = /^HTTP\/1.1 (\d+) /.exec(await again.until("\r\n\r\n")) as unknown as [string, string];
        again.leave();
      }
    });
  });

  it("go on after another request on the same connection, and end with the service at once", async () => {
    const tookMs: number[] = [];
    while (tookMs.length < TRIES && !(Math.min(...tookMs) < AT_ONCE_MS)) {
      const server = await adapter.serve({ home, listen: [ANY_PORT], warmUp: false });
      const wire = await open(server.addresses[0]!);
      wire.send(
        "GET /api/v1/node HTTP/1.1\r\nHost: x\r\n\r\nGET /api/v1/events HTTP/1.1\r\nHost: x\r\n\r\n",
      );
      await wire.until("id: ");
      const startMs = performance.now();
      await server.close();
      tookMs.push(performance.now() - startMs);
      assert.match(await wire.end(), /\r\n0\r\n\r\n$/);
    }
    assert.ok(Math.min(...tookMs) < AT_ONCE_MS, `${tookMs}`);
  });

  it("are sent by a replica, for what is published", async () => {
    const path = join(folder, "bucket");
    await publishHome(home, path);
    const bucket = createFolderBucket(path, { fileSystem });
    const replica = await adapter.serveReplica({ bucket, listen: [ANY_PORT], freshSeconds: 0.5 });
    try {
      const events = await listen(`${replica.urls[0]}/api/v1/events?types=references`);
      const delaysMs: number[] = [];
      while (delaysMs.length < TRIES && !(Math.min(...delaysMs) < AT_ONCE_MS)) {
        const name = moveBranch();
        await publishHome(home, path);
        const startMs = performance.now();
        assert.equal((await events.nextOf("references")).references[0].name, name);
        delaysMs.push(performance.now() - startMs);
      }
      assert.ok(Math.min(...delaysMs) < AT_ONCE_MS, `${delaysMs}`);
      await events.close();
    } finally {
      await replica.close();
    }
  });
});

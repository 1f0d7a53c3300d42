/** The node of a home that is served, on whichever runtime runs this test. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parseRid } from "../../src/ids/rid.ts";
import { unpackHome } from "../support/programs.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { makeHome } from "./cli/command.ts";
import { adapter } from "./this_runtime.ts";

const RID = parseRid("rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji");
const LISTEN = [{ transport: "tcp", hostname: "127.0.0.1", port: 0 }] as const;

let folder: string, home: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "xylem-node-"));
  home = makeHome(join(folder, "home"));
  mkdirSync(join(home, "node"), { recursive: true });
});
after(() => rmSync(folder, { recursive: true }));

/** While a node of the name `alias` listens at a path; returns the commands that it got. */
async function whileRunning(path: string, alias: string, test: () => Promise<void>): Promise<string[]> {
  const commands: string[] = [];
  const server = createServer((socket) => {
    socket.setEncoding("utf8").on("data", (line: string) => {
      const { command } = JSON.parse(line);
      commands.push(command);
      socket.end(`${JSON.stringify(command === "config" ? { alias } : {})}\n`);
    });
  }).listen(path);
  await once(server, "listening");
  try {
    await test();
  } finally {
    server.close();
    await once(server, "close");
  }
  return commands;
}

describe("the node of a home", () => {
  it("of 2024, whose database knows no agents, is shown without a warning", async () => {
    const logged: unknown[] = [];
    const { api } = await adapter.createHomeApi({
      home: unpackHome("collab.tar.gz", folder),
      environment: { log: (...line) => logged.push(line) },
    });
    assert.equal((await api.fetch(new Request("http://localhost/api/v1/node"))).status, 200);
    assert.deepEqual(logged, []);
  });

  it("is found at the socket in the home, or where the options say", async () => {
    const own = join(home, "node", "control.sock");
    const other = join(folder, "other.sock");
    const configOf = async (nodeSocket?: () => string) => {
      const { api } = await adapter.createHomeApi({ home, ...(nodeSocket && { nodeSocket }) });
      const answer = await (await api.fetch(new Request("http://localhost/api/v1/node"))).json();
      return answer.config?.alias ?? answer.state;
    };
    await whileRunning(own, "own", () =>
      whileRunning(other, "other", async () => {
        assert.deepEqual([await configOf(), await configOf(() => other), await configOf(() => "")], [
          "own",
          "other",
          "own",
        ]);
      }).then(() => {}));
    assert.equal(await configOf(), "stopped");
  });

  it("gets the waiting announcements before the service ends", async () => {
    const commands = await whileRunning(join(home, "node", "control.sock"), "own", async () => {
      const server = await adapter.serve({ home, listen: LISTEN });
      for (let i = 0; i < 3; i++) server.node.announce(RID);
      await server.close();
    });
    assert.deepEqual(commands.filter((command) => command === "announceRefs").length, 2);
  });

  it("counts as stopped within a second while it is silent, and is found again when it answers", async () => {
    const path = join(home, "node", "control.sock");
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(path);
    await once(silent, "listening");
    // The best of some counts: the machine may be busy.
    const homes = await Promise.all([1, 2, 3].map(() => adapter.createHomeApi({ home })));
    const stateOf = async ({ api }: Pick<typeof homes[0], "api">) =>
      (await (await api.fetch(new Request("http://localhost/api/v1/node"))).json()).state;
    const quickestMs = async () => {
      const startMs = performance.now();
      return Math.min(
        ...await Promise.all(homes.map(async (one) => {
          assert.equal(await stateOf(one), "stopped");
          return performance.now() - startMs;
        })),
      );
    };
    const [firstMs, nextMs] = [await quickestMs(), await quickestMs()];
    silent.close();
    for (const socket of sockets) socket.destroy();
    await once(silent, "close");
    assert.ok(firstMs < 1000 && nextMs < firstMs / 2, `${firstMs} ms, then ${nextMs} ms`);
    await whileRunning(path, "own", async () => {
      const endMs = performance.now() + PATIENCE_MS;
      while (await stateOf(homes[0]!) !== "running") {
        assert.ok(performance.now() < endMs, "the node was not found again");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });
    await Promise.all(homes.map(({ close }) => close()));
  });

  it("does not keep the service from ending when it does not answer", async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(join(home, "node", "control.sock"));
    await once(silent, "listening");
    const server = await adapter.serve({ home, listen: LISTEN });
    server.node.announce(RID);
    await server.close();
    assert.ok(sockets.length > 0 && sockets.every((socket) => !socket.writableEnded));
    for (const socket of sockets) socket.destroy();
    silent.close();
    await once(silent, "close");
  });
});

/** Our service beside running nodes of both generations: it sees whether they run, changes their policies, fetches and announces through them. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/session.ts";
import { createHomeApi, fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import {
  createRadHome,
  type Generation,
  GENERATIONS,
  type RadHome,
  removeFolder,
  type Running,
  RUNTIMES,
  type Service,
  startNode,
  startService,
  temporaryFolder,
} from "../support/programs.ts";

/** How long two nodes may take to find each other, and how often that is looked at. */
const MEETING_LIMIT_MS = 20_000;
const LOOK_PAUSE_MS = 50;

/** A repository that is nowhere. */
const NOWHERE = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";

for (const generation of GENERATIONS) {
  describe(`a node of ${generation} and xylem`, () => {
    const folder = temporaryFolder("node");
    const [here, there] = [join(folder, "here"), join(folder, "there")];
    const nodes: Running[] = [];
    const services: Service[] = [];
    const tokens: string[] = [];
    let hana: RadHome, ivan: RadHome;
    let rid = "", own = "", ivanId = "";

    before(async () => {
      for (const path of [here, there]) mkdirSync(path);
      [hana, ivan] = [home(generation, here, "hana", "07"), home(generation, there, "ivan", "08")];
      own = initRepository(hana, join(here, "orchard"), "orchard");
      rid = initRepository(ivan, join(there, "ivans"), "ivans");
      ivanId = ivan.rad(there, "self", "--nid").trim();
      const port = await freePort();
      configure(ivan.home, { listen: [`127.0.0.1:${port}`], peers: { type: "static" }, connect: [] });
      configure(hana.home, {
        listen: [],
        peers: { type: "static" },
        connect: [`${ivanId}@127.0.0.1:${port}`],
      });
      for (const runtime of RUNTIMES) services.push(await startService(runtime, hana.home));
      const nodeId = parseNid(hana.rad(here, "self", "--nid").trim());
      const signer = await openSigner({ home: hana.home, nodeId, fileSystem })();
      for (const { url } of services) tokens.push(await openAuthorized(url, signer));
    });
    after(async () => {
      await Promise.all([...services, ...nodes].map((program) => program.stop()));
      removeFolder(folder);
    });

    const get = async (service: Service, path: string) => {
      const response = await fetch(`${service.url}/api/v1${path}`);
      assert.equal(response.status, 200);
      return await response.json();
    };
    const change = async (method: string, which: number, path: string) => {
      const headers = { authorization: `Bearer ${tokens[which]}` };
      const response = await fetch(`${services[which]!.url}/api/v1/node/policies/repos/${path}`, {
        method,
        headers,
      });
      assert.equal(response.status, 200, await response.clone().text());
      return await response.json();
    };
    const policies = () => hana.rad(here, "seed");

    it("write policies that rad reads while the node is stopped", async () => {
      for (const [which, service] of services.entries()) {
        assert.equal((await get(service, "/node")).state, "stopped");
        assert.deepEqual(await change("PUT", which, `${NOWHERE}?scope=all`), { success: true });
        assert.match(policies(), new RegExp(`${NOWHERE}.*all`));
        assert.deepEqual(await change("PUT", which, `${NOWHERE}?from=${ivanId}`), {
          success: true,
          results: { status: "failed", reason: "node is not running" },
        });
        assert.match(policies(), new RegExp(`${NOWHERE}.*followed`));
        assert.deepEqual(await change("DELETE", which, NOWHERE), { success: true });
        assert.doesNotMatch(policies(), new RegExp(NOWHERE));
      }
    });

    it("know when the node runs, and its configuration", async () => {
      nodes.push(await startNode(generation, ivan.home), await startNode(generation, hana.home));
      for (const service of services) {
        const { state, config } = await get(service, "/node");
        assert.equal(state, "running");
        assert.equal(config.alias, "hana");
        assert.equal(config.connect.length, 1);
      }
    });

    it("change policies through the node", async () => {
      for (const [which, service] of services.entries()) {
        await change("PUT", which, `${NOWHERE}?scope=all`);
        assert.match(policies(), new RegExp(`${NOWHERE}.*all`));
        const list: { id: string; scope: string }[] = await get(service, "/node/policies/repos");
        assert.equal(list.find((one) => one.id === NOWHERE)?.scope, "all");
        await change("DELETE", which, NOWHERE);
        assert.doesNotMatch(policies(), new RegExp(NOWHERE));
      }
    });

    it("fetch from another node, and show what came", async () => {
      const results = await eventually(async () => {
        const answer = await change("PUT", 0, `${rid}?scope=all&from=${ivanId}`);
        return answer.results.status === "success" ? answer.results : undefined;
      });
      assert.ok(results.namespaces.includes(ivanId));
      assert.ok(results.updated.length > 0);
      for (const [which, service] of services.entries()) {
        const info = await get(service, `/projects/${rid}`);
        assert.equal(info.name, "ivans");
        assert.equal(
          (await change("PUT", which, `${rid}?scope=all&from=${ivanId}`)).results.status,
          "success",
        );
      }
    });

    it("answer why a fetch failed", async () => {
      for (const which of services.keys()) {
        const { results } = await change("PUT", which, `${NOWHERE}?from=${ivanId}`);
        assert.equal(results.status, "failed");
        assert.equal(typeof results.reason, "string");
        await change("DELETE", which, NOWHERE);
      }
    });

    it("know what nodes are called, what they offer and how many seed", async () => {
      for (const service of services) {
        await eventually(async () => (await get(service, `/nodes/${ivanId}`)).alias === "ivan" || undefined);
        const inventory: string[] = await get(service, `/nodes/${ivanId}/inventory`);
        assert.ok(inventory.includes(rid));
        assert.ok((await get(service, `/projects/${rid}`)).seeding >= 1);
        const remotes: { id: string; alias?: string }[] = await get(service, `/projects/${rid}/remotes`);
        assert.equal(remotes.find((remote) => remote.id === ivanId)?.alias, "ivan");
      }
    });

    it("announce through the node", async () => {
      const { node } = await createHomeApi({ home: hana.home });
      const events = listen(hana.home);
      // Again and again, since a node that hears of a listener and of a change at once may forget the one for the other.
      const line = await eventually(() => {
        node.announce(own as RepoId);
        return Promise.resolve(events.find((text) => text.includes(own)));
      });
      events.close();
      await node.close();
      assert.match(line, /"type":"(localRefsAnnounced|refsAnnounced|refsSynced)"/);
    });

    it("know when the node has stopped", async () => {
      await nodes.pop()!.stop();
      for (const service of services) {
        const { state, config } = await get(service, "/node");
        assert.deepEqual({ state, config }, { state: "stopped", config: null });
      }
    });
  });
}

function home(generation: Generation, folder: string, alias: string, byte: string): RadHome {
  return createRadHome(generation, folder, { alias, seed: byte.repeat(32) });
}

/** A repository with one commit; returns its id. */
function initRepository(rad: RadHome, path: string, name: string): string {
  mkdirSync(path);
  rad.git(path, "init", "--quiet");
  writeFileSync(join(path, "README.md"), `# ${name}\n`);
  rad.git(path, "add", "--all");
  rad.git(path, "commit", "--quiet", "--message", "Plant the first tree");
  const named = ["--name", name, "--description", name, "--default-branch", "main", "--no-confirm"];
  rad.rad(path, "init", ...named, "--public");
  return rad.rad(path, ".").trim();
}

/** Changes members of `node` in the configuration of a home. */
function configure(home: string, members: object): void {
  const path = join(home, "config.json");
  const config = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(
    path,
    JSON.stringify({ ...config, preferredSeeds: [], node: { ...config.node, ...members } }),
  );
}

/** What `look` finds, once it finds something. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const endMs = Date.now() + MEETING_LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    assert.ok(Date.now() < endMs, "it did not come about in time");
    await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS));
  }
}

/** The events of the node of a home. */
function listen(home: string) {
  const socket = connect(join(home, "node", "control.sock"));
  let text = "";
  socket.setEncoding("utf8").on("data", (more: string) => text += more);
  socket.write(`${JSON.stringify({ type: "subscribe", command: "subscribe" })}\n`);
  return {
    close: () => socket.destroy(),
    find: (isWanted: (line: string) => boolean) => text.split("\n").slice(0, -1).find(isWanted),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

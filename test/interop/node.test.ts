/** Our service beside running nodes of both generations: it sees whether they run, changes their policies, fetches and announces through them. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
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
import { PATIENCE_MS } from "../support/patience.ts";

/** Time between two looks whether something has come about. */
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
    /** Repositories of the other node, one for each service. */
    const theirs: string[] = [];
    let hana: RadHome, ivan: RadHome;
    let own = "", ivanId = "";

    before(async () => {
      for (const path of [here, there]) mkdirSync(path);
      [hana, ivan] = [home(generation, here, "hana", "07"), home(generation, there, "ivan", "08")];
      own = initRepository(hana, join(here, "orchard"), "orchard");
      for (const runtime of RUNTIMES) {
        theirs.push(initRepository(ivan, join(there, `for-${runtime}`), `for-${runtime}`));
      }
      ivanId = ivan.rad(there, "self", "--nid").trim();
      configure(ivan.home, { listen: ["127.0.0.1:0"], peers: { type: "static" }, connect: [] });
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
    const send = async (method: string, which: number, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${tokens[which]}`, "content-type": "application/json" };
      const response = await fetch(`${services[which]!.url}/api/v1${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      assert.ok(response.ok, await response.clone().text());
      return await response.json();
    };
    const change = (method: string, which: number, path: string) =>
      send(method, which, `/node/policies/repos/${path}`);
    const policies = () => hana.rad(here, "seed");

    it("write policies that rad reads while the node is stopped, and read rad's policies", async () => {
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
      await showPoliciesOfRad();
    });

    it("know when the node runs, and its configuration", async () => {
      nodes.push(await startNode(generation, ivan.home));
      const [address]: string[] = JSON.parse(await command(ivan.home, { command: "listenAddrs" }));
      const connect = [`${ivanId}@${address}`];
      configure(hana.home, { listen: [], peers: { type: "static" }, connect });
      nodes.push(await startNode(generation, hana.home));
      for (const service of services) {
        // A node that has just started may keep silent for a second.
        const { config } = await eventually(async () => {
          const answer = await get(service, "/node");
          return answer.state === "running" && answer.config !== null ? answer : undefined;
        });
        assert.equal(config.alias, "hana");
        assert.deepEqual(config.connect, connect);
        assert.deepEqual([config.policy, config.scope], ["block", "followed"]);
      }
    });

    it("change policies through the node, and read rad's policies", async () => {
      for (const [which, service] of services.entries()) {
        await change("PUT", which, `${NOWHERE}?scope=all`);
        assert.match(policies(), new RegExp(`${NOWHERE}.*all`));
        assert.equal((await policyOf(service, NOWHERE))?.scope, "all");
        await change("DELETE", which, NOWHERE);
        assert.doesNotMatch(policies(), new RegExp(NOWHERE));
      }
      await showPoliciesOfRad();
    });

    it("fetch repositories from another node, and show them", async () => {
      for (const [which, service] of services.entries()) {
        const rid = theirs[which]!;
        const results = await eventually(async () => {
          const answer = await change("PUT", which, `${rid}?scope=all&from=${ivanId}`);
          return answer.results.status === "success" ? answer.results : undefined;
        });
        assert.ok(results.namespaces.includes(ivanId));
        assert.ok(results.updated.length > 0);
        assert.equal((await get(service, `/projects/${rid}`)).name, `for-${RUNTIMES[which]}`);
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

    it("have the node follow what is seeded, and nothing else", async () => {
      for (const [which, service] of services.entries()) {
        const rid = theirs[which]!;
        const open = (title: string) => {
          ivan.rad(
            join(there, `for-${RUNTIMES[which]}`),
            "issue",
            "open",
            "--title",
            title,
            "--description",
            "",
            "--quiet",
          );
        };
        const titles = async () =>
          (await get(service, `/projects/${rid}/issues`)).map(({ title }: { title: string }) => title);
        open("Seeded");
        await eventually(async () => (await titles()).includes("Seeded") || undefined);

        await change("DELETE", which, rid);
        const fetch = { command: "fetch", rid, nid: ivanId, timeout: { secs: 9, nanos: 0 } };
        assert.match(await command(hana.home, fetch), /"failed".*is not seeded/);
        await change("PUT", which, `${rid}?scope=all`);
        open("Seeded again");
        await eventually(async () => (await titles()).includes("Seeded again") || undefined);
      }
    });

    it("know what nodes are called, what they offer and how many seed", async () => {
      for (const [which, service] of services.entries()) {
        const rid = theirs[which]!;
        await eventually(async () => (await get(service, `/nodes/${ivanId}`)).alias === "ivan" || undefined);
        const inventory: string[] = await get(service, `/nodes/${ivanId}/inventory`);
        assert.ok(inventory.includes(rid));
        assert.ok((await get(service, `/projects/${rid}`)).seeding >= 1);
        const remotes: { id: string; alias?: string }[] = await get(service, `/projects/${rid}/remotes`);
        assert.equal(remotes.find((remote) => remote.id === ivanId)?.alias, "ivan");
      }
    });

    it("announce issues to the other node, and show the comments that come back", async () => {
      ivan.rad(there, "seed", own, "--scope", "all");
      const work = join(there, "orchard");
      ivan.rad(
        there,
        "clone",
        own,
        "--seed",
        hana.rad(here, "self", "--nid").trim(),
        "--scope",
        "all",
        "orchard",
      );
      for (const [which, runtime] of RUNTIMES.entries()) {
        const title = `Announced on ${runtime}`;
        const issue = { title, description: "", labels: [], assignees: [], embeds: [] };
        const { id } = await send("POST", which, `/projects/${own}/issues`, issue);
        await eventually(
          () => Promise.resolve(ivan.rad(work, "issue", "list").includes(title) || undefined),
        );
        const body = `Heard of it on ${runtime}`;
        ivan.rad(work, "issue", "comment", id, "--message", body, "--quiet");
        // Comments are not announced by this rad.
        if (generation === "0.10") ivan.rad(work, "sync", "--announce");
        for (const service of services) {
          await eventually(async () => {
            const { discussion } = await get(service, `/projects/${own}/issues/${id}`);
            return discussion.some((one: { body: string }) => one.body === body) || undefined;
          });
        }
      }
    });

    it("know when the node has stopped", async () => {
      await nodes.pop()!.stop();
      for (const service of services) {
        const { state, config } = await get(service, "/node");
        assert.deepEqual({ state, config }, { state: "stopped", config: null });
      }
    });

    async function policyOf(service: Service, rid: string): Promise<{ scope: string } | undefined> {
      const list: { id: string; scope: string }[] = await get(service, "/node/policies/repos");
      return list.find((one) => one.id === rid);
    }

    async function showPoliciesOfRad(): Promise<void> {
      for (const scope of ["all", "followed"]) {
        hana.rad(here, "seed", NOWHERE, "--scope", scope, "--no-fetch");
        for (const service of services) assert.equal((await policyOf(service, NOWHERE))?.scope, scope);
      }
      hana.rad(here, "unseed", NOWHERE);
      for (const service of services) assert.equal(await policyOf(service, NOWHERE), undefined);
    }
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
  return rad.init(path, name);
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
  const endMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    assert.ok(Date.now() < endMs, "it did not come about in time");
    await new Promise((resolve) => setTimeout(resolve, LOOK_PAUSE_MS));
  }
}

/** What the node of a home answers to a command. */
async function command(home: string, asked: object): Promise<string> {
  const socket = connect(join(home, "node", "control.sock"));
  await once(socket, "connect");
  socket.write(`${JSON.stringify(asked)}\n`);
  return await text(socket);
}

/** Live changes with real programs: rad and its node, nginx and haproxy as `deploy/` configures them, and the page in Chromium. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem, openSigner } from "../../adapters/node/mod.ts";
import { parseNid } from "../../src/ids/nid.ts";
import { hashOf, inRepository } from "../../extensions/page/browser/places.ts";
import { publishHome } from "../hostile/requests/services.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { EventStream } from "../support/event_stream.ts";
import { GitRepository } from "../support/git.ts";
import {
  createRadHome,
  GENERATIONS,
  type RadHome,
  removeFolder,
  RUNTIMES,
  type Service,
  startBucketService,
  startNode,
  startService,
  temporaryFolder,
} from "../support/programs.ts";
import { startHaproxy, startNginxBefore } from "../support/servers.ts";
import { startBrowser } from "./browser_process.ts";
import { waitFor } from "./page_steps.ts";
import { copyDemoHome } from "../support/demo_home.ts";

/** A change is to be seen within this time, in milliseconds. */
const SEEN_MS = 1000;
/** Rounds of which the quickest counts, at least and at most: the machine may be busy. */
const [ROUNDS, MOST_ROUNDS] = [4, 20];
/** Less than nginx waits for the lock of a cache. */
const UNLOCKED_MS = 4000;

/** Whether another round is to be measured. */
const goesOn = (delays: readonly number[]): boolean =>
  delays.length < ROUNDS || delays.length < MOST_ROUNDS && Math.min(...delays) >= SEEN_MS;

async function listen(url: string, query = ""): Promise<EventStream> {
  return await new EventStream(await fetch(`${url}/api/v1/events${query}`)).begin();
}

/** Initializes a repository with one commit; returns its id. */
function initRepository(rad: RadHome, path: string, name: string): string {
  mkdirSync(path);
  rad.git(path, "init", "--quiet");
  writeFileSync(join(path, "README.md"), `# ${name}\n`);
  rad.git(path, "add", "--all");
  rad.git(path, "commit", "--quiet", "--message", "Plant the first tree");
  return rad.init(path, name);
}

for (const generation of GENERATIONS) {
  describe(`rad and its node of ${generation}`, () => {
    const folder = temporaryFolder("events");
    const path = join(folder, "orchard");
    const services: Service[] = [];
    let hana: RadHome;
    before(async () => {
      hana = createRadHome(generation, folder, { alias: "hana", seed: "07".repeat(32) });
      initRepository(hana, path, "orchard");
      const config = join(hana.home, "config.json");
      const { node, ...others } = JSON.parse(readFileSync(config, "utf8"));
      const quiet = { ...node, listen: ["127.0.0.1:0"], peers: { type: "static" }, connect: [] };
      writeFileSync(config, JSON.stringify({ ...others, preferredSeeds: [], node: quiet }));
      for (const runtime of RUNTIMES) services.push(await startService(runtime, hana.home));
    });
    after(async () => {
      await Promise.all(services.map((service) => service.stop()));
      removeFolder(folder);
    });

    it("appear within a second: a node that starts, an issue that is opened, a policy, a new repository", async () => {
      const streams = await Promise.all(
        services.map(({ url }) => listen(url, "?types=node,issue,policy,repository")),
      );
      const all = (type: string) => Promise.all(streams.map((stream) => stream.nextOf(type)));
      const running = await startNode(generation, hana.home);
      try {
        for (const { state } of await all("node")) assert.equal(state, "running");
        const delays: number[] = [];
        for (let round = 0; goesOn(delays); round++) {
          hana.rad(
            path,
            "issue",
            "open",
            "--title",
            `Leaf ${round}`,
            "--description",
            "It fell.",
            "--no-announce",
          );
          const startMs = performance.now();
          for (const { title, change, author } of await all("issue")) {
            assert.deepEqual([title, change, author.alias], [`Leaf ${round}`, "opened", "hana"]);
          }
          delays.push(performance.now() - startMs);
        }
        assert.ok(Math.min(...delays) < SEEN_MS, `${delays}`);
        const nowhere = "rad:z42hL2jL4XNk6K8oHQaSWfMgCL7ji";
        hana.rad(path, "seed", nowhere, "--scope", "all", "--no-fetch");
        for (const { rid, policy } of await all("policy")) {
          assert.deepEqual([rid, policy], [nowhere, "allow"]);
        }
        const second = initRepository(hana, join(folder, "meadow"), "meadow");
        for (const { rid, change } of await all("repository")) {
          assert.deepEqual([rid, change], [second, "added"]);
        }
      } finally {
        await running.stop();
      }
      for (const { state } of await all("node")) assert.equal(state, "stopped");
      for (const stream of streams) await stream.close();
    });
  });
}

describe("through the proxies of deploy/", () => {
  const folder = temporaryFolder("events-proxies");
  const home = join(folder, "home");
  const bucket = join(folder, "bucket");
  const services: Service[] = [];
  let rid: string;
  before(async () => {
    await copyDemoHome(home);
    await publishHome(home, bucket);
  });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    removeFolder(folder);
  });
  const start = async (starting: Promise<Service>) => {
    const service = await starting;
    services.push(service);
    return service;
  };
  let branches = 0;
  const moveBranch = () => {
    const name = `refs/heads/moved-${branches++}`;
    new GitRepository(join(home, "storage", rid.slice("rad:".length))).run([
      "update-ref",
      name,
      "refs/heads/main",
    ]);
    return name;
  };

  it("nginx passes each event on at once, to several readers, and closes the connection when they leave", async () => {
    const service = await start(startService("node", home, ["--behind-proxy", "--max-event-readers", "3"]));
    const nginx = await start(startNginxBefore(folder, [service.url]));
    [{ id: rid }] = await (await fetch(`${service.url}/api/v1/projects`)).json();
    const streams = [];
    const begunMs: number[] = [];
    for (let i = 0; i < 3; i++) {
      const startMs = performance.now();
      streams.push(await listen(nginx.url));
      begunMs.push(performance.now() - startMs);
    }
    // The first one asks the service; those after it need not wait for its answer to end.
    assert.ok(Math.min(...begunMs.slice(1)) < UNLOCKED_MS, `${begunMs}`);
    const delays: number[] = [];
    while (goesOn(delays)) {
      const name = moveBranch();
      const movedMs = performance.now();
      for (const stream of streams) {
        assert.equal((await stream.nextOf("references")).references[0].name, name);
      }
      delays.push(performance.now() - movedMs);
    }
    assert.ok(Math.min(...delays) < SEEN_MS, `${delays}`);
    const { status } = await fetch(`${nginx.url}/api/v1/events`);
    assert.equal(status, 503);
    for (const stream of streams) await stream.close();
    for (let again = 503; again !== 200;) {
      const response = await fetch(`${nginx.url}/api/v1/events`);
      again = response.status;
      await response.body!.cancel();
    }
  });

  it("haproxy passes on events of a replica, on each runtime", async () => {
    for (const runtime of RUNTIMES) {
      const replica = await start(startBucketService(runtime, bucket, ["--fresh", "0.5"]));
      const haproxy = await start(startHaproxy(folder, [replica.url]));
      const stream = await listen(haproxy.url, "?types=references");
      const name = moveBranch();
      await publishHome(home, bucket);
      const { references } = await stream.nextOf("references");
      assert.ok(references.some((one: { name: string }) => one.name === name), runtime);
      await stream.close();
    }
  });
});

describe("the page", () => {
  const folder = temporaryFolder("events-page");
  const home = join(folder, "home");
  before(async () => {
    await copyDemoHome(home);
  });
  after(() => removeFolder(folder));

  // The stream is tested on each runtime by `test/extensions/events/home.test.ts`, and above.
  for (const runtime of ALL_WANTED ? RUNTIMES : RUNTIMES.slice(0, 1)) {
    it(`shows a change without being loaded again, in all tabs by one stream, on ${runtime}`, async () => {
      const service = await startService(runtime, home, ["--max-event-readers", "1"]);
      const browser = startBrowser([]);
      try {
        const [{ id }] = await (await fetch(`${service.url}/api/v1/projects`)).json();
        const [issues, first] = [
          await browser.open(`${service.url}/${inRepository(id, ["issues"])}`),
          await browser.open(`${service.url}/${hashOf([])}`),
        ];
        await issues.run(waitFor, "h1", "Issues");
        await first.run(waitFor, "h3", "xylem-demo");
        for (const page of [issues, first]) await page.run(markPage);
        const counts = await first.run(countsOf);
        const { nid } = await (await fetch(`${service.url}/api/v1`)).json();
        const signer = await openSigner({ home, nodeId: parseNid(nid), fileSystem })();
        const token = await openAuthorized(service.url, signer);
        const title = `Seen without loading, on ${runtime}`;
        const opened = await fetch(`${service.url}/api/v1/projects/${id}/issues`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ title, description: "", labels: [], assignees: [], embeds: [] }),
        });
        assert.equal(opened.status, 201);
        await issues.run(waitFor, "main", title);
        // A tab in the background asks again when its visitor comes back; both are looked at here.
        await first.run(waitForOthers, counts);
        for (const page of [issues, first]) {
          assert.ok(await page.run(isMarked));
          assert.deepEqual(page.errors(), []);
        }
      } finally {
        await browser.stop();
        await service.stop();
      }
    });
  }
});

/** Leaves a mark that is gone when the page is loaded again. */
function markPage(): Promise<void> {
  (globalThis as { mark?: true }).mark = true;
  return Promise.resolve();
}

function isMarked(): Promise<boolean> {
  return Promise.resolve((globalThis as { mark?: true }).mark === true);
}

/** The numbers that repositories are shown with. */
function countsOf(): Promise<string> {
  return Promise.resolve(document.querySelector(".cards")!.textContent);
}

function waitForOthers(counts: string): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.querySelector(".cards")?.textContent === counts) return void setTimeout(look, 20);
      resolve();
    };
    look();
  });
}

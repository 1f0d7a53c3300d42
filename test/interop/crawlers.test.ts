/** A crawler behind the proxies of deploy/: it takes its share, and others wait no longer. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { publishHome } from "../hostile/requests/services.ts";
import { ALL_WANTED } from "../support/cases.ts";
import {
  removeFolder,
  RUNTIMES,
  type Service,
  startBucketService,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { startHaproxy, startNginxBefore } from "../support/servers.ts";

const SHARE = ["--share", "1"];
/** Requests that a client with this share may send at once. */
const BURST = 30;
const BEHIND = ["--behind-proxy", "--client-address-header", "X-Real-IP"];
const KEY = { XYLEM_TOKEN_KEY: "a key of these tests, of 32 characters or more" };
/** Longest wait of nine in ten of another client's cheap requests, in milliseconds: the machine does other things, too. */
const MAX_WAIT_MS = 1000;
/** Connections of a crawler. */
const CONNECTIONS = 8;

const folder = temporaryFolder("crawlers");
let home: string;
let bucket: string;
let rid: string;
let commits: readonly string[];
before(async () => {
  home = unpackHome("browse.tar.gz", folder);
  bucket = join(folder, "bucket");
  mkdirSync(bucket);
  await publishHome(home, bucket);
  const service = await startService("node", home);
  const [project] = await (await fetch(`${service.url}/api/v1/projects`)).json();
  rid = project.id;
  const history = await fetch(`${service.url}/api/v1/projects/${rid}/commits?perPage=200&diff=none`);
  commits = (await history.json()).commits.map(({ commit }: { commit: { id: string } }) => commit.id);
  await service.stop();
});
after(() => removeFolder(folder));

/** Crawls until it is refused: every connection goes on for so many requests. Counts answers by status. */
async function crawl(url: string): Promise<{ readonly taken: number; readonly refused: number }> {
  let [taken, refused, next] = [0, 0, 0];
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (next < 2 * BURST) {
      const number = next++;
      const sha = commits[number % commits.length];
      // Whoever writes an address of its own making is the same client for all that.
      const headers = { "x-real-ip": `192.0.2.${number}`, "x-forwarded-for": `192.0.2.${number}` };
      const response = await fetch(`${url}/api/v1/projects/${rid}/commits/${sha}?n=${number}`, { headers });
      await response.body?.cancel();
      if (response.status === 429) refused++;
      else taken++;
    }
  }));
  return { taken, refused };
}

async function checkCrawl(url: string): Promise<void> {
  const startMs = performance.now();
  let isOver = false;
  const waitsMs: number[] = [];
  const other = async () => {
    while (!isOver) {
      const askedMs = performance.now();
      const response = await fetch(`${url}/api/v1`);
      assert.equal(response.status, 200);
      await response.body?.cancel();
      waitsMs.push(performance.now() - askedMs);
    }
  };
  const others = other();
  const { taken, refused } = await crawl(url).finally(() => isOver = true);
  await others;
  const seconds = (performance.now() - startMs) / 1000;
  // An answer that costs more processor time than an ordinary one takes more of the share.
  assert.ok(taken >= BURST / 2 && taken <= BURST + seconds + 1, `${taken} in ${seconds} s`);
  assert.ok(refused > 0);
  const longMs = waitsMs.sort((a, b) => a - b)[Math.floor(waitsMs.length * 0.9)]!;
  assert.ok(longMs < MAX_WAIT_MS, `${longMs} ms`);
}

for (const runtime of RUNTIMES) {
  describe(`a crawler, on ${runtime}`, () => {
    const running: Service[] = [];
    const started = async (service: Promise<Service>) => {
      running.push(await service);
      return running.at(-1)!;
    };
    after(async () => {
      for (const service of running.reverse()) await service.stop();
    });
    const place = (name: string) => {
      const path = join(folder, `${runtime}-${name}`);
      mkdirSync(path);
      return path;
    };

    it("takes its share through nginx", async () => {
      const service = await started(startService(runtime, home, [...SHARE, ...BEHIND]));
      const { url } = await started(startNginxBefore(place("nginx"), [service.url]));
      await checkCrawl(url);
      const hidden = await fetch(`${url}/robots.txt`);
      assert.match(await hidden.text(), /^Disallow: \/raw\/$/m);
    });

    it("takes its share of a replica through haproxy, which knows whether it is ready", async () => {
      const replica = await started(startBucketService(runtime, bucket, [...SHARE, ...BEHIND]));
      const { url } = await started(startHaproxy(place("haproxy"), [replica.url]));
      assert.equal((await fetch(`${url}/readyz`)).status, 200);
      await checkCrawl(url);
    });

    // Names and signatures of clients are no business of a runtime.
    const isOnce = runtime !== RUNTIMES[0] && !ALL_WANTED;

    it("is known to the origin by what a replica has signed", { skip: isOnce }, async () => {
      const origin = await started(startService(runtime, home, [...SHARE, "--behind-proxy"], KEY));
      const args = ["--origin", origin.url, "--share", "0", ...BEHIND];
      const search = async ({ url }: Service, address: string) => {
        const headers = { "x-real-ip": address, "xylem-client-address": `${address} ${"0".repeat(64)}` };
        const response = await fetch(`${url}/api/v1/search?q=a`, { headers });
        await response.body?.cancel();
        return response.status;
      };
      const replica = await started(startBucketService(runtime, bucket, args, KEY));
      let sent = 0;
      while (await search(replica, "192.0.2.7") !== 429) sent++;
      assert.ok(sent >= BURST && sent < 2 * BURST, `${sent}`);
      assert.equal(await search(replica, "192.0.2.8"), 200);
      // Without the key, nobody is told apart.
      const other = await started(startBucketService(runtime, bucket, args));
      for (let i = 0; i < 2 * BURST; i++) assert.equal(await search(other, "192.0.2.7"), 200);
    });
  });
}

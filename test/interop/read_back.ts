/**
 * Own changes by way of four replicas behind haproxy and nginx, as `deploy/` configures them: each change is read back at once by the
 * client that made it, and never disappears. A service beside the demo home, a publisher, a folder as the bucket.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { openAuthorized } from "../../adapters/cli/sign_in.ts";
import { fileSystem } from "../../adapters/node/file_system.ts";
import { openSigner } from "../../adapters/node/mod.ts";
import { type ClientOptions, createClient } from "../../src/client/mod.ts";
import { nodeIdOfPublicKey } from "../../src/profile/public_key.ts";
import { CONSISTENCY_TOKEN_FIELD } from "../../extensions/replicas/origin/consistency_token.ts";
import {
  folderOnDisk,
  removeFolder,
  ROOT,
  type Service,
  type Spawned,
  spawnProgram,
  startBucketService,
  startContained,
} from "../support/programs.ts";
import { startHaproxy, startNginxBefore } from "../support/servers.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const REPLICAS = 4;
/** Clients of each balancer: one for each repository of the demo home. */
const REPOSITORIES = 2;
/** Pause between two looks whether it has, in milliseconds. */
const LOOK_MS = 100;
const MAIN = "adapters/cli/main.ts";
const XYLEM_TOKEN_KEY = "a key of the tests of thirty-two characters";

/** Makes `writes` changes by several clients, and looks at each. */
export function testReadBack(writes: number): void {
  const folder = folderOnDisk("read-back");
  const home = join(folder, "home");
  const bucket = join(folder, "bucket");
  let origin: Service;
  let publisher: Spawned;
  let replicas: Service[] = [];
  let balancers: Service[] = [];
  let token: string;
  let projects: string[];

  before(async () => {
    mkdirSync(home);
    mkdirSync(bucket);
    const listen = ["--listen", "127.0.0.1:0", "--cache", "none"];
    origin = await startContained("node", [MAIN, "serve", ...listen, "--behind-proxy", "--demo"], {
      HOME: home,
      XYLEM_TOKEN_KEY,
    });
    const node = join(ROOT, "node_modules", ".bin", "node");
    publisher = spawnProgram([node, join(ROOT, MAIN), "publish", bucket, "--watch", "--demo"], {
      HOME: home,
    });
    const args = ["--origin", origin.url];
    replicas = await Promise.all(
      Array.from({ length: REPLICAS }, () => startBucketService("node", bucket, args, { XYLEM_TOKEN_KEY })),
    );
    const urls = replicas.map(({ url }) => url);
    const nginxFolder = join(folder, "nginx-before");
    mkdirSync(nginxFolder);
    balancers = [await startHaproxy(folder, urls), await startNginxBefore(nginxFolder, urls)];
    projects = await publishedProjects(balancers[0]!.url);
    const demo = join(home, ".cache", "xylem", "demo-1");
    const nodeId = nodeIdOfPublicKey(readFileSync(join(demo, "keys", "radicle.pub"), "utf8"));
    token = await openAuthorized(balancers[0]!.url, await openSigner({ home: demo, nodeId, fileSystem })());
  });
  after(async () => {
    await Promise.all([...balancers, ...replicas, publisher, origin].map((one) => one?.stop()));
    removeFolder(folder);
  });

  async function publishedProjects(base: string): Promise<string[]> {
    for (const deadline = Date.now() + PATIENCE_MS;;) {
      const response = await fetch(`${base}/api/v1/projects`);
      const listed: { id: string }[] = response.ok ? await response.json() : [];
      if (listed.length === REPOSITORIES) return listed.map(({ id }) => id);
      if (Date.now() > deadline) assert.fail(`${response.status} ${publisher.output()}`);
      await pause(LOOK_MS);
    }
  }

  const newIssue = (title: string) => ({ title, description: "", labels: [], assignees: [], embeds: [] });

  describe("four replicas behind haproxy and nginx", () => {
    it(`show each of ${writes} changes to its client at once, and nothing goes back`, async (t) => {
      const found = { written: 0, missing: 0, back: 0, waits: 0, fromBucket: 0, fromOrigin: 0 };
      const startedMs = Date.now();
      const client = async ({ url }: Service, project: string, count: number) => {
        let fromOrigin = true;
        const client = createClient(url, {
          token,
          wait: (seconds) => {
            found.waits++;
            return pause(1000 * seconds);
          },
          fetch: async (request) => {
            const response = await fetch(request);
            if (request.method === "GET") {
              fromOrigin = !response.headers.has("xylem-published");
              found[fromOrigin ? "fromOrigin" : "fromBucket"]++;
            }
            return response;
          },
        });
        const own: string[] = [];
        let open = 0;
        for (let i = 0; i < count; i++) {
          const { id } = await client.post(
            "/api/v1/projects/:project/issues",
            { project },
            newIssue(`${url} ${i}`),
          );
          own.push(id);
          found.written++;
          // The new one, and one of those before.
          for (const id of [own.at(-1)!, own[(i * 7) % own.length]!]) {
            await client.get("/api/v1/projects/:project/issues/:id", { project, id }).catch((error) => {
              if (error.status !== 404) throw error;
              found.missing++;
            });
          }
          const { issues } = await client.get("/api/v1/projects/:project", { project });
          if (issues.open < open || issues.open < own.length) found.back++;
          open = issues.open;
        }
        return async () => {
          // In the end the bucket has all, and what it shows is no less.
          for (const deadline = Date.now() + PATIENCE_MS; fromOrigin;) {
            const { issues } = await client.get("/api/v1/projects/:project", { project });
            if (issues.open < open) found.back++;
            open = issues.open;
            if (Date.now() > deadline) assert.fail("Nothing is published");
            await pause(LOOK_MS);
          }
        };
      };
      const clients = balancers.flatMap((balancer) => projects.map((project) => ({ balancer, project })));
      const ends = await Promise.all(
        clients.map(({ balancer, project }) => client(balancer, project, writes / clients.length)),
      );
      await Promise.all(ends.map((end) => end()));
      t.diagnostic(`${JSON.stringify(found)} in ${Math.round((Date.now() - startedMs) / 1000)} s`);
      assert.deepEqual(
        { written: found.written, missing: found.missing, back: found.back },
        { written: writes, missing: 0, back: 0 },
      );
    });

    it("show a change that is never published by its token alone, at every replica, or answer 503", async () => {
      await publisher.stop();
      const [project] = projects as [string];
      const tokens = new Map<string, string>();
      const options: ClientOptions = { token, consistencyTokens: tokens, retries: 0 };
      const { id } = await createClient(balancers[0]!.url, options)
        .post("/api/v1/projects/:project/issues", { project }, newIssue("Never published"));
      const consistencyToken = tokens.get(project)!;
      const statuses = async (headers: Record<string, string>) =>
        await Promise.all(replicas.map(async ({ url }) => {
          const response = await fetch(`${url}/api/v1/projects/${project}/issues/${id}`, { headers });
          await response.body?.cancel();
          return response.status;
        }));
      assert.deepEqual(await statuses({ [CONSISTENCY_TOKEN_FIELD]: consistencyToken }), [200, 200, 200, 200]);
      // Those that have passed changes on remember it for others, too.
      const others = await statuses({});
      assert.deepEqual([...new Set(others)].sort(), [200, 404]);
      assert.ok(others.filter((status) => status === 200).length <= balancers.length);
      assert.deepEqual(
        await statuses({ [CONSISTENCY_TOKEN_FIELD]: `${consistencyToken}x` }),
        await statuses({}),
      );
      assert.equal(await origin.stop(), 0);
      assert.deepEqual(await statuses({ [CONSISTENCY_TOKEN_FIELD]: consistencyToken }), [503, 503, 503, 503]);
      assert.deepEqual(await statuses({}), [404, 404, 404, 404]);
    });
  });
}

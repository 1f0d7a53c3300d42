/** Homes that the real programs make and change are published whole, and each change by itself. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createFolderBucket } from "../../extensions/replicas/bucket/folder.ts";
import type { RepoId } from "../../src/ids/rid.ts";
import type { Bucket } from "../../extensions/replicas/bucket/bucket.ts";
import { REPOSITORIES_PREFIX, repositoryPrefix } from "../../extensions/replicas/format/keys.ts";
import { run } from "../adapters/cli/command.ts";
import { checkWhole, type ReadState, readState } from "../extensions/replicas/publisher/published_state.ts";
import { fileSystem } from "../support/files.ts";
import { GitRepository } from "../support/git.ts";
import {
  createRadHome,
  GENERATIONS,
  type RadHome,
  removeFolder,
  RUNTIMES,
  startBucketService,
  startService,
  temporaryFolder,
} from "../support/programs.ts";

for (const generation of GENERATIONS) {
  describe(`a home of ${generation}`, () => {
    let folder: string;
    let checkout: string;
    let rad: RadHome;
    let bucket: Bucket;
    let rid: RepoId;
    before(() => {
      folder = temporaryFolder("published");
      bucket = createFolderBucket(join(folder, "published"), { fileSystem });
      rad = createRadHome(generation, folder, { alias: "alice", seed: "5".repeat(64) });
      checkout = join(folder, "checkout");
      rid = init("shown", "--public");
    });
    after(() => removeFolder(folder));

    /** Makes a repository with one commit. */
    function init(name: string, visibility: string): RepoId {
      const path = name === "shown" ? checkout : join(folder, name);
      mkdirSync(path);
      rad.git(path, "init", "--quiet", "--initial-branch", "main");
      writeFileSync(join(path, "README.md"), `# ${name}\n`);
      rad.git(path, "add", ".");
      rad.git(path, "commit", "--quiet", "-m", "Begin");
      return rad.init(path, name, { description: "", flags: [visibility] });
    }

    /** Publishes, and reads the state through the bucket. */
    async function publish(): Promise<{ readonly state: ReadState; readonly objects: number }> {
      const args = ["publish", join(folder, "published"), "--home", rad.home, "--cache", "none"];
      const { status, stdout, stderr } = await run(args);
      assert.equal(status, 0, stderr);
      const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
      const state = await readState(bucket, rid);
      assert.ok(state !== undefined);
      checkWhole(state);
      return { state, objects: lines.find((line) => line.rid === rid)?.objects ?? 0 };
    }

    it("is published whole: all objects to which git finds a way", async () => {
      rad.rad(checkout, "issue", "open", "--title", "First", "--description", "An issue");
      const { state } = await publish();
      const repository = new GitRepository(join(rad.home, "storage", rid.slice("rad:".length)));
      const wanted = repository.text(["rev-list", "--objects", "--all"]).split("\n");
      assert.deepEqual([...state.objects.keys()].sort(), wanted.map((line) => line.slice(0, 40)).sort());
    });

    it("sends what rad and git add, and little else", async () => {
      const before = new Set((await publish()).state.objects.keys());
      rad.rad(checkout, "issue", "open", "--title", "Second", "--description", "Another issue");
      writeFileSync(join(checkout, "more.txt"), "more\n");
      rad.git(checkout, "add", ".");
      rad.git(checkout, "commit", "--quiet", "-m", "Add more");
      rad.git(checkout, "push", "--quiet", "rad", "main");
      const { state, objects } = await publish();
      const added = [...state.objects.keys()].filter((oid) => !before.has(oid));
      // Some objects that the bucket has already may be packed again, because they are also in new histories.
      assert.ok(objects >= added.length && objects < 2 * added.length, `${objects} for ${added.length}`);
      assert.ok(added.includes(rad.git(checkout, "rev-parse", "HEAD").trim() as typeof added[0]));
      assert.equal((await publish()).objects, 0);
    });

    it("has the same heads on a replica, where a branch was pushed and removed", async () => {
      rad.git(checkout, "switch", "--quiet", "--create", "passing");
      writeFileSync(join(checkout, "passing.txt"), "passing\n");
      rad.git(checkout, "add", ".");
      rad.git(checkout, "commit", "--quiet", "-m", "Pass");
      rad.git(checkout, "push", "--quiet", "rad", "passing");
      rad.git(checkout, "push", "--quiet", "rad", "--delete", "passing");
      rad.git(checkout, "switch", "--quiet", "main");
      await publish();
      const expected = { main: rad.git(checkout, "rev-parse", "main").trim() };
      for (const runtime of RUNTIMES) {
        const services = [
          await startService(runtime, rad.home),
          await startBucketService(runtime, join(folder, "published")),
        ];
        try {
          for (const { url } of services) {
            const remotes = await (await fetch(`${url}/api/v1/projects/${rid}/remotes`)).json();
            assert.deepEqual(
              remotes.map(({ heads }: { heads: object }) => heads),
              [expected],
              `${runtime} ${url}`,
            );
          }
        } finally {
          for (const service of services) await service.stop();
        }
      }
    });

    it("keeps its private repositories to itself", async () => {
      const hidden = init("hidden", "--private");
      await publish();
      assert.equal(await readState(bucket, hidden), undefined);
      for await (const { key } of bucket.list(REPOSITORIES_PREFIX)) {
        assert.ok(key.startsWith(repositoryPrefix(rid)), key);
      }
    });

    it("takes back a repository that is removed", async () => {
      rmSync(join(rad.home, "storage", rid.slice("rad:".length)), { recursive: true });
      const args = ["publish", join(folder, "published"), "--home", rad.home, "--cache", "none"];
      assert.equal((await run(args)).status, 0);
      for await (const { key } of bucket.list(REPOSITORIES_PREFIX)) assert.fail(`${key} is left`);
    });
  });
}

/** What the real `rad` and `git` write to a home, our service shows at the very next request, on every runtime at the same time. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createRadHome,
  type Generation,
  GENERATIONS,
  type RadHome,
  removeFolder,
  RUNTIMES,
  type Service,
  startService,
  temporaryFolder,
} from "../support/programs.ts";

interface Info {
  id: string;
  name: string;
  head: string;
  defaultBranch: string;
  delegates: string[];
  visibility: { type: string };
}
interface Remote {
  id: string;
  delegate: boolean;
  heads: Record<string, string>;
}

/** Asks every service; all have to answer the same. */
async function askAll<T>(services: readonly Service[], path: string): Promise<T> {
  const answers = await Promise.all(services.map(async ({ url }) => {
    const response = await fetch(`${url}/api/v1/${path}`);
    assert.equal(response.status, 200, `${path}: ${await response.clone().text()}`);
    return await response.json() as unknown;
  }));
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  return answers[0] as T;
}

for (const generation of GENERATIONS) {
  describe(`a home that rad ${generation} works on while it is served by ${RUNTIMES.join(", ")}`, () => {
    const folder = temporaryFolder("browse");
    const work = join(folder, "orchard");
    let rad: RadHome;
    const services: Service[] = [];
    let rid = "";

    before(async () => {
      rad = createRadHome(generation, folder, { alias: "pomona", seed: seedOf(generation) });
      for (const runtime of RUNTIMES) services.push(await startService(runtime, rad.home));
    });
    after(async () => {
      await Promise.all(services.map((service) => service.stop()));
      removeFolder(folder);
    });

    const commit = (file: string, content: string, message: string): string => {
      writeFileSync(join(work, file), content);
      rad.git(work, "add", "--all");
      rad.git(work, "commit", "--quiet", "--message", message);
      return rad.git(work, "rev-parse", "HEAD").trim();
    };
    const init = (path: string, name: string, ...flags: string[]): string => {
      mkdirSync(path);
      rad.git(path, "init", "--quiet");
      writeFileSync(join(path, "README.md"), `# ${name}\n`);
      rad.git(path, "add", "--all");
      rad.git(path, "commit", "--quiet", "--message", "Plant the first tree");
      return rad.init(path, name, { description: `All of ${name}`, flags });
    };

    it("lists nothing at first", async () => {
      assert.deepEqual(await askAll(services, "projects"), []);
    });

    it("lists a repository right after rad init", async () => {
      rid = init(work, "orchard", "--public");
      const listed = await askAll<Info[]>(services, "projects");
      const nid = rad.rad(folder, "self", "--nid").trim();
      assert.deepEqual(
        listed.map(({ id, name, head, defaultBranch, delegates }) => ({
          id,
          name,
          head,
          defaultBranch,
          delegates,
        })),
        [{
          id: rid,
          name: "orchard",
          head: rad.git(work, "rev-parse", "HEAD").trim(),
          defaultBranch: "main",
          delegates: [`did:key:${nid}`],
        }],
      );
    });

    it("shows a pushed commit at once", async () => {
      const sha = commit("apple.txt", "red\n", "Plant an apple tree");
      rad.git(work, "push", "--quiet", "rad", "main");
      assert.equal((await askAll<Info>(services, `projects/${rid}`)).head, sha);
      const { commits } = await askAll<{ commits: { commit: { id: string } }[] }>(
        services,
        `projects/${rid}/commits`,
      );
      assert.deepEqual(
        commits.map((one) => one.commit.id),
        rad.git(work, "rev-list", "main").trim().split("\n"),
      );
      const blob = await askAll<{ content: string }>(services, `projects/${rid}/blob/${sha}/apple.txt`);
      assert.equal(blob.content, "red\n");
      const tree = await askAll<{ entries: { path: string }[] }>(services, `projects/${rid}/tree/${sha}/`);
      assert.deepEqual(tree.entries.map((entry) => entry.path), ["README.md", "apple.txt"]);
      const { activity } = await askAll<{ activity: number[] }>(services, `projects/${rid}/activity`);
      assert.deepEqual(activity, rad.git(work, "log", "--format=%ct").trim().split("\n").map(Number));
    });

    it("shows what a pushed commit changed", async () => {
      const sha = commit("apple.txt", "green\n", "Pick early");
      rad.git(work, "push", "--quiet", "rad", "main");
      const { diff } = await askAll<{ diff: { modified: { path: string }[]; stats: object } }>(
        services,
        `projects/${rid}/commits/${sha}`,
      );
      assert.deepEqual(diff.modified.map((file) => file.path), ["apple.txt"]);
      assert.deepEqual(diff.stats, { filesChanged: 1, insertions: 1, deletions: 1 });
    });

    it("shows a pushed branch among the heads of its node, and its removal", async () => {
      rad.git(work, "switch", "--quiet", "--create", "graft/pear");
      const sha = commit("pear.txt", "yellow\n", "Graft a pear");
      rad.git(work, "push", "--quiet", "rad", "graft/pear");
      rad.git(work, "switch", "--quiet", "main");
      const main = rad.git(work, "rev-parse", "main").trim();
      const [remote] = await askAll<Remote[]>(services, `projects/${rid}/remotes`);
      assert.deepEqual(remote?.heads, { "graft/pear": sha, "main": main });
      await askAll(services, `projects/${rid}/tree/${sha}/`);
      rad.git(work, "push", "--quiet", "rad", "--delete", "graft/pear");
      const [then] = await askAll<Remote[]>(services, `projects/${rid}/remotes`);
      assert.deepEqual(then?.heads, { main });
    });

    it("shows a rewritten branch", async () => {
      rad.git(work, "commit", "--quiet", "--amend", "--message", "Pick very early");
      rad.git(work, "push", "--quiet", "--force", "rad", "main");
      const sha = rad.git(work, "rev-parse", "HEAD").trim();
      assert.equal((await askAll<Info>(services, `projects/${rid}`)).head, sha);
    });

    it("answers the same when git packs everything meanwhile", async () => {
      const sha = rad.git(work, "rev-parse", "HEAD").trim();
      const paths = ["", "/remotes", "/commits", `/commits/${sha}`, `/tree/${sha}/`, `/readme/${sha}`];
      const ask = () => Promise.all(paths.map((path) => askAll(services, `projects/${rid}${path}`)));
      const loose = await ask();
      rad.git(join(rad.home, "storage", rid.replace("rad:", "")), "gc", "--quiet", "--prune=now");
      assert.deepEqual(await ask(), loose);
      const next = commit("plum.txt", "blue\n", "Plant a plum tree");
      rad.git(work, "push", "--quiet", "rad", "main");
      assert.equal((await askAll<Info>(services, `projects/${rid}`)).head, next);
      assert.deepEqual(
        rad.git(join(rad.home, "storage", rid.replace("rad:", "")), "count-objects").startsWith("0 "),
        false,
      );
    });

    it("shows a private repository to callers on the same machine", async () => {
      const hidden = init(join(folder, "cellar"), "cellar", "--private");
      const info = await askAll<Info>(services, `projects/${hidden}`);
      assert.deepEqual([info.name, info.visibility], ["cellar", { type: "private" }]);
    });
  });
}

function seedOf(generation: Generation): string {
  return (generation === "0.10" ? "10" : "23").repeat(32);
}

/** Repositories with git's commit graph: the same answers as without it. */
import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Oid } from "../../src/ids/oid.ts";
import { GitHome, type MadeRepository } from "../support/git_home.ts";

describe("a repository with a commit graph", () => {
  let home: GitHome;
  let made: MadeRepository;
  /** Commits with merges of two and of four parents, the oldest first. */
  const commits: Oid[] = [];
  /** All answers without a graph. */
  let expected: string[];

  before(async () => {
    home = new GitHome("commit-graph");
    made = home.create("commit-graph");
    for (let i = 0; i < 40; i++) add(i);
    made.git.setRef("refs/heads/master", commits.at(-1)!);
    expected = await answers();
  });
  after(() => home.remove());

  function add(i: number): void {
    const blob = made.git.put("blob", `${i}`);
    const tree = made.tree(
      `100644 blob ${blob}\t${i % 3 === 0 ? "a" : "b"}`,
      `100644 blob ${blob}\tc${i % 5}`,
    );
    const parents = i === 0 ? [] : i % 10 === 9 ? [1, 2, 3, 4] : i % 4 === 3 ? [1, 2] : [1];
    const lines = parents.map((back) => `parent ${commits[i - back]}\n`).join("");
    const person = (name: string) => `${name} <${name}@example.org> ${1_700_000_000 + i} +0000`;
    const text = `tree ${tree}\n${lines}author ${person(`author${i % 7}`)}\ncommitter ${
      person("alice")
    }\n\n${i}\n`;
    commits.push(made.git.put("commit", text));
  }

  /** What a new service answers. */
  async function answers(): Promise<string[]> {
    await home.restart();
    const [tip, old] = [commits.at(-1)!, commits[12]!];
    const paths = [
      "/commits",
      `/commits?parent=${old}&page=1&perPage=3&diff=none`,
      "/commits?path=a&diff=none",
      `/commits/${tip}`,
      `/tree/${tip}/`,
      `/blob/${tip}/c4`,
      `/diff/${old}/${tip}`,
      "/activity",
      "today/commits",
      `today/stats/tree/${tip}`,
      `today/stats/commits/${old}`,
    ];
    const texts: string[] = [];
    for (const path of paths) {
      const { status, text } = await made.get(path);
      assert.equal(status, 200, path);
      texts.push(text);
    }
    return texts;
  }

  const inInfo = (name: string) => join(made.git.path, "objects/info", name);

  /** Does something while there is a graph. */
  async function withGraph(act: () => Promise<void>, ...options: string[]): Promise<void> {
    made.git.run(["commit-graph", "write", "--reachable", ...options]);
    await home.restart();
    home.log.length = 0;
    try {
      await act();
    } finally {
      for (const name of ["commit-graph", "commit-graphs"]) {
        rmSync(inInfo(name), { recursive: true, force: true });
      }
      await home.restart();
    }
  }

  /** Whether the graph is in use: without it, a history with a missing commit is damaged. */
  async function isUsed(): Promise<boolean> {
    await home.restart();
    const lost = join(made.git.path, "objects", commits[5]!.slice(0, 2), commits[5]!.slice(2));
    renameSync(lost, `${lost}.aside`);
    try {
      return (await made.get(`today/stats/commits/${commits.at(-1)}`)).status === 200;
    } finally {
      renameSync(`${lost}.aside`, lost);
      await home.restart();
    }
  }

  const complaints = () => home.log.filter((line) => line.includes("commit graph"));

  for (const options of [[], ["--split"], ["--changed-paths"]]) {
    it(`answers as without it: ${options.join() || "one file"}`, async () => {
      await withGraph(async () => {
        assert.equal(await isUsed(), true);
        assert.deepEqual(await answers(), expected);
        assert.deepEqual(home.log, []);
      }, ...options);
    });
  }

  it("answers as without it when the graph is of older commits", async () => {
    made.git.setRef("refs/heads/master", commits[20]!);
    await withGraph(async () => {
      made.git.setRef("refs/heads/master", commits.at(-1)!);
      assert.equal(await isUsed(), true);
      assert.deepEqual(await answers(), expected);
    });
  });

  it("answers as without it when the graph is damaged, and logs it once", async () => {
    await withGraph(async () => {
      const path = inInfo("commit-graph");
      made.git.run(["commit-graph", "verify"]);
      rmSync(path);
      writeFileSync(path, "CGPH");
      assert.equal(await isUsed(), false);
      home.log.length = 0;
      assert.deepEqual(await answers(), expected);
      assert.equal(complaints().length, 1);
    });
    await withGraph(async () => {
      const folder = inInfo("commit-graphs");
      for (const name of readdirSync(folder)) if (name.endsWith(".graph")) rmSync(join(folder, name));
      assert.deepEqual(await answers(), expected);
      assert.equal(complaints().length, 1);
    }, "--split");
    await withGraph(async () => {
      appendFileSync(inInfo("commit-graphs/commit-graph-chain"), "x\n");
      assert.deepEqual(await answers(), expected);
      assert.equal(complaints().length, 1);
    }, "--split");
  });

  it("does not use a folder at the place of the graph", async () => {
    mkdirSync(inInfo("commit-graph"));
    assert.deepEqual(await answers(), expected);
    rmSync(inInfo("commit-graph"), { recursive: true });
  });

  it("does not use it where git does not: with grafts and with replaced objects", async () => {
    await withGraph(async () => {
      const grafts = join(made.git.path, "info/grafts");
      mkdirSync(join(made.git.path, "info"), { recursive: true });
      writeFileSync(grafts, `${commits[3]}\n`);
      assert.equal(await isUsed(), false);
      assert.deepEqual(await answers(), expected);
      rmSync(grafts);
      made.git.run(["replace", commits[3]!, commits[2]!]);
      assert.equal(await isUsed(), false);
      assert.deepEqual(await answers(), expected);
      made.git.run(["replace", "-d", commits[3]!]);
      assert.equal(await isUsed(), true);
    });
  });

  it("ends its history at the commits of the file shallow, whatever the graph says", async () => {
    await withGraph(async () => {
      const shallow = join(made.git.path, "shallow");
      writeFileSync(shallow, `${commits[30]}\n`);
      const { body } = await made.get(`today/stats/commits/${commits[31]}`);
      assert.equal(body.commits, Number(made.git.text(["rev-list", "--count", commits[31]!])));
      rmSync(shallow);
    });
  });

  it("shows a history with a missing commit as far as the graph goes, as git does", async () => {
    await withGraph(async () => {
      const lost = join(made.git.path, "objects", commits[5]!.slice(0, 2), commits[5]!.slice(2));
      renameSync(lost, `${lost}.aside`);
      const tip = commits.at(-1)!;
      const count = Number(made.git.text(["rev-list", "--count", tip]));
      assert.equal((await made.get(`today/stats/commits/${tip}`)).body.commits, count);
      assert.equal((await made.get("today/commits")).body.length, 30);
      // These answers need the commit itself.
      for (const path of [`today/stats/tree/${tip}`, `today/commits/${commits[5]}`, "/commits?diff=none"]) {
        const { status, body } = await made.get(path);
        assert.equal(status, 404, `${path} ${JSON.stringify(body)}`);
      }
      renameSync(`${lost}.aside`, lost);
      // It is found when it is there again.
      assert.equal((await made.get(`today/stats/tree/${tip}`)).status, 200);
    });
  });

  it("uses the graph of the repository whose objects it borrows", async () => {
    await withGraph(async () => {
      renameSync(join(made.git.path, "objects"), join(home.folder, "borrowed"));
      mkdirSync(join(made.git.path, "objects/info"), { recursive: true });
      mkdirSync(join(made.git.path, "objects/pack"));
      writeFileSync(join(made.git.path, "objects/info/alternates"), `${join(home.folder, "borrowed")}\n`);
      assert.deepEqual(await answers(), expected);
      assert.deepEqual(complaints(), []);
      rmSync(join(made.git.path, "objects"), { recursive: true });
      renameSync(join(home.folder, "borrowed"), join(made.git.path, "objects"));
    }, "--split");
  });
});

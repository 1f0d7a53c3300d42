/**
 * Our service and the real `radicle-httpd` 0.10.0 on the same homes answer equally, but for the changes that httpd_shapes.ts names:
 * on the history of this project, on generated ones and on stored homes.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createRadHome,
  type RadHome,
  removeFolder,
  ROOT,
  RUNTIMES,
  type Service,
  startHttpd,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { ALL_WANTED } from "../support/cases.ts";
import { compareRepository } from "./compare.ts";
import { generateHistory } from "./generated_history.ts";
import { addOddCommits } from "./odd_commits.ts";
import { copyDemoHome } from "../support/demo_home.ts";

const SEEDS = ALL_WANTED ? [1, 2, 3] : [1];
const GENERATED_COMMITS = 60;
/** Files of a large diff, and lines of each: more in all than any one part of a diff holds. */
const [LARGE_FILES, LARGE_LINES] = [90, 12_000];

const folder = temporaryFolder("httpd");
const running: Service[] = [];
after(async () => {
  await Promise.all(running.map((service) => service.stop()));
  removeFolder(folder);
});

/** Starts both on one home; when one does not start, the other is still stopped in the end. */
async function startBoth(home: string, runtime: typeof RUNTIMES[number]): Promise<[Service, Service]> {
  const started = (service: Service) => (running.push(service), service);
  const ours = await startService(runtime, home).then(started);
  return [ours, await startHttpd(home).then(started)];
}

async function assertEqualAnswers(services: [Service, Service], home: string, rid: string, least: number) {
  const gitDir = join(home, "storage", rid.replace("rad:", ""));
  const { equal, differences } = await compareRepository(services[0].url, services[1].url, rid, gitDir);
  assert.deepEqual(
    differences.slice(0, 10),
    [],
    `${differences.length} differences, ${equal} answers are equal`,
  );
  assert.ok(equal >= least, `only ${equal} answers could be compared`);
}

for (const runtime of RUNTIMES) {
  describe(`radicle-httpd 0.10.0 and xylem on ${runtime}`, () => {
    let services: [Service, Service];
    let home: string;

    before(async () => {
      const into = join(folder, `ten-${runtime}`);
      mkdirSync(into);
      home = unpackHome("today/ten-collab.tar.gz", into);
      services = await startBoth(home, runtime);
    });

    for (const name of ["press", "quiet"] as const) {
      it(`agree on ${name}, a repository written by 0.10`, async () => {
        const rids = {
          press: "rad:z2qxCeY3PX9fyxXkzqtreR3CCTdGT",
          quiet: "rad:z44FMYzjUVeYxBZK3v2ZxEhL3UMXK",
        };
        await assertEqualAnswers(services, home, rids[name], 10);
      });
    }
  });
}

describe("radicle-httpd 0.10.0 and xylem on histories", () => {
  let rad: RadHome;
  let services: [Service, Service];

  before(async () => {
    rad = createRadHome("0.10", join(folder, "histories"), { alias: "historian", seed: "c4".repeat(32) });
    services = await startBoth(rad.home, "node");
  });

  /** Puts a working copy under Radicle, with all its branches; returns its id. */
  function publish(work: string, name: string): string {
    const rid = rad.init(work, name);
    rad.git(work, "push", "--quiet", "rad", "--all");
    // radicle-httpd of this generation does not serve repositories unless this cache is there.
    rad.rad(work, "issue", "cache", "--repo", rid);
    return rid;
  }

  it("agree on the history of this project", async () => {
    const work = join(folder, "project");
    rad.git(folder, "clone", "--quiet", "--no-hardlinks", ROOT, work);
    rad.git(work, "switch", "--quiet", "--force-create", "main");
    await assertEqualAnswers(services, rad.home, publish(work, "project"), 100);
  });

  it("agree on odd names, addresses and messages", async () => {
    const work = join(folder, "odd");
    rad.git(folder, "init", "--quiet", "--initial-branch", "main", work);
    rad.git(work, "commit", "--quiet", "--allow-empty", "--message", "Start");
    addOddCommits(work);
    await assertEqualAnswers(services, rad.home, publish(work, "odd"), 250);
  });

  it("agree on diffs of more lines and bytes than are made in one part", async () => {
    const work = join(folder, "large");
    rad.git(folder, "init", "--quiet", "--initial-branch", "main", work);
    const lines = (seed: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${seed} ${i * 7919 % 10_007}\n`).join("");
    for (const version of ["one", "two"]) {
      for (let i = 0; i < LARGE_FILES; i++) {
        const text = lines(`${i}`, LARGE_LINES);
        writeFileSync(join(work, `${i}.txt`), version === "one" ? text : text.replace(/77\n/g, "new\n"));
        writeFileSync(
          join(work, `${version}-${i}.txt`),
          lines(i % 3 === 0 ? `${i} moved` : version, 200 + i),
        );
        rmSync(join(work, `one-${version === "one" ? -1 : i}.txt`), { force: true });
      }
      rad.git(work, "add", "--all");
      rad.git(work, "commit", "--quiet", "--message", version);
    }
    await assertEqualAnswers(services, rad.home, publish(work, "large"), 10);
  });

  for (const seed of SEEDS) {
    it(`agree on the history generated from ${seed}`, async () => {
      const work = join(folder, `generated-${seed}`);
      rad.git(folder, "init", "--quiet", work);
      const imported = spawnSync("git", ["-C", work, "fast-import", "--quiet"], {
        input: generateHistory(seed, GENERATED_COMMITS),
        encoding: "utf8",
      });
      assert.equal(imported.status, 0, imported.stderr);
      // A generated link may name what no file system accepts as a target.
      rad.git(work, "config", "core.symlinks", "false");
      rad.git(work, "reset", "--quiet", "--hard", "main");
      await assertEqualAnswers(services, rad.home, publish(work, `generated-${seed}`), 300);
    });
  }
});

describe("the demo home", () => {
  it("is answered equally", async () => {
    const home = join(folder, "demo");
    await copyDemoHome(home);
    const services = await startBoth(home, "node");
    const info = await fetch(`${services[1].url}/api/v1/projects?show=all`).then((response) =>
      response.json()
    );
    const rids = (info as { id: string }[]).map((one) => one.id);
    assert.equal(rids.length, readdirSync(join(home, "storage")).length - 1, "all but the private one");
    for (const rid of rids) await assertEqualAnswers(services, home, rid, 10);
  });
});

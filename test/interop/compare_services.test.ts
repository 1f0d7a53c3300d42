/**
 * Comparisons with the real `radicle-httpd` 0.10.0. Today's one is not available as a program: its recorded answers
 * are compared in test/compare/recordings.test.ts.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  openRadHome,
  removeFolder,
  type Service,
  startHttpd,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { copyDemoHome } from "../support/demo_home.ts";
import { runCompare } from "../compare/tool.ts";

const folder = temporaryFolder("compare-httpd");
const running: Service[] = [];
after(async () => {
  await Promise.all(running.map((service) => service.stop()));
  removeFolder(folder);
});

async function started(service: Promise<Service>): Promise<Service> {
  running.push(await service);
  return await service;
}

/** Compares a home; the status and all output. */
async function compare(home: string, url: string) {
  const { status, stdout, stderr } = await runCompare([url, "--home", home]);
  return { status, output: stdout + stderr };
}

/** The answers of the last line of a report. */
function totalOf(output: string): number[] {
  return /^(\d+) answers: (\d+) equal, (\d+) differ as documented, (\d+) differ otherwise$/m.exec(output)!
    .slice(1).map(Number);
}

describe("a comparison with radicle-httpd 0.10.0", () => {
  let homes: { readonly name: string; readonly home: string; readonly httpd: Service }[];

  before(async () => {
    const demo = join(folder, "demo");
    await copyDemoHome(demo);
    const ten = unpackHome("today/ten-collab.tar.gz", folder);
    homes = [
      { name: "demo", home: demo, httpd: await started(startHttpd(demo)) },
      { name: "ten-collab", home: ten, httpd: await started(startHttpd(ten)) },
    ];
  });

  it("finds nothing that is not documented", async () => {
    for (const { name, home, httpd } of homes) {
      const { status, output } = await compare(home, httpd.url);
      assert.equal(status, 0, output);
      const [asked = 0, equal = 0, explained = 0, unexplained] = totalOf(output);
      assert.equal(unexplained, 0);
      assert.ok(asked > 50 && equal > 25 && explained > 20, `${name}: ${output}`);
      assert.match(output, /a diff has a list for each kind of change \(docs\/api\.md#9\.1\)/);
    }
  });

  it("finds a label that is there alone", async () => {
    const { home, httpd } = homes[1]!;
    const rid = "rad:z2qxCeY3PX9fyxXkzqtreR3CCTdGT";
    const issues = await fetch(`${httpd.url}/api/v1/projects/${rid}/issues?state=open`);
    const [issue] = await issues.json() as { readonly id: string; readonly labels: readonly string[] }[];
    const rad = openRadHome("0.10", home, "ned");
    rad.rad(folder, "issue", "label", issue!.id, "--repo", rid, "--add", "elsewhere");
    const before = unpackHome("today/ten-collab.tar.gz", join(folder, "demo"));
    const { status, output } = await compare(before, httpd.url);
    assert.equal(status, 1, output);
    const { length } = issue!.labels;
    assert.match(output, /\/issues\/:id: [^\n]*1 DIFFER/);
    assert.ok(output.includes(`/labels: there a list of ${length + 1}, here a list of ${length}`), output);
  });
});

describe("a comparison with another Xylem", () => {
  it("finds no difference in either dialect, and nothing private", async () => {
    const home = unpackHome("today/today-collab.tar.gz", folder);
    const { url } = await started(startService("node", home));
    const { status, output } = await compare(home, url);
    assert.equal(status, 0, output);
    const [asked = 0, equal] = totalOf(output);
    assert.equal(equal, asked, output);
    assert.ok(asked > 150);
    assert.match(output, /Version 1 \(\/projects\)[^]*Today's dialect \(\/repos\)/);
  });
});

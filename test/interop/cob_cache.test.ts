/** Rows of `cobs/cache.db` that we wrote, read by the real programs of both generations. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  createRadHome,
  type Generation,
  openRadHome,
  type RadHome,
  removeFolder,
  RUNTIMES,
  startService,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";
import { deleteRows, readRows, type Row, withoutIds, writeRows } from "./cache_rows.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const POLL_MS = 20;

const folder = temporaryFolder("cob-cache");
after(() => removeFolder(folder));

/** What `rad` shows of all objects: lists, and each with everything that the row says of it. */
function show({ rad }: RadHome, generation: Generation, rows: readonly Row[]): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const repo of new Set(rows.map((row) => row.repo))) {
    for (const kind of ["issue", "patch"]) {
      shown[`${kind} list of ${repo}`] = rad(folder, kind, "list", "--all", "--repo", repo);
    }
  }
  for (const { type, id, repo } of rows) {
    const kind = type === "xyz.radicle.issue" ? "issue" : "patch";
    shown[`${kind} ${id}`] = rad(folder, kind, "show", id, "--repo", repo);
    shown[`all of ${kind} ${id}`] = generation === "0.10"
      ? rad(folder, kind, "show", id, "--debug", "--repo", repo)
      : rad(folder, "cob", "show", "--repo", repo, "--type", type, "--object", id);
  }
  return shown;
}

describe("rows that we wrote", () => {
  const homes = { "0.10": "ten-collab", newest: "today-collab" } as const;
  for (const [generation, name] of Object.entries(homes) as [Generation, string][]) {
    it(`are shown by rad ${generation} as its own`, async () => {
      const home = unpackHome(`today/${name}.tar.gz`, folder);
      const program = openRadHome(generation, home, "tester");
      const rows = readRows(home);
      assert.ok(rows.length > 5);
      const shown = show(program, generation, rows);
      deleteRows(home);
      assert.match(program.rad(folder, "issue", "list", "--repo", rows[0]!.repo), /Nothing to show/);
      await writeRows(home, rows);
      assert.deepEqual(show(program, generation, rows), shown);
      const ours = readRows(home);
      if (generation === "newest") assert.deepEqual(ours, rows);
      else {
        assert.deepEqual(
          ours.map((row) => ({ ...row, text: withoutIds(row.text) })),
          rows.map((row) => ({ ...row, text: withoutIds(row.text) })),
        );
      }
    });
  }
});

describe("rows that were left behind", () => {
  const unpack = (name: string) => {
    mkdirSync(join(folder, name));
    return unpackHome("today/edge-sigrefs.tar.gz", join(folder, name));
  };
  let expected: readonly Row[];
  before(() => {
    const home = unpack("expected");
    const { rad } = openRadHome("newest", home, "tester");
    for (const repo of readdirSync(join(home, "storage"))) {
      rad(folder, "issue", "cache", "--repo", `rad:${repo}`);
    }
    expected = readRows(home);
  });

  for (const runtime of RUNTIMES) {
    it(`are written when the service starts on ${runtime}, as rad does by command`, async () => {
      const home = unpack(runtime);
      const missing = () => {
        const present = new Set(readRows(home).map(({ id, text }) => `${id} ${text}`));
        return expected.filter(({ id, text }) => !present.has(`${id} ${text}`));
      };
      assert.ok(missing().length >= 5);
      const service = await startService(runtime, home);
      const deadline = Date.now() + PATIENCE_MS;
      while (missing().length > 0 && Date.now() < deadline) {
        await new Promise((resume) => setTimeout(resume, POLL_MS));
      }
      await service.stop();
      assert.deepEqual(missing(), []);
    });
  }
});

describe("programs of the days of 0.10", () => {
  let alice: RadHome;
  let work: string;
  before(() => {
    const place = join(folder, "push");
    mkdirSync(place);
    alice = createRadHome("0.10", place, { alias: "alice", seed: "a1".repeat(32) });
    work = join(place, "work");
    alice.git(place, "init", "--quiet", work);
    alice.git(work, "commit", "--quiet", "--allow-empty", "--message", "First");
    alice.init(work, "x", { description: "" });
  });

  it("merge a patch by push when its row is ours", async () => {
    alice.git(work, "checkout", "--quiet", "-b", "feature");
    alice.git(work, "commit", "--quiet", "--allow-empty", "--message", "Feature");
    alice.git(work, "push", "--quiet", "rad", "HEAD:refs/patches");
    const [patch] = readRows(alice.home);
    assert.ok(patch);
    alice.rad(work, "patch", "label", patch.id, "--add", "x", "--no-announce");
    assert.doesNotMatch(readRows(alice.home)[0]!.text, /"revisions":\{"[0-9a-f]+":\{"id"/);
    await writeRows(alice.home, [patch]);
    assert.match(alice.rad(work, "patch", "show", patch.id), /Labels\s+x/);
    alice.git(work, "checkout", "--quiet", "main");
    alice.git(work, "merge", "--quiet", "feature");
    alice.git(work, "push", "--quiet", "rad", "main");
    assert.match(alice.rad(work, "patch", "show", patch.id), /Status\s+merged/);
  });
});

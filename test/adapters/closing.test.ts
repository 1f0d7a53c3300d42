/** The end of an API: on every runtime its process ends by itself, in time. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { GitRepository } from "../support/git.ts";
import {
  removeFolder,
  ROOT,
  runtimeCommand,
  RUNTIMES,
  temporaryFolder,
  unpackHome,
} from "../support/programs.ts";

/** A repository of the home, of which its key is the delegate. */
const RID = "rad:z3Avj7G9Sh8v5Br5GXM9MydxYkmhm";
/** Lines of the file that a worker compares. */
const LINES = 40_000;

describe("a program that closes its API", () => {
  const folder = temporaryFolder("closing");
  let home: string;
  let commits: readonly string[];
  before(() => {
    home = unpackHome("desk.tar.gz", folder);
    const git = new GitRepository(join(home, "storage", RID.slice("rad:".length)));
    commits = [7, 11].map((factor) => {
      const lines = Array.from({ length: LINES }, (_, i) => `${i % 3 === 0 ? i * factor : "same"}\n`);
      const tree = git.text(["mktree"], `100644 blob ${git.put("blob", lines.join(""))}\tlarge\n`);
      return git.text(["commit-tree", "-m", "large", tree]);
    });
  });
  after(() => removeFolder(folder));

  for (const runtime of RUNTIMES) {
    it(`ends by itself on ${runtime}`, async () => {
      const [program, ...args] = runtimeCommand(runtime, join(ROOT, "test/adapters/closing_child.ts"));
      const child = spawn(program, [...args, home, RID, ...commits], { cwd: ROOT });
      let [output, errors] = ["", ""];
      child.stdout.on("data", (chunk) => output += chunk);
      child.stderr.on("data", (chunk) => errors += chunk);
      const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
        child.on("close", (...end) => resolve(end))
      );
      assert.deepEqual([code, signal, output], [0, null, "200 200 201 201 200 503\n"], errors);
    });
  }
});

/** A process that closed its home ends by itself, on the runtime that executes this. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { removeFolder, temporaryFolder, unpackHome } from "../support/programs.ts";

/** A process that is still there then, in milliseconds, is killed; an idle worker, for one, would stay for longer. */
const LIMIT_MS = 40_000;
const CHILD = fileURLToPath(new URL("closed_home_child.ts", import.meta.url));
const FLAGS = "Deno" in globalThis ? ["run", "--quiet", "--no-check", "--allow-all"] : [];

const folder = temporaryFolder("closed-home");
/** It has packs, which stay open between requests. */
let home: string;
before(() => home = unpackHome("browse.tar.gz", folder));
after(() => removeFolder(folder));

/** Output of a process that uses the home in one of two ways, when it has ended. */
async function runChild(way: "api" | "serve"): Promise<{ opened: number; open: string[] }> {
  const args = [...FLAGS, CHILD, home, join(folder, "cache"), way];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: LIMIT_MS });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

for (const way of ["api", "serve"] as const) {
  describe(way === "api" ? "a closed home API" : "a closed service", () => {
    it("leaves no file open and lets its process end", async () => {
      const { opened, open } = await runChild(way);
      if (process.platform === "linux") assert.ok(opened > 0, "Nothing was open before");
      assert.deepEqual(open, []);
    });
  });
}

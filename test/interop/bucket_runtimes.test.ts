/** The tests of buckets on a real S3 server pass on the other runtimes, too: each has a `fetch` of its own. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { ROOT } from "../support/programs.ts";

const FILES = ["test/interop/s3_bucket.test.ts", "test/interop/bucket_faults.test.ts"];
const COMMANDS = {
  deno: ["deno", "test", "--quiet", "--no-check", "--allow-all", ...FILES],
  bun: ["bun", "test", "--timeout", "900000", ...FILES],
};

describe("buckets on a real S3 server", () => {
  for (const [runtime, [program, ...args]] of Object.entries(COMMANDS)) {
    it(`keep their contract on ${runtime}`, async () => {
      const child = spawn(join(ROOT, "node_modules", ".bin", program!), args, {
        cwd: ROOT,
        env: { ...process.env, NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => output += text);
      }
      const [status] = await once(child, "close");
      assert.equal(status, 0, output);
    });
  }
});

/**
 * A publisher keeps up with 1,000 updates a minute over 1,000 repositories, on a bucket whose every call takes
 * 20 ms: an update is in the bucket within 5 seconds, of a hundred at least 99. The node tells of the updates,
 * or does not: then the publisher finds them by looks. Ten minutes for each; `LOAD_SECONDS=60`,
 * `LOAD_REPOSITORIES=200` and `LOAD_UPDATES=3000` (in a minute) try others.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import type { LoadReport } from "./publisher_load.ts";

const MOST_LAG_MS = 5000;

describe("a publisher under load", () => {
  for (
    const [kind, how] of [["told", "of which the node tells"], ["found", "that it finds itself"]] as const
  ) {
    it(`has 99 of 100 updates ${how} in the bucket within ${MOST_LAG_MS / 1000} seconds`, async () => {
      const program = join(import.meta.dirname, "publisher_load.ts");
      const { stdout } = await promisify(execFile)(process.execPath, [program, kind]);
      process.stdout.write(`${kind}: ${stdout}`);
      const { updates, wantedUpdates, missing, lag }: LoadReport = JSON.parse(stdout);
      assert.ok(updates >= 0.98 * wantedUpdates, `only ${updates} updates were made`);
      assert.equal(missing, 0, "updates are missing");
      assert.ok(lag.most99 <= MOST_LAG_MS, `${lag.most99} ms at 99 %`);
    });
  }
});

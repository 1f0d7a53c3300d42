/** All recorded reads, to a replica in workerd on a bucket of R2, and to the home that was published there. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createHomeApi } from "../../../adapters/node/mod.ts";
import { PUBLISHED_HOMES } from "../../replay/published_reads.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../support/programs.ts";
import { bundleReplicaWorker, compareReads, type ReplicaWorker } from "../replica_in_workerd.ts";

describe("a replica in workerd", () => {
  const folder = temporaryFolder("workerd-recordings");
  let start: () => ReplicaWorker;
  before(async () => {
    start = await bundleReplicaWorker();
  });
  after(() => removeFolder(folder));

  for (const published of PUBLISHED_HOMES) {
    it(`answers all recorded reads of ${published.archive} as the home`, async () => {
      const path = unpackHome(published.archive, folder);
      const worker = start();
      try {
        const home = await createHomeApi({ home: path, behindProxy: true });
        await worker.publish(home);
        await home.close();
        const { reads, ok } = await compareReads(
          worker,
          path,
          published,
          Infinity,
        );
        assert.ok(ok > reads / 4, `${ok} answers of 200 to ${reads} reads`);
      } finally {
        await worker.close();
      }
    });
  }
});

/** Real processes that publish and are killed. */
import { join } from "node:path";
import { describe, it } from "node:test";
import { createFolderBucket } from "../../../../extensions/replicas/bucket/folder.ts";
import { parseRid } from "../../../../src/ids/rid.ts";
import { fileSystem } from "../../../support/files.ts";
import { removeFolder, temporaryFolder, unpackHome } from "../../../support/programs.ts";
import { killChildren } from "./killed_children.ts";

describe("a process that publishes into a folder", () => {
  it("leaves whole states when it is killed, and the next one goes on", async () => {
    const folder = temporaryFolder("kills");
    try {
      const home = unpackHome("today/today-collab.tar.gz", folder);
      const rids = [parseRid("rad:zFpuHQPLnWcwbzEHUbbv4wCzH9qV")];
      const address = join(folder, "published");
      const bucket = createFolderBucket(address, { fileSystem });
      await killChildren({ home, rids, bucket, address }, 3);
    } finally {
      removeFolder(folder);
    }
  });
});

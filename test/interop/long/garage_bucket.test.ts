/**
 * Buckets on Garage, a distributed S3 server: the contract of all buckets. Built by
 * `sh test/interop/install_bucket_servers.sh --garage`; not part of continuous integration, as it takes long to
 * build.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { bytesOf, mustGet, mustPut, testBucket, textOf } from "../../bucket/suite.ts";
import { folderOnDisk, removeFolder } from "../../support/programs.ts";
import { type S3Server, startGarage } from "../../support/servers.ts";

const folder = folderOnDisk("garage");
let server: S3Server;
before(async () => {
  server = await startGarage(folder);
});
after(async () => {
  await server?.stop();
  removeFolder(folder);
});

// Garage 2.5 ignores If-None-Match and If-Match of puts and stores the object; the bucket finds out.
testBucket("a bucket of Garage", () => ({ bucket: server.bucket({ prefix: "suite" }) }), {
  conditional: false,
  longList: 1_100,
});

describe("a bucket of Garage", () => {
  it("is denied to wrong credentials, and where there is no such bucket", async () => {
    const wrong = [
      server.bucket({ secretAccessKey: "wrong" }),
      server.bucket({ accessKeyId: "GK0123456789abcdef01234567" }),
      server.bucket({ region: "elsewhere" }),
      server.bucket({ bucket: "absent" }),
    ];
    for (const bucket of wrong) {
      await assert.rejects(bucket.get("key"), { name: "BucketError", obstacle: "denied" });
    }
  });

  it("keeps what was put before others", async () => {
    await mustPut(server.bucket(), "kept", bytesOf("kept"));
    assert.equal(textOf((await mustGet(server.bucket(), "kept")).bytes), "kept");
  });
});

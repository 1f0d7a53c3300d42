/**
 * Buckets on Garage, a distributed S3 server: the contract of all buckets. Built by
 * `sh test/interop/install_bucket_servers.sh --garage`; not part of continuous integration, as it takes long to
 * build.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createHomeApi, deflate } from "../../../adapters/node/mod.ts";
import { bytesOf, mustGet, mustPut, testBucket, textOf } from "../../extensions/replicas/bucket/suite.ts";
import { createTestPublisher } from "../../extensions/replicas/publisher/test_publisher.ts";
import { folderOnDisk, removeFolder, unpackHome } from "../../support/programs.ts";
import { startReplica } from "../../support/compose.ts";
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

  it("is published into, and served by the container of deploy/compose.yaml", async () => {
    const home = await createHomeApi({ home: unpackHome("browse.tar.gz", folder), behindProxy: true });
    const publisher = createTestPublisher(home.storage, server.bucket(), { deflate, node: home });
    assert.equal((await publisher.publishAll()).failed, 0);
    const replica = await startReplica("node", server.variables, join(folder, "cache"));
    const projects: { id: string; head: string }[] =
      await (await home.api.fetch(new Request("http://localhost/api/v1/projects"))).json();
    for (const { id, head } of projects.slice(0, 5)) {
      for (const path of [id, `${id}/commits`, `${id}/commits/${head}`, `${id}/issues`]) {
        const expected = await home.api.fetch(new Request(`http://localhost/api/v1/projects/${path}`));
        const answer = await fetch(`${replica.url}/api/v1/projects/${path}`);
        assert.equal(await answer.text(), await expected.text(), path);
      }
    }
    await replica.stop();
    await home.close();
  });

  it("keeps what was put before others", async () => {
    await mustPut(server.bucket(), "kept", bytesOf("kept"));
    assert.equal(textOf((await mustGet(server.bucket(), "kept")).bytes), "kept");
  });
});
